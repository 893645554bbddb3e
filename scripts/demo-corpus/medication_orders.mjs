export const groups = [
  {
    rules: [
      'A verbal order must be entered into the chart by the nurse who received it, before the drug is given.',
      'A verbal order must be entered into the chart by the prescriber in person, before the drug is given.',
    ],
    scenarios: [
      'Dr Haddad called out an order for 4 mg of ondansetron while scrubbing in. Nurse Lindqvist, who had taken the order, typed it into the chart and then gave the drug.',
      'Dr Haddad called out an order for 4 mg of ondansetron. Nurse Lindqvist waited until he had come to the terminal and typed it into the chart himself, and then gave the drug.',
    ],
  },
  {
    lead: 'Insulin is a high-alert drug. On this ward it is kept in the locked refrigerator behind the nurses’ station, in the original carton, and the temperature of the refrigerator is read twice a day. Pens belong to one patient and carry that patient’s label. Vials are dated on the day on which they are first pierced. The chart shows the time and the site of every injection.',
    rules: [
      'Each dose must be checked by a second nurse before it is injected.',
      'Each dose must be drawn up, checked and injected by one nurse alone, so that nobody relies on somebody else’s eyes.',
    ],
    scenarios: [
      'At 7.30 Amara drew up eight units for Mr Petit. Tomasz compared syringe, chart and wristband and initialled the line, and then Amara gave the injection.',
      'At 7.30 Amara drew up eight units for Mr Petit, compared syringe, chart and wristband and gave the injection. Tomasz was busy at the next bed and had no part in it.',
    ],
  },
  {
    rules: [
      'The pharmacist fills an order for a brand-name drug with the generic whenever one is in stock, whatever the prescriber prefers.',
      'The pharmacist dispenses the very brand that is written on the order. A generic is given only when the prescriber has agreed to it on the telephone.',
    ],
    scenarios: [
      'The order said Lipantor 20 mg. The pharmacist took plain atorvastatin of the same strength from the shelf and filled it with that, although she could not reach the practice.',
      'The order said Lipantor 20 mg. There was generic atorvastatin on the shelf, but the doctor, when called, did not want a change, and the pharmacist handed out Lipantor.',
    ],
  },
  {
    rules: [
      'A dose that the patient was asleep for shall be skipped and charted as not given.',
      'A patient who is asleep when a dose is due shall be woken for it.',
    ],
    scenarios: [
      'Mrs Adeyemi was fast asleep at 22.00, when her antibiotic was due. The night nurse left her alone and charted the dose as not given.',
      'Mrs Adeyemi was fast asleep at 22.00, when her antibiotic was due. The night nurse touched her shoulder until she woke up, and she swallowed the tablet.',
    ],
  },
  {
    rules: [
      'Potassium chloride concentrate is kept on the ward, in a red box, so that it is at hand in an emergency.',
      'Potassium chloride concentrate is kept in the pharmacy only. Wards receive it ready diluted.',
    ],
    scenarios: [
      'On Ward 6, ten ampoules of potassium chloride concentrate lie ready beside the resuscitation trolley, in their scarlet case; the pharmacy replaces what is used.',
      'Ward 6 has no ampoules of potassium chloride concentrate. When an infusion is ordered, the pharmacy sends up a bag that it has already diluted.',
    ],
  },
  {
    lead: 'Patients who are admitted for planned surgery bring their own medicines in the bag that they were sent with the appointment letter. The admitting nurse lists every item, with strength and expiry date, on the blue form, and the pharmacist compares the list with the general practitioner’s record within one working day. Items that have expired are destroyed with the patient’s consent.',
    rules: [
      'For the rest of the stay the patient takes these medicines from the bedside locker without the nurses’ help.',
      'For the rest of the stay these medicines are held in the drug room, and nurses hand out each dose.',
    ],
    scenarios: [
      'Mr Castellanos had his blood pressure tablets in the locker by his bed until he went home and took one each morning on his own, as he does at home.',
      'Mr Castellanos saw his blood pressure tablets once a day, when one was brought to him in a paper cup. They were not in the locker at his bedside but with the ward’s own drugs, and he took none without the help of a nurse.',
    ],
  },
  {
    rules: [
      'An order for a child under 12 must state the dose per kilogram, and the nurse works out the amount.',
      'An order for a child under 12 must state the finished amount in milligrams; the nurse works out nothing.',
    ],
    scenarios: [
      'For six-year-old Noor the doctor wrote "paracetamol 15 mg/kg". The nurse weighed her, did the multiplication and measured out the syrup.',
      'For six-year-old Noor the doctor wrote "paracetamol 300 mg" and nothing else. The nurse measured out that amount of syrup.',
    ],
  },
  {
    rules: [
      'Opioids left over in a syringe are discarded by the nurse alone. Witnesses are for whole ampoules and do not sign for leftovers.',
      'Opioids left over in a syringe may be discarded only in front of a witness, who signs the register.',
    ],
    scenarios: [
      'There were 3 mg of morphine left in the syringe. Nurse Kowalczyk squirted them into the waste gel and wrote the amount into the register; nobody else was there, and hers is the only signature.',
      'There were 3 mg of morphine left in the syringe. Nurse Kowalczyk fetched a colleague, squirted them into the waste gel while he watched, and both signed the register.',
    ],
  },
  {
    rules: [
      'Orders for antibiotics shall lapse after 72 hours unless the prescriber renews them.',
      'Orders for antibiotics shall run until the prescriber cancels them; no pharmacist or nurse shall end them earlier.',
    ],
    scenarios: [
      'Ceftriaxone was ordered on Monday at noon. On Thursday at noon there was no renewal in the chart, the system closed the order, and the nurse gave no further dose.',
      'Ceftriaxone was ordered on Monday at noon. Nobody renewed or cancelled the order, and the nurse was still giving the daily dose on the following Tuesday.',
    ],
  },
  {
    rules: [
      'When a patient reports an allergy that is not in the chart, the nurse should give the ordered drug on time and raise the matter at the next round.',
      'When a patient reports an allergy that is not in the chart, the nurse should hold the ordered drug until a doctor has decided.',
    ],
    scenarios: [
      'Mrs Zhou told the nurse that penicillin had once given her a rash, which the chart did not mention. The nurse gave the amoxicillin at eight as ordered and spoke of the rash on the ten o’clock round.',
      'Mrs Zhou told the nurse that penicillin had once given her a rash, which the chart did not mention. The amoxicillin was not given on time: the nurse put it aside and paged the registrar, who ordered something else at ten.',
    ],
  },
  {
    lead: 'This section is about chemotherapy that is given in the day clinic. Orders arrive on the printed protocol sheet, with height, weight and body surface of the patient, and the laboratory values of the same morning are clipped to it. The clinical pharmacist recalculates every dose and writes the result beside the printed one. Differences of less than 5 % are accepted without a call. Preparation then follows this rule:',
    rules: [
      'the bag must not be mixed until the patient has arrived and been weighed.',
      'the bag must be mixed the evening before, so that the patient never waits for it.',
    ],
    scenarios: [
      'Ms Papadaki came at 8.40 and stepped on the scales. The pharmacist then released her sheet, and the technician began to mix her bag at 8.55.',
      'Ms Papadaki’s bag was mixed at six o’clock on the evening before her appointment and lay ready in the refrigerator when she came in at 8.40 and stepped on the scales.',
    ],
  },
  {
    rules: [
      'Discharge prescriptions cover 28 days of treatment.',
      'Discharge prescriptions cover three days of treatment at most; the general practitioner prescribes the rest.',
    ],
    scenarios: [
      'On leaving the hospital Mr Nakamura was given a prescription for 28 tablets of bisoprolol, one a day.',
      'On leaving the hospital Mr Nakamura was given a prescription for three tablets of bisoprolol, one a day, and a letter that asks his own doctor to carry on.',
    ],
  },
];
