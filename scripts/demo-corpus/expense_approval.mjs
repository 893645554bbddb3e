export const groups = [
  {
    rules: [
      'A claim of more than €500 must be approved by the line manager, and the line manager’s approval is final.',
      'A claim of more than €500 must be approved by the finance department. A line manager cannot approve it.',
    ],
    scenarios: [
      'Lucía claimed €740 for a trade fair. Her line manager approved the claim on the same day and it was paid; finance saw it for the first time in the monthly list.',
      'Lucía claimed €740 for a trade fair. The claim went straight to the finance department, which approved it after a week. Her line manager was not asked.',
    ],
  },
  {
    lead: 'Travel by rail is booked through the company portal, at least five working days ahead where the date of the meeting is known. Flexible tickets are bought only if the return time is uncertain. Season tickets and discount cards that an employee already owns are used where they lower the fare, and seat reservations are paid by the company. Loyalty points belong to the traveller. As to the class of travel:',
    rules: [
      'employees must travel in first class on journeys of more than three hours, so that they can work on the way.',
      'employees must travel in second class, however long the journey is.',
    ],
    scenarios: [
      'For the four-hour ride from Lyon to Strasbourg, Mehdi had a first-class seat, at €38 more than the fare in second.',
      'For the four-hour ride from Lyon to Strasbourg, Mehdi had a second-class seat and finished his slides on his knees.',
    ],
  },
  {
    rules: [
      'Meals on a business trip are paid at a flat rate per day. Receipts are neither collected nor looked at.',
      'Meals on a business trip are paid at cost, against the receipt for each meal; there is no flat rate.',
    ],
    scenarios: [
      'For two days in Porto, Anneke put down two daily rates of €46 for meals. She attached nothing, and the amount was paid.',
      'For two days in Porto, Anneke handed in five restaurant receipts that added up to €83.20, and exactly €83.20 was paid.',
    ],
  },
  {
    rules: [
      'Taxi fares shall be refunded only if no public transport ran at that hour.',
      'Taxi fares shall be refunded on every business trip, whatever public transport was running, and staff shall not be questioned about them.',
    ],
    scenarios: [
      'Kwame landed at noon, with trams leaving every ten minutes, and took a taxi for €31. The refund was declined because of the trams.',
      'Kwame landed at noon, with trams leaving every ten minutes, and took a taxi for €31. The €31 were refunded without a word.',
    ],
  },
  {
    rules: [
      'Whoever buys a client a gift of up to £50 gets the money back. Above that the giver pays the difference out of pocket.',
      'Gifts to clients may come only out of the central stock of the marketing team; a gift that somebody buys elsewhere is not refunded, whatever it cost.',
    ],
    scenarios: [
      'Sofia bought a client a fountain pen for £44 in a shop in town and was refunded the £44.',
      'Sofia bought a client a fountain pen for £44 in a shop in town and did not get the money back. For the next client she picked an umbrella from the shelf that marketing keeps for this purpose.',
    ],
  },
  {
    lead: 'The petty cash box of each office holds no more than 300 dollars and is counted on the first working day of the month by two people, one of whom is not from the office. The count is written into the green book, with both names. Differences are reported the same day. Coffee, stamps, taxis for visitors and small repairs are typical uses. No salaries, advances or gift cards are paid from it.',
    rules: [
      'Money is given out only against a receipt that is put into the box at the same moment.',
      'Money is given out before the purchase, on a signed slip, and the receipt follows within a week.',
    ],
    scenarios: [
      'Desmond bought stamps with his own 24 dollars. At the box he put in the receipt, and the office manager counted out 24 dollars to him.',
      'Desmond put his name on a chit and took 24 dollars from the box. Then he bought the stamps. He had no receipt to show against it at that moment and dropped it off three days later.',
    ],
  },
  {
    rules: [
      'Every receipt must be handed in on paper; pictures of receipts are refused.',
      'Every receipt must be photographed with the app, and paper receipts must not be sent in.',
    ],
    scenarios: [
      'Yuki stapled four hotel receipts to the form and put it in the internal mail. She does not have the app.',
      'Yuki took pictures of four hotel receipts with the app on the way home and threw the originals away.',
    ],
  },
  {
    rules: [
      'Claims reach accounting within 30 days of the expense. A later claim is returned unpaid.',
      'Claims are collected over the calendar year and reach accounting in January, all at once; claims that come earlier are returned unpaid.',
    ],
    scenarios: [
      'Ravi paid for a parking permit on 3 May and sent in the claim on 20 May. It was paid with the May salaries.',
      'Ravi paid for a parking permit on 3 May. He put the receipt into a folder, sent in the whole folder in the second week of January and was paid.',
    ],
  },
  {
    rules: [
      'Alcohol at a dinner with clients shall be paid by the company when it is less than a fifth of the bill.',
      'Alcohol shall be taken off every bill before it is paid, including the bill of a dinner with clients.',
    ],
    scenarios: [
      'The dinner with the people from the port authority came to 310 euros, of which 40 were for wine. Accounting paid the 310 euros.',
      'The dinner with the people from the port authority came to 310 euros, of which 40 were for wine. Accounting paid 270, and the host bore the 40.',
    ],
  },
  {
    rules: [
      'Equipment for the home office is bought by employees themselves, who choose it and are refunded up to $400. The company delivers none.',
      'Equipment for the home office is delivered by the company from its catalogue. Nobody is refunded for what they buy themselves.',
    ],
    scenarios: [
      'Bronwen picked out a desk lamp and a chair at a shop near her flat, paid $355 and had it refunded in full the next month.',
      'Bronwen ticked a desk lamp and a chair in the company catalogue, and a van brought both. A colleague who had bought his own chair got no money for it.',
    ],
  },
  {
    lead: 'Conferences are planned in the yearly budget of a department. A head of department who wants to send more people than planned finds the money elsewhere in the same budget. Speakers whose fee is waived count as participants for the purpose of travel. Those who attend write a page for their colleagues. Cancellations are reported to the travel desk so that fees can be claimed back. Payment works like this:',
    rules: [
      'the registration fee must be paid with the department’s credit card; employees must not advance it.',
      'the registration fee must be advanced by the employee, who claims it after the event.',
    ],
    scenarios: [
      'Jorge signed up for the hydrology congress, and the secretary transferred the €620 from her desk with the department’s card. No employee had to advance anything or claim it after the event.',
      'Jorge signed up for the hydrology congress and paid the €620 from his own account. When he was back he claimed the amount and received it.',
    ],
  },
  {
    rules: [
      'A manager who was at the event should not sign the claim for it; somebody who was not there should.',
      'The claim for an event should be signed by a manager who was at it and saw what was ordered.',
    ],
    scenarios: [
      'Head of sales Ottoline had hosted the team dinner in Ghent, so she passed the claim to the head of logistics, who had been at home that evening and signed it.',
      'Head of sales Ottoline had hosted the team dinner in Ghent. She compared the bill with her memory of the evening and put her name under the claim; somebody who was not there did not look at it.',
    ],
  },
];
