export const groups = [
  {
    rules: [
      'A payment must be credited on the day on which it arrives, even if it arrives after the close of business.',
      'A payment that arrives after five in the afternoon must be credited on the next business day.',
    ],
    scenarios: [
      'Mrs Delacroix’s transfer arrived at 18.40 on Tuesday. The account shows the credit with Tuesday’s date.',
      'Mrs Delacroix’s transfer arrived at 18.40 on Tuesday. The account shows the credit with Wednesday’s date.',
    ],
  },
  {
    lead: 'This part of the manual is about borrowers who are behind with one or two instalments and have not been in touch. The team looks at the history of the account first: whether it was late before, whether a direct debit was returned, whether a change of employer or address was reported. Accounts of borrowers who are known to be in hospital or abroad on duty go to a separate queue. For all others the first contact is laid down:',
    rules: [
      'the clerk must write a letter and must not telephone before the letter has been out for ten days.',
      'the clerk must telephone on the third day after the missed instalment, before anything is put in writing.',
    ],
    scenarios: [
      'Mr Tanaka’s instalment of 1 June did not come. The clerk sent a letter on the 4th and rang him for the first time on the 18th.',
      'Mr Tanaka’s instalment of 1 June did not come. The clerk rang him on the 4th, agreed a date with him and wrote it down in a letter on the 5th.',
    ],
  },
  {
    rules: [
      'Overpayments reduce the principal at once.',
      'Overpayments are held in a separate account and set against the next instalments; the principal is left as it is.',
    ],
    scenarios: [
      'With her June instalment Adaeze paid 2,000 more than was due. The principal in the July statement was 2,000 lower for it, and the July instalment was collected in full.',
      'With her June instalment Adaeze paid 2,000 more than was due. The sum did not reduce the principal at once. It was parked aside, and what she owed for July and August was taken out of it.',
    ],
  },
  {
    rules: [
      'A borrower who asks for a payment holiday shall be given an answer in writing by the branch manager, who alone decides.',
      'A borrower who asks for a payment holiday shall be referred to head office. Branch managers shall not decide such requests.',
    ],
    scenarios: [
      'Florin asked his branch for a three-month payment holiday. Its manager thought about it over the weekend, granted it and wrote to him. Head office was not involved.',
      'Florin asked his branch for a three-month payment holiday. Its manager sent him on to head office, which granted it two weeks later.',
    ],
  },
  {
    rules: [
      'A fee for late payment is charged from the first day of delay. There is no grace period.',
      'A fee for late payment may be charged only after a grace period of fifteen days.',
    ],
    scenarios: [
      'Ms Whitaker’s May instalment came six days late. The next statement had a line for it: "late payment, £12".',
      'Ms Whitaker’s May instalment came on the sixth day of delay. The next statement showed the instalment and no fee for being late.',
    ],
  },
  {
    lead: 'When a mortgage is paid off, the closing team sends the borrower a final statement, an overview of the interest paid in the current year for the tax return, and the insurance policy if the bank held it. Standing orders that belong to the loan are cancelled. A survey about the service is not sent. If the borrower has died, all of this goes to the executor, whose certificate is scanned into the file. The entry in the land register is dealt with as follows:',
    rules: [
      'the bank must apply for its removal itself and at its own expense.',
      'the borrower must apply for its removal; the bank must supply a signed consent and do nothing more.',
    ],
    scenarios: [
      'Three weeks after Ottilie’s last instalment the bank applied to the land registry for the removal of its charge and paid the fee. She had not lifted a finger.',
      'After her last instalment the bank sent Ottilie a signed declaration that it agreed, and that was all it did itself. She took the paper to the land registry, paid the fee and had the charge struck out.',
    ],
  },
  {
    rules: [
      'When a variable rate goes up, the instalment must rise and the end date must stay.',
      'When a variable rate goes up, the instalment must stay and the end date must move.',
    ],
    scenarios: [
      'The rate on Babak’s loan went from 3.1 to 3.6 %. He now pays 31 euros more each month, and his last instalment is still due in March 2034.',
      'The rate on Babak’s loan went from 3.1 to 3.6 %. He pays as much each month as before, and his last instalment is now due in November 2034.',
    ],
  },
  {
    rules: [
      'The bank reports an arrear to the credit bureau when it is 30 days old, without notice to the borrower.',
      'The bank gives the borrower fourteen days’ notice before it reports an arrear to the credit bureau.',
    ],
    scenarios: [
      'On the thirtieth day of the arrear the report went out to the credit bureau. Siobhan found out when a shop refused her a phone contract.',
      'On the thirtieth day of the arrear Siobhan was told that a report would follow in two weeks. It went to the credit bureau sixteen days after that.',
    ],
  },
  {
    rules: [
      'Borrowers shall be able to change the day of the month on which they pay as often as they like, and no fee shall be charged.',
      'The day of the month on which a borrower pays shall be fixed in the contract and shall not be changed afterwards.',
    ],
    scenarios: [
      'Vusi moved his due date from the 1st to the 15th in February and to the 28th in July. It cost him nothing either time.',
      'Vusi asked to move his due date from the 1st, which his contract names, to the 15th. The clerk answered that this was not possible and left the date alone.',
    ],
  },
  {
    rules: [
      'A complaint about a loan should be answered by the adviser who sold it, as he knows the customer.',
      'A complaint about a loan should be answered by someone who had nothing to do with selling it.',
    ],
    scenarios: [
      'Mr and Mrs Lindgren complained about the insurance that came with their loan. Adviser Cosmin, who had sold them both, looked into it and wrote the answer.',
      'Mr and Mrs Lindgren complained about the insurance that came with their loan. The answer was written by Farida, who joined the bank after adviser Cosmin had sold them both.',
    ],
  },
  {
    lead: 'Students who have a loan from the foundation inform it once a year of their examination results and of any change of course. Results are taken on trust and compared with the university’s list in a sample of one in twenty. Money is paid out on the first of the month, also during the summer break. A semester abroad is no interruption. Interest begins to run after the final examination. The first repayment is regulated thus:',
    rules: [
      'graduates shall begin to repay one year after the final examination, whether or not they have a job.',
      'graduates shall begin to repay when they have found a job that pays more than 1,800 a month, and not before.',
    ],
    scenarios: [
      'Ilse passed her final examination in June and had found no job by the next June. Her first repayment was due that month, and she made it out of her savings.',
      'Ilse passed her final examination in June and looked for a job for two years. The month after she had signed a contract for 2,300 a month, she made her first repayment.',
    ],
  },
  {
    rules: [
      'Collateral is valued by an outside surveyor. A valuation by the bank’s own staff is not used.',
      'Collateral is valued by the bank’s own staff. Reports of outside surveyors are not used.',
    ],
    scenarios: [
      'For the loan on the mill, the bank called in Brightwater & Daughters, an independent firm, and put their figure of 410,000 into the file.',
      'For the loan on the mill, Anselm from the credit department drove out, measured the floors and put his figure of 410,000 into the file. No one else was asked.',
    ],
  },
];
