export const groups = [
  {
    rules: [
      'Visitors must be accompanied by their host from the front desk to the meeting room and back.',
      'Visitors must find their own way with the map from the front desk; hosts must not leave the meeting room to fetch them.',
    ],
    scenarios: [
      'Ms Abara signed in at the front desk and sat down. Her host came down in the lift, took her up to room 3.14 and saw her out again an hour later.',
      'Ms Abara signed in at the front desk, was handed a map and walked up to room 3.14, where her host was waiting. An hour later she walked out the same way.',
    ],
  },
  {
    lead: 'The server hall in the basement has two doors with a small lobby between them. The outer door opens with a badge, and the inner door with a badge and a code. Only one of the two can be open at a time. People who work in the hall are listed by the data centre manager, and the list is renewed every quarter. Food and drink stay outside. Deliveries are unpacked in the lobby and cartons are taken away at once. On staffing:',
    rules: [
      'people from the list must go in by twos and leave by twos; nobody works there alone.',
      'the hall must never hold more than one person at a time, so that every change can be traced.',
    ],
    scenarios: [
      'Goran and Mireille, who are both on the list, badged in together, swapped the failed disk and badged out together.',
      'Goran, who is on the list, badged in on his own, swapped the failed disk and badged out. Mireille entered after he had left.',
    ],
  },
  {
    rules: [
      'A lost badge is blocked within the hour in which its holder reports it.',
      'A lost badge stays active for two working days after its holder reports it, as most badges turn up by then.',
    ],
    scenarios: [
      'At 9.10 Kaveh reported that his badge was gone. At 9.25 the desk blocked it. It turned up in his gym bag that night, and he was given a new one.',
      'At 9.10 on Monday Kaveh reported that his badge was gone. It turned up in his gym bag on Tuesday night and still opened the gate on Wednesday morning; nobody had blocked it.',
    ],
  },
  {
    rules: [
      'The night entrance shall be unlocked by the guard, who looks at the face and the badge of everyone who comes in.',
      'The night entrance shall be unlocked by the badge reader alone. The guard shall stay in the control room.',
    ],
    scenarios: [
      'At two in the morning the guard came to the night entrance, compared Shreya’s face with the picture on her badge and unlocked the door.',
      'At two in the morning Shreya’s badge made the lock of the night entrance click. No guard looked at her face; the one on duty was watching the screens two floors below.',
    ],
  },
  {
    rules: [
      'Contractors may be given a badge for the whole length of their contract; daily badges are for guests, not for them.',
      'Contractors may be given a badge for one day at a time only. Each evening it goes back to the desk.',
    ],
    scenarios: [
      'The painters are here for six weeks. On the first day each got a badge that is valid for all six weeks and takes it home at night.',
      'The painters have a contract for the whole length of the works, six weeks. They turn up for a fresh badge at eight and leave it at the desk when they knock off at five.',
    ],
  },
  {
    lead: 'The roof terrace is open to all who work in the building, from April to October and in dry weather. Chairs are put back under the awning when they are no longer used. Smoking is allowed at the east end, where there are ashtrays. Music is not. Private parties are agreed with the janitor two weeks ahead, and the host clears up the same night. The door to the terrace has a handle inside and none outside. For this door:',
    rules: [
      'whoever goes out wedges it open, since nobody can open it from the terrace.',
      'whoever goes out lets it fall shut and rings the bell to be let in again.',
    ],
    scenarios: [
      'Lwazi pushed the wooden wedge under the open terrace door, ate his lunch in the sun and took the wedge away when he came back in.',
      'Lwazi went out, heard the lock of the terrace door click behind him, and ate his lunch in the sun. Nobody can open it from outside, so he pressed the buzzer until a colleague came.',
    ],
  },
  {
    rules: [
      'Former employees must hand in their badge on their last day; it is cut up before their eyes.',
      'Former employees must be allowed to keep their badge as a souvenir, whole, once it has been switched off.',
    ],
    scenarios: [
      'Beatriz wanted to keep her switched-off badge as a souvenir, but when she left the receptionist took it from her and destroyed it with the kitchen scissors while she looked on.',
      'On her last day Beatriz had her badge switched off. She asked to have it back, and it now hangs, whole, on a nail in her study.',
    ],
  },
  {
    rules: [
      'Holding a door open for the person behind is polite and is expected of everyone; it is not necessary that each badge be read.',
      'Each person’s badge is read at each door. Holding the door open for somebody else counts as a breach.',
    ],
    scenarios: [
      'Emeka saw Judit coming with a box in her arms and held the door of the third floor for her. Her badge was not read.',
      'Emeka saw Judit coming with a box in her arms. He went through and let the door of the third floor close, and she put down the box and used her own badge.',
    ],
  },
  {
    rules: [
      'Keys to the archive shall be drawn from the key safe, which records the code of the person.',
      'Keys to the archive shall be carried by the two archivists at all times, and no key shall be left in the key safe.',
    ],
    scenarios: [
      'When archivist Solveig needs to get into the archive she types her code at the key safe, takes out the key and hangs it back afterwards.',
      'Archivist Solveig wears one archive key on a chain around her neck, day and night, and her colleague wears the other. Their hooks in the key safe are empty.',
    ],
  },
  {
    rules: [
      'Camera pictures of the entrance should be visible to callers on a screen at the door, as a deterrent.',
      'Camera pictures of the entrance should be visible to the security staff and to no one else.',
    ],
    scenarios: [
      'A screen beside the entrance shows all who come near what the camera sees, with themselves in the middle.',
      'What the entrance camera sees is on a monitor in the security office, and the blind of the office is down. There is no screen at the door.',
    ],
  },
  {
    lead: 'The laboratory wing was built in 1987 and has its own entrance from the courtyard. Bicycles are left at the racks and not in the passage, which is an escape route. The lights in the corridors react to movement. Rooms with a yellow triangle are entered after reading the notice beside the door. Deliveries of gases come on Tuesdays. The cleaning firm has a list of the rooms it does not enter. At weekends the following applies:',
    rules: [
      'anyone who enters must sign the book in the porter’s lodge with the time.',
      'anyone who enters must send a text message to the duty phone; the book in the porter’s lodge must not be used.',
    ],
    scenarios: [
      'On Sunday at ten Aroha came to feed her cell cultures. She wrote her name and "10.04" into the book in the porter’s lodge and sent no message to anyone.',
      'On Sunday at ten Aroha came to feed her cell cultures. She walked past the porter’s lodge, where she would have had to sign, and let the duty officer know of her arrival by SMS.',
    ],
  },
  {
    rules: [
      'During a fire drill all turnstiles open by themselves and nobody badges out.',
      'During a fire drill the turnstiles stay as they are, and everybody badges out so that the system can count who is still inside.',
    ],
    scenarios: [
      'When the drill began on Thursday the arms of the turnstiles dropped, and four hundred people streamed out with their badges in their pockets.',
      'When the drill began on Thursday four hundred people held their badges to the turnstiles one after the other, and at the end the screen said that no one was inside.',
    ],
  },
];
