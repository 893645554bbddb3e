export const groups = [
  {
    rules: [
      'A release must not go out on a Friday or on the day before a public holiday.',
      'A release must go out on a Friday, when traffic is lowest, and on no other day.',
    ],
    scenarios: [
      'Version 4.2 passed its checks on Friday at ten. Ingrid held it back over the weekend and rolled it out on Monday morning.',
      'Version 4.2 passed its checks on Thursday evening. Ingrid waited a night and rolled it out on Friday at eleven.',
    ],
  },
  {
    lead: 'The main branch of a service is protected. Changes reach it through a pull request whose description says what a user will notice and how the change was tried. The build, the unit tests and the licence scan run on every push, and a red result blocks the merge button. Draft requests may stay open for two weeks and are then closed by a robot, which leaves a friendly note. When everything is green, this applies:',
    rules: [
      'the author must wait for the approval of a second engineer before merging.',
      'the author must merge at once and without a second engineer’s approval; review takes place after the merge.',
    ],
    scenarios: [
      'All checks on Bilal’s retry patch were green by noon. He asked Oksana to read it, she approved at three, and he pressed the merge button.',
      'All checks on Bilal’s retry patch were green by noon, and he pressed the merge button a minute later. Oksana read the change on the main branch the next morning.',
    ],
  },
  {
    rules: [
      'Database migrations run before the new code is deployed.',
      'Database migrations run after the new code has been deployed on every server.',
    ],
    scenarios: [
      'The release of the billing service added a column. Facundo ran the migration at 9.00 and began to deploy the new code at 9.20.',
      'The release of the billing service added a column. The new code was on all six servers at 9.20, and at 9.40 Facundo ran the migration.',
    ],
  },
  {
    rules: [
      'A feature that is not finished shall be merged behind a flag that is off.',
      'A feature that is not finished shall stay on its own branch until it is complete; flags shall not be used to hide it.',
    ],
    scenarios: [
      'Half of the new export dialog was in the main branch by March. The flag that shows it was switched off for everyone until May.',
      'The new export dialog lived on a branch of its own from February to May. Nothing of it was merged before the last screen worked.',
    ],
  },
  {
    rules: [
      'When error rates double after a roll-out, the engineer on call rolls back first and looks for the cause afterwards.',
      'When error rates double after a roll-out, the engineer on call leaves the release in place, finds the cause and fixes it forward. There are no rollbacks.',
    ],
    scenarios: [
      'Ten minutes after the roll-out twice as many requests failed as before. Chiamaka put the previous version back and then read the logs.',
      'Ten minutes after the roll-out twice as many requests failed as before. Chiamaka read the logs with the new version running, found a missing index and shipped a patch.',
    ],
  },
  {
    lead: 'Each library that we publish has one maintainer and a deputy. The maintainer answers issues within ten working days and decides what goes into the next version. Version numbers have three parts. Bug fixes raise the third part and additions the second. Changelogs are written for users, name the issue and thank the reporter. Artefacts are signed with the key of the build server. Breaking changes are handled as follows:',
    rules: [
      'the old interface stays for one more major version and prints a warning.',
      'the old interface is removed in the version that brings the new one, and no warnings are printed.',
    ],
    scenarios: [
      'Version 3.0.0 of the date parser brought parseRange. The old parseInterval still worked all through 3.x, with a warning on the console, and went away in 4.0.0.',
      'Version 3.0.0 of the date parser brought parseRange and no longer had parseInterval. Callers of the old name got an import error.',
    ],
  },
  {
    rules: [
      'Security fixes must be announced on the day of the release, with the number of the advisory.',
      'Security fixes must be released quietly; the advisory must follow 14 days later, when most users have updated.',
    ],
    scenarios: [
      'The patch for the path traversal hole came out on 8 June, when hardly any users had updated. The notes that went with it gave the number of the advisory and thanked the finder.',
      'The patch for the path traversal hole came out on 8 June as "minor improvements". The advisory appeared on 22 June.',
    ],
  },
  {
    rules: [
      'Only the release manager may start a production deployment. Engineers hand over a checklist and wait.',
      'Only the engineer who wrote a change may start its production deployment. The release manager keeps the calendar and does not deploy.',
    ],
    scenarios: [
      'Tuva had written the cache change. She handed her checklist to Piotr, the release manager, and he started the production deployment.',
      'Tuva had written the cache patch. She did not hand it over to Piotr, the release manager, with a checklist, but started the production deployment from her own desk.',
    ],
  },
  {
    rules: [
      'A canary shall take 5 % of the traffic for a full day before the rest follows.',
      'All servers shall be switched within the same hour, so that users never meet two versions.',
    ],
    scenarios: [
      'From Tuesday to Wednesday noon one server in twenty ran the new search. As nothing broke, the other nineteen followed.',
      'The new search went live at noon on Tuesday and did not have a day with 5 % of the traffic. By half past twelve every one of the twenty machines ran it.',
    ],
  },
  {
    rules: [
      'Test data should be copied from production, so that tests see what users really type.',
      'Test data should be made up by a generator. Nothing from production should be in it.',
    ],
    scenarios: [
      'Before each release, Hamid restores last night’s production database on the staging server, and the tests run on the real orders.',
      'Before each release, Hamid starts a script that invents forty thousand orders on the staging server, and the tests run on those.',
    ],
  },
  {
    lead: 'Mobile apps are submitted to both stores on the same day. Screenshots show the current design and contain no customer names. The text of the store page is translated into all nine languages before submission, and a translator who is a native speaker reads it once on a real device. Ratings below three stars are answered within two days. Crash reports go to the team’s channel. Versions that are older than a year are treated as follows:',
    rules: [
      'the app must ask for an update at the start and let the user go on without it.',
      'the app must refuse to start until it has been updated.',
    ],
    scenarios: [
      'Frederik opened a version from two summers ago. A message asked him to update, he tapped "later", and his timetable came up as usual.',
      'Frederik opened a version from two summers ago. A message said that it no longer works, and the only button led to the store.',
    ],
  },
  {
    rules: [
      'Release notes are written by the engineers in their own words and published unedited.',
      'Release notes are written by the documentation team. What engineers draft is not published.',
    ],
    scenarios: [
      'The notes for 7.1 are three lines that Leilani, who built the importer, typed after lunch. They went online with her spelling mistake.',
      'The notes for 7.1 were written by Gareth of the documentation team after he had talked to Leilani, who built the importer. None of her sentences is in them.',
    ],
  },
];
