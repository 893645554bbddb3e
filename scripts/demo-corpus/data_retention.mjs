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
      'The branch sealed eleven boxes of loan applications and gave them, as they were, to the driver of the licensed firm. A certificate of destruction from the plant arrived two days later.',
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
      'Where a candidate who was turned down has signed the talent pool form, the recruiter shall keep the application for at least two years from the decision.',
    ],
    scenarios: [
      'Thandiwe was turned down but signed the talent pool form. Her application was deleted four months after the decision.',
      'Pavel was turned down in May 2021 and signed the talent pool form. The recruiter still had his application on file in spring 2023 and deleted it that June.',
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
      'Gustavo’s last working day was 30 June. The service desk closed his mailbox that evening, and by 10 July its content was gone.',
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
      'When the last interview of the housing study had been transcribed, Dr Sørensen, its custodian, took the key to the ethics office. It was in the safe there until five years after the final article.',
    ],
  },
  {
    rules: [
      'Telephone calls on the trading desk are recorded, and the recordings are kept for seven years.',
      'Telephone calls on the trading desk are not recorded; traders write a note of each order instead.',
    ],
    scenarios: [
      'Every call on the gilt desk goes through the recorder. The oldest files on its disks are just short of seven years old, and older ones drop off by themselves.',
      'The gilt desk has ordinary telephones and no recorder of any kind. Traders jot down each order on a numbered slip.',
    ],
  },
];
