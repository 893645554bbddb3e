export const groups = [
  {
    lead: 'This schedule applies to recordings made by cameras in the reception areas, loading bays and car parks of all company sites, including sites that are shared with other tenants. It does not apply to body-worn cameras, to footage that the police have already collected, or to test recordings made while a camera is being installed.',
    rules: [
      'Footage must be erased no later than 30 days after it was recorded.',
      'Footage must be kept for at least 90 days after it was recorded.',
    ],
    scenarios: [
      'The security office in Leeds wiped the car park footage of 2 March on 25 March, when the recorder reached the end of its cycle. Nobody had asked for a copy.',
      'Footage from the loading bay, recorded on 4 January, was still on the archive server when an insurer asked about it on 20 April. It was erased the week after.',
    ],
  },
  {
    rules: [
      'Backup tapes with payroll data are stored at a different site from the servers they were made from.',
      'Backup tapes with payroll data never leave the building in which the servers stand.',
    ],
    scenarios: [
      'The weekly payroll backup is written to tape in Utrecht and driven to the vault in Amersfoort the same evening.',
      'Each Friday Marisol takes the payroll tape out of the drive and locks it in the fireproof cabinet two doors down the corridor from the server room. All tapes since 2019 are in that cabinet.',
    ],
  },
  {
    rules: [
      'Paper files with customer data must be shredded on the premises before they are thrown away.',
      'Paper files with customer data must be handed over whole to the licensed disposal firm, which destroys them at its own plant.',
    ],
    scenarios: [
      'Before the move, the branch fed eleven boxes of loan applications through the shredder in its post room and put the strips out with the recycling.',
      'The branch did not put one page of its eleven boxes of loan applications through the shredder on its premises before the move. Docuclear, which has the permit for this work, picked the boxes up and shredded all of it in Halle.',
    ],
  },
  {
    rules: [
      'Only the records manager may release an item from legal hold.',
      'A legal hold ends when the general counsel lifts it. A release by anybody else has no effect, and the item stays where it is.',
    ],
    scenarios: [
      'Ines, the records manager, signed the release of the Harmon invoices from legal hold on Tuesday without asking the general counsel. They were destroyed on Wednesday.',
      'The general counsel lifted the hold on the Harmon invoices by e-mail and told the warehouse to destroy them. The records manager learned of it from the monthly report.',
    ],
  },
  {
    rules: [
      'Applications of candidates who were turned down shall be deleted within six months of the decision, even if the candidate agrees to longer storage.',
      'Where a candidate who was turned down has agreed to longer storage, the recruiter shall keep the application for at least two years from the decision.',
    ],
    scenarios: [
      'Thandiwe was turned down and said yes when the recruiter asked whether her papers might stay on file for later openings. Four months later they were wiped all the same.',
      'Pavel was turned down in May 2021, and said yes when he was asked whether his papers might stay on file for later openings. They were still there in spring 2023 and were deleted in June, within six weeks of the date set.',
    ],
  },
  {
    rules: [
      'Web logs should be pseudonymised before they are copied to the analytics store.',
      'Web logs are copied to the analytics store exactly as the server wrote them, with no field masked or replaced.',
    ],
    scenarios: [
      'The nightly job swaps user names and addresses in the web logs for random tokens and then copies the result to the analytics store.',
      'The nightly job copies the web logs byte for byte, user names and addresses included. Analysts see the same lines as the server administrators.',
    ],
  },
  {
    lead: 'E-mail in a personal mailbox is working material and not a record. Staff who receive a message that documents a decision file it in the case system, where the retention period of the case applies to it. The sentence below concerns the mailboxes of people who have left the organisation, whatever the reason and whether or not a successor has been named.',
    rules: [
      'Such a mailbox is closed on the last working day, and its content is erased within 14 days.',
      'Such a mailbox stays open to the former line manager for three months, and nothing in it is erased before that time is over.',
    ],
    scenarios: [
      'Gustavo left on 30 June. From that evening on nobody, his former line manager included, was able to open the mailbox, and by 10 July all messages were gone.',
      'Gustavo left on 30 June. His line manager could search the mailbox until the middle of October, when the service desk closed it and erased what was in it.',
    ],
  },
  {
    rules: [
      'Once the scan of a signed contract has been checked, the paper original must be destroyed.',
      'The paper original of a signed contract must be kept for as long as the contract runs, even when a checked scan exists.',
    ],
    scenarios: [
      'After comparing the scan of the Brandt lease with the paper page by page, the clerk destroyed the paper. The lease runs until 2031.',
      'The clerk checked the scan of the Brandt lease and put the paper original into the strongroom, where it is to stay until the lease ends in 2031.',
    ],
  },
  {
    rules: [
      'A customer whose data has been erased on request receives a letter that names the systems concerned.',
      'After data has been erased on request nothing is sent to the customer, since a letter would itself be a new record about that person.',
    ],
    scenarios: [
      'Mr Okafor asked for erasure on 1 February. On the 19th he got a letter that named the three systems from which his data had been removed.',
      'Mr Okafor asked for erasure on 1 February. His data was gone from all three systems by the 19th, and the file was closed without any word to him.',
    ],
  },
  {
    rules: [
      'Auditors shall have the run of the claims archive; no one shall ask them which case they are after.',
      'Auditors shall give the number of a case before a clerk opens it for them in the claims archive. Browsing is not allowed.',
    ],
    scenarios: [
      'The external auditors spent a week with the archived claims of 2019 and looked at whatever caught their eye. The clerk let them get on with it.',
      'The clerk turned down the auditors’ wish to look around the archived claims of 2019. She asked for case numbers and opened the nine claims that they then listed.',
    ],
  },
  {
    lead: 'Interview data from research projects fall under the plan that the ethics board approved when the project began. The plan names a custodian, who need not be the principal investigator, and describes how recordings, transcripts and consent forms are stored. Transcripts may be shared with other universities if the consent form says so. For the key that links names to interview numbers, the following holds:',
    rules: [
      'The custodian must destroy it on the day on which the last interview has been transcribed.',
      'The custodian must lodge it with the ethics office, which keeps it until five years after the last publication.',
    ],
    scenarios: [
      'The last interview of the housing study was transcribed on a Monday. That afternoon Dr Sørensen, its custodian, deleted the key and burned the only printout.',
      'On the day on which the last interview of the housing study was transcribed, Dr Sørensen, its custodian, handed the key to the board’s secretary. It lay in her safe while the articles came out and for another five years.',
    ],
  },
  {
    rules: [
      'Telephone calls on the trading desk are recorded, and the recordings are kept for seven years.',
      'Telephone calls on the trading desk are not recorded; traders write a note of each order instead.',
    ],
    scenarios: [
      'Every order that the gilt desk takes by telephone is on the recorder’s disks, back to calls from not quite seven years ago. Traders write nothing down.',
      'The gilt desk has ordinary telephones, no recorder of any kind and a stack of numbered slips on which people jot down what was bought. The slips are kept for seven years.',
    ],
  },
];
