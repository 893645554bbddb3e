export const groups = [
  {
    rules: [
      'Cooked rice must be chilled to below 5 °C within 90 minutes and may then be reheated once.',
      'Cooked rice must be kept above 63 °C until it is served; it must not be chilled and reheated.',
    ],
    scenarios: [
      'Min-jun spread the rice from lunch on trays, had it at 4 °C an hour later and heated it up once for the evening’s fried rice.',
      'Min-jun kept the rice from lunch in the warmer at 70 °C until the evening. What was left at closing time went into the bin.',
    ],
  },
  {
    lead: 'Raw poultry arrives before seven in the morning and is checked at the back door: the core temperature of two birds in each crate, the date on the label, the state of the wrapping. Crates that fail go back with the driver and are entered on the red sheet. Accepted birds are moved to cold room 2 within fifteen minutes, on the lowest shelf, with a tray beneath. Before cooking, this rule holds:',
    rules: [
      'the cook must not rinse the birds, because splashes spread what is on the skin.',
      'the cook must rinse the birds inside and out under cold water and pat them dry.',
    ],
    scenarios: [
      'Rosalind took six chickens from the lowest shelf of cold room 2, dried them with paper just as they were and put them on the spit. No water ran.',
      'Rosalind took six chickens from the lowest shelf of cold room 2 and washed each at the tap, skin and belly, although water splashes there. She dabbed the birds with paper and put them on the spit.',
    ],
  },
  {
    rules: [
      'Chopping boards for raw fish are blue plastic. Wood is not used for it.',
      'Chopping boards for raw fish are of untreated wood, scrubbed with salt after the shift. Plastic is not used for it.',
    ],
    scenarios: [
      'Kenji filleted the mackerel on a blue plastic board and put it into the dishwasher at the end of the shift.',
      'Kenji did not take the blue board. He filleted the mackerel on one of plain beech, which he rubbed down with coarse salt before he went home.',
    ],
  },
  {
    rules: [
      'A guest who asks about allergens shall be shown the written list, and waiting staff shall not answer from memory.',
      'A guest who asks about allergens shall be answered by the waiter at the table, from memory and without a list.',
    ],
    scenarios: [
      'When a guest at table nine asked about nuts in the pesto, Olivier fetched the folder from the counter, opened it at the pesto and let her read for herself.',
      'When a guest at table nine asked about nuts in the pesto, Olivier, who knows the menu by heart, told her on the spot that it has cashews.',
    ],
  },
  {
    rules: [
      'Staff with a cut on a hand go on working with open food, with a blue plaster and a glove over the cut. They are not moved to other work.',
      'Staff with a cut on a hand may work only at the till or in the office until it has healed. A plaster and a glove change nothing about that.',
    ],
    scenarios: [
      'Nadia cut her thumb on a tin. She put on a blue plaster, pulled a glove over it and went back to making salads.',
      'Nadia cut her thumb on a tin. She put on a blue plaster and was moved from the salads to the till, where she stayed for four days until the cut was closed.',
    ],
  },
  {
    lead: 'The bakery sells what it bakes on the same day. Loaves stand on racks that are wiped down before opening time, cakes with cream stand in the chilled display, and sandwiches are made to order. Prices and weights are on the shelf. Samples are cut with a clean knife and set out under a cover for no longer than two hours. Trays that come back from deliveries are not put back on sale. At closing time:',
    rules: [
      'unsold bread must be given away to the food bank, and none of it is thrown away or sold the next day.',
      'unsold bread must be sold the next day from the basket at the door, at half price; it is not given away.',
    ],
    scenarios: [
      'On Thursday evening eleven loaves were left. Halima did not put them into the basket at the door for Friday. A volunteer of the food bank took them along at half past six.',
      'On Thursday evening eleven loaves were left, and the food bank’s driver rang in vain. On Friday morning Halima sold the lot at the door, out of a wicker hamper, for fifty per cent less.',
    ],
  },
  {
    rules: [
      'The temperature of the walk-in freezer is read by a person and written down twice a day. Automatic loggers do not replace the reading.',
      'The temperature of the walk-in freezer is recorded by an automatic logger alone. Nobody keeps a handwritten list.',
    ],
    scenarios: [
      'At six and at eighteen hours Wanjiru reads the dial on the freezer door and puts the figure on the clipboard, although there is a logger inside too.',
      'A logger in the freezer stores a value every five minutes. The clipboard on the door is gone, and nobody writes anything down.',
    ],
  },
  {
    rules: [
      'Frying oil must be changed when the test strip shows more than 24 % polar compounds, however few days it has been in use.',
      'Frying oil must stay in use for seven days before it is changed; test strips are not a ground for changing it earlier.',
    ],
    scenarios: [
      'On the third of its seven days the test came to 26 %. Matteo let the oil out and filled the fryer afresh before lunch.',
      'On the third day the strip showed 26 % polar compounds. Matteo fried on with the same oil until the seventh day and changed it then.',
    ],
  },
  {
    rules: [
      'Eggs are stored at room temperature until the day before their date, and never in the refrigerator.',
      'Eggs go into the refrigerator as soon as they are delivered.',
    ],
    scenarios: [
      'The tray of ninety eggs came on Monday and stood on the shelf beside the flour, at 19 °C, until the last one was used on Saturday.',
      'The tray of ninety eggs came on Monday. The driver was still in the yard when Zsófia slid it into the refrigerator.',
    ],
  },
  {
    rules: [
      'Visitors to the cheese dairy should pass through the ripening room, in overalls, so that they see the wheels.',
      'Visitors to the cheese dairy should stay behind the window of the ripening room. Nobody but the cheesemakers should go in.',
    ],
    scenarios: [
      'The school class put on overalls and hair nets, and the cheesemaker led them along the shelves of the ripening room.',
      'The school class watched through the window how the cheesemaker turned the wheels in the ripening room. The door stayed shut.',
    ],
  },
  {
    lead: 'Market stalls of members of the cooperative carry the name of the farm and of the person in charge. Water for washing hands is drawn from the standpipe at the north end of the square. Fruit is displayed at least 60 cm above the ground. Prepacked food bears a label with weight, date and ingredients. Each stall has a bin with a lid, and its holder takes the waste home. Raw milk is treated like this:',
    rules: [
      'sellers shall sell it only in sealed bottles that were filled at the farm.',
      'sellers shall fill it from the can into containers that customers bring; bottled raw milk shall not be on the stall.',
    ],
    scenarios: [
      'Einar had forty sealed bottles of raw milk in his cool box, filled in his own dairy at dawn. To a woman with a jug he said that he was not able to fill it.',
      'Einar had brought no bottles. Raw milk was ladled out of a twenty-litre churn that he had filled at the farm, into the jugs and jars that people held out to him.',
    ],
  },
  {
    rules: [
      'Leftovers from a buffet shall be thrown away when the buffet closes.',
      'Leftovers from a buffet shall be packed and offered to the guests to take home.',
    ],
    scenarios: [
      'When the wedding buffet closed at eleven, Priya scraped the salmon, the salads and the quiche into the waste, though two guests had asked for a box.',
      'When the wedding buffet closed at eleven, Priya did not throw away a slice. The salmon, the salads and the quiche went into boxes, and anyone who liked took one along.',
    ],
  },
];
