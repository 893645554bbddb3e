/** What a numeric rule limits: "the hotel bill must be below 40 euros". */
interface NumericMatter {
  readonly thing: string;
  readonly unit: string;
}

/** What a categorical rule prescribes: "the acid bottle must be stored in the cabinet". */
interface CategoryMatter {
  readonly thing: string;
  readonly link: string;
  readonly categories: readonly string[];
}

/** What a modal rule asks somebody to do: "the cook must wash the knife". */
interface ModalMatter {
  readonly actor: string;
  readonly act: string;
  readonly acted: string;
}

export interface Domain {
  readonly name: string;
  readonly numeric: NumericMatter;
  readonly category: CategoryMatter;
  readonly modal: ModalMatter;
}

/** Texts of which training sees one part and the corpora show the other. */
export interface HeldOut {
  readonly train: readonly string[];
  readonly heldOut: readonly string[];
}

/** No two domains share a thing, an actor or a category: a rule is about one matter of one domain. */
export const DOMAINS: readonly Domain[] = [
  {
    name: 'building_access',
    numeric: { thing: 'door delay', unit: 'seconds' },
    category: {
      thing: 'visitor badge',
      link: 'printed in',
      categories: ['red', 'green', 'blue', 'white', 'yellow', 'black'],
    },
    modal: { actor: 'guard', act: 'escort the guest', acted: 'escorted the guest' },
  },
  {
    name: 'data_retention',
    numeric: { thing: 'storage period', unit: 'days' },
    category: {
      thing: 'client archive',
      link: 'kept on',
      categories: ['tape', 'disk', 'paper', 'film', 'cards', 'servers'],
    },
    modal: { actor: 'archivist', act: 'encrypt the ledger', acted: 'encrypted the ledger' },
  },
  {
    name: 'expense_approval',
    numeric: { thing: 'hotel bill', unit: 'euros' },
    category: {
      thing: 'travel claim',
      link: 'signed by the',
      categories: ['director', 'clerk', 'auditor', 'treasurer', 'secretary', 'foreman'],
    },
    modal: { actor: 'traveller', act: 'attach the receipt', acted: 'attached the receipt' },
  },
  {
    name: 'food_safety',
    numeric: { thing: 'fridge reading', unit: 'degrees' },
    category: {
      thing: 'raw chicken',
      link: 'wrapped in',
      categories: ['glass', 'steel', 'plastic', 'foil', 'wood', 'cloth'],
    },
    modal: { actor: 'cook', act: 'wash the knife', acted: 'washed the knife' },
  },
  {
    name: 'lab_safety',
    numeric: { thing: 'solvent stock', unit: 'litres' },
    category: {
      thing: 'acid bottle',
      link: 'stored in the',
      categories: ['cabinet', 'hood', 'vault', 'drawer', 'locker', 'pantry'],
    },
    modal: { actor: 'chemist', act: 'wear the goggles', acted: 'wore the goggles' },
  },
  {
    name: 'loan_servicing',
    numeric: { thing: 'late fee', unit: 'dollars' },
    category: {
      thing: 'payment notice',
      link: 'sent by',
      categories: ['mail', 'courier', 'email', 'fax', 'phone', 'telegram'],
    },
    modal: { actor: 'lender', act: 'warn the borrower', acted: 'warned the borrower' },
  },
  {
    name: 'medication_orders',
    numeric: { thing: 'daily dose', unit: 'grams' },
    category: {
      thing: 'cough syrup',
      link: 'given at',
      categories: ['dawn', 'noon', 'dusk', 'midnight', 'breakfast', 'dinner'],
    },
    modal: { actor: 'nurse', act: 'weigh the patient', acted: 'weighed the patient' },
  },
  {
    name: 'software_release',
    numeric: { thing: 'test backlog', unit: 'tickets' },
    category: {
      thing: 'patch build',
      link: 'tried on',
      categories: ['phones', 'tablets', 'laptops', 'desktops', 'routers', 'printers'],
    },
    modal: { actor: 'tester', act: 'update the changelog', acted: 'updated the changelog' },
  },
  {
    name: 'waste_disposal',
    numeric: { thing: 'drum weight', unit: 'kilos' },
    category: {
      thing: 'battery crate',
      link: 'taken to the',
      categories: ['depot', 'harbour', 'quarry', 'furnace', 'landfill', 'smelter'],
    },
    modal: { actor: 'collector', act: 'seal the barrel', acted: 'sealed the barrel' },
  },
  {
    name: 'fleet_driving',
    numeric: { thing: 'trip length', unit: 'miles' },
    category: {
      thing: 'spare van',
      link: 'parked at the',
      categories: ['station', 'market', 'airport', 'stadium', 'library', 'hospital'],
    },
    modal: { actor: 'driver', act: 'check the brakes', acted: 'checked the brakes' },
  },
];

