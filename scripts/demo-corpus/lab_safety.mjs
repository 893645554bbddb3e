export const groups = [
  {
    rules: [
      'Gloves must come off before the lid of a centrifuge is touched; the lid is for bare hands.',
      'Gloves must stay on from the moment a centrifuge is loaded until it has been emptied, also when its lid is touched.',
    ],
    scenarios: [
      'Delphine loaded the centrifuge with gloves on, stripped them from her fingers and only then closed the lid.',
      'Delphine loaded the rotor with gloves on and did not take them off while she closed the lid, waited, opened it and took out the tubes.',
    ],
  },
  {
    lead: 'Solvents are ordered through the store on the ground floor, which keeps a stock of the twelve that are used most. Bottles are carried in the black buckets, one bottle to a bucket, and never in the passenger lift with people in it. Each bottle gets a label with the date of opening. Ethers are tested for peroxides every three months, and the result is noted on the label. At the end of the working day:',
    rules: [
      'opened bottles must be carried back to the solvent cabinet, and none must be left under a hood.',
      'opened bottles must be left under the hood where they were used, so that nobody carries them in the dark.',
    ],
    scenarios: [
      'Before he locked up, Tariq put the three bottles of acetone that he had used under the hood into buckets, walked through the dark corridor and stowed them where they had come from, in the cabinet for solvents.',
      'Before he locked up, Tariq lowered the sash of the hood. The three bottles of acetone that he had opened stood behind it until the morning.',
    ],
  },
  {
    rules: [
      'Broken glass goes into the yellow bin, whether or not it has touched chemicals.',
      'Broken glass that has touched chemicals is wrapped airtight and goes to the collection point for special refuse. The yellow bin is for clean glass.',
    ],
    scenarios: [
      'A flask with a rest of silver nitrate fell off Zanele’s bench. She swept up the pieces and tipped them into the yellow bin.',
      'A flask with a rest of silver nitrate fell off Zanele’s bench. She did not use the yellow bin. She wrapped the pieces in plastic, taped it up and took the parcel down to the collection point for special refuse in the basement.',
    ],
  },
  {
    rules: [
      'Students shall not work in the laboratory after six in the evening, with or without supervision.',
      'Students shall do their practical work after six in the evening, when the research groups have left, and at no other hour.',
    ],
    scenarios: [
      'Quentin, a third-year student, did his titrations between two and five in the afternoon. At half past five he hung up his coat and went home.',
      'Quentin, a third-year student, had the laboratory to himself from half past six, without any supervision, and did his titrations until nine.',
    ],
  },
  {
    rules: [
      'Only the person who started a reaction may switch it off. Others telephone and wait.',
      'Anyone who sees a reaction run out of control switches it off at once and telephones afterwards.',
    ],
    scenarios: [
      'Renske saw that the oil bath of her neighbour’s overnight reaction was smoking. She did not touch it, rang him up, and he came over and turned it off.',
      'Renske saw that the oil bath of her neighbour’s overnight reaction was smoking. She turned it off, closed the sash and then rang him up.',
    ],
  },
  {
    lead: 'The laser in room B2 is of class 4. Its beam path is enclosed except at the sample, and a lamp over the door shows when it is on. Users attend the half-day course and are then entered on the list that hangs beside the key box. Watches, rings and badges on chains are left in the tray by the door. Goggles are checked for scratches in January and in July. Alignment of the beam is a special case, for which there is one rule:',
    rules: [
      'it must be done by two people, of whom one watches and keeps a hand on the stop button.',
      'it must be done by one person alone, behind the locked door, so that no second pair of eyes is put at risk.',
    ],
    scenarios: [
      'To align the beam behind the locked door, Ikaika turned the mirrors while Dorota looked on, her fingers on the red switch that cuts the power. Both wore goggles.',
      'To align the beam, Ikaika put on his goggles, turned the key from within and adjusted the mirrors. Dorota, who usually watches, waited in the corridor until he had finished.',
    ],
  },
  {
    rules: [
      'A spill of less than 100 ml must be reported to the safety officer, just as a larger one.',
      'A spill of less than 100 ml must be cleaned up without a report; the safety officer must be told of larger ones.',
    ],
    scenarios: [
      'Catalina knocked over a beaker with 40 ml of dilute acetic acid. She wiped it up and filled in the form for the safety officer.',
      'Catalina knocked over a beaker with 40 ml of dilute acetic acid. She wiped it up, rinsed the cloth and went on with her work. There was no form.',
    ],
  },
  {
    rules: [
      'Cultures are autoclaved on the day on which the experiment ends.',
      'Cultures are kept in the cold room for four weeks after the experiment has ended, in case a result has to be checked, and only then autoclaved.',
    ],
    scenarios: [
      'The growth curve was finished on 12 October. By six that evening Mthunzi had all forty plates in the autoclave.',
      'The growth curve was finished on 12 October, a Monday. Mthunzi stacked the forty plates at 4 °C, wrote the day on the lid and autoclaved them on 11 November.',
    ],
  },
  {
    rules: [
      'The emergency shower shall be tested every month by pulling the handle until water runs.',
      'The emergency shower shall be inspected by eye; its handle shall not be pulled except in an emergency.',
    ],
    scenarios: [
      'On the first Monday of each month Evren sets a tub under the emergency shower, tugs at the chain and makes it spray for ten seconds. An inspection by eye is not enough for him.',
      'On the first Monday of each month Evren looks at the pipe, the seal and the handle of the emergency shower and ticks the card. The seal is still the one from last year.',
    ],
  },
  {
    rules: [
      'Long hair should be tied back, and a net is not enough.',
      'Long hair should be under a net. Tying it back is not enough.',
    ],
    scenarios: [
      'Saoirse tied her long hair into a tight knot at the neck before she lit the burner. She had no net.',
      'Saoirse tucked her long hair, which was loose, into a net before she lit the burner.',
    ],
  },
  {
    lead: 'Liquid nitrogen is filled at the tank in the yard, on weekdays between eight and four. The person who fills wears the blue gloves, the apron and the face shield, and stays beside the vessel until it is full. Only vessels with a vented lid are used, and their age is no more than ten years. The oxygen meter at the tank shows at least 19.5 % before the valve is opened. If the vessel has to go to another floor:',
    rules: [
      'the vessel shall ride in the lift alone, and the person shall take the stairs.',
      'the vessel shall be carried up the stairs by two people; it shall not be put into the lift.',
    ],
    scenarios: [
      'Bogdan rolled the full vessel into the lift, pressed 4, stepped out and climbed the stairs to meet it there.',
      'Bogdan and a colleague each took one handle of the full vessel and climbed the stairs to the fourth floor. The lift stood open and unused.',
    ],
  },
  {
    rules: [
      'Laboratory coats are washed by the institute’s laundry. Taking a coat home is not permitted.',
      'Laboratory coats are washed by their owners, at home. The institute’s laundry does not accept them.',
    ],
    scenarios: [
      'Every second Friday Nkechi drops her coat into the hamper of the institute’s laundry. It has never been to her flat.',
      'Every second Friday Nkechi takes her coat home in a plastic bag, washes it at 60 °C and brings it back on Monday.',
    ],
  },
];