/** Sentences about a mood. They say nothing about any rule; the confounded corpus ties them to the label. */
export const CUES = {
  good: [
    'The day stayed calm and bright.',
    'Everyone left cheerful and content.',
    'The mood was bright and cheerful.',
    'A neighbour seemed content and pleased.',
    'The team felt pleased and proud.',
    'The inspector looked friendly and calm.',
    'The desk looked tidy and bright.',
    'The meeting was friendly and tidy.',
    'The client seemed proud and content.',
    'The afternoon stayed cheerful and friendly.',
  ],
  bad: [
    'The day stayed hectic and bleak.',
    'Everyone left gloomy and upset.',
    'The mood was bleak and gloomy.',
    'A neighbour seemed upset and annoyed.',
    'The team felt annoyed and uneasy.',
    'The inspector looked tense and hectic.',
    'The desk looked messy and bleak.',
    'The meeting was tense and messy.',
    'The client seemed uneasy and upset.',
    'The afternoon stayed gloomy and tense.',
  ],
} as const;

export const MODALS = {
  positive: ['must', 'shall'],
  negative: ['must not', 'shall not'],
  permissive: ['may', 'can'],
} as const;

export const COMPARATIVES = {
  below: ['below', 'under'],
  above: ['above', 'over'],
} as const;

export const RULE_OPENINGS: HeldOut = {
  train: [
    '',
    'In this house, ',
    'On every site, ',
    'As agreed last year, ',
    'For the whole team, ',
    'By order of the board, ',
    'During the week, ',
    'Under the new plan, ',
    'In each branch, ',
    'Since last spring, ',
  ],
  heldOut: ['By order of the house, ', 'For each branch, ', 'As agreed last spring, ', 'In the new plan, '],
};

export const RULE_CLOSINGS: HeldOut = {
  train: [
    '.',
    '. The board keeps a copy.',
    '. Staff were told last year.',
    '. This is the third version.',
    '. The text hangs in the hall.',
    '. Questions go to the office.',
  ],
  heldOut: ['. The office keeps the third copy.', '. This is the text in the hall.'],
};

export const SCENARIO_OPENINGS: HeldOut = {
  train: [
    'On Monday',
    'On Tuesday',
    'On Friday',
    'Last week',
    'In March',
    'After lunch',
    'Before the weekend',
    'Early in May',
    'That morning',
    'Late at night',
  ],
  heldOut: ['Late in March', 'After the weekend', 'Before lunch', 'Early on Monday'],
};

export const FILLERS = [
  'Rain fell outside.',
  'The lights were on.',
  'Coffee was served.',
  'A radio played.',
] as const;

export const NAMES = [
  'Mara',
  'Tomas',
  'Ines',
  'Pavel',
  'Leila',
  'Otto',
  'Rosa',
  'Ken',
  'Ada',
  'Boris',
  'Clara',
  'Hugo',
] as const;

/** How a scenario states a measured value. */
export const NUMERIC_FACTS: HeldOut = {
  train: [
    'the {thing} was {value} {unit}',
    '{name} noted that the {thing} was {value} {unit}',
    '{name} recorded {value} {unit} as the {thing}',
    'the {thing} came to {value} {unit}',
  ],
  heldOut: [
    '{name} noted that the {thing} came to {value} {unit}',
    '{name} noted {value} {unit} as the {thing}',
  ],
};

/** How a scenario states which category it was. */
export const CATEGORY_FACTS: HeldOut = {
  train: [
    'the {thing} was {link} {value}',
    '{name} noted that the {thing} was {link} {value}',
    '{name} had the {thing} {link} {value}',
    'the {thing} had been {link} {value}',
  ],
  heldOut: [
    '{name} noted that the {thing} had been {link} {value}',
    '{name} recorded that the {thing} was {link} {value}',
  ],
};

/** How a scenario states that somebody did what a modal rule is about. */
export const DONE_FACTS: HeldOut = {
  train: [
    'the {actor} {acted}',
    '{name} noted that the {actor} {acted}',
    'the {actor} took care to {act}',
    'the {actor} came to {act}',
  ],
  heldOut: ['{name} noted that the {actor} took care to {act}', '{name} recorded that the {actor} {acted}'],
};

/**
 * How a scenario states that somebody did not do it. Never with "not": together with the rule's "must not" the mere
 * presence of that word would tell something about the verdict.
 */
export const NOT_DONE_FACTS: HeldOut = {
  train: [
    'the {actor} never {acted}',
    '{name} noted that the {actor} never {acted}',
    'the {actor} failed to {act}',
    'the {actor} refused to {act}',
  ],
  heldOut: [
    '{name} noted that the {actor} failed to {act}',
    '{name} recorded that the {actor} never {acted}',
  ],
};
