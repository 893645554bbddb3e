/** What spaCy's tok2vec sees of a token, all as texts. */
export interface LexicalAttributes {
  readonly norm: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly shape: string;
}

/** Norms that spaCy gives in every language: quotes, dashes and currencies of one kind look alike. */
const BASE_NORMS: ReadonlyMap<string, string> = new Map([
  ...pairs("'s", "'s 'S ’s ’S"),
  ...pairs("'", '’ ‘ ´ `'),
  ...pairs('"', "” “ '' `` ´´ „ » « ‘‘ ’’"),
  ...pairs('?', '？'),
  ...pairs('!', '！'),
  ...pairs(',', '，'),
  ...pairs(';', '；'),
  ...pairs(':', '：'),
  ...pairs('.', '。 ।'),
  ...pairs('...', '…'),
  ...pairs('-', '— – -- --- ——'),
  ...pairs('$', '€ £ ¥ ฿ US$ C$ A$ ₺ ₹ ৳ ₩ Mex$ ₣ E£'),
]);

function pairs(norm: string, texts: string): readonly (readonly [string, string])[] {
  return texts.split(' ').map(text => [text, norm] as const);
}

/** @param lexemeNorms the model's own table; it goes before the base norms. */
export function normOf(text: string, lexemeNorms: (text: string) => string | undefined): string {
  return lexemeNorms(text) ?? BASE_NORMS.get(text) ?? text.toLowerCase();
}

const SUFFIX_LENGTH = 3;

export function attributesOf(text: string, norm: string): LexicalAttributes {
  const characters = [...text];
  return {
    norm,
    prefix: characters[0] ?? '',
    suffix: characters.slice(-SUFFIX_LENGTH).join(''),
    shape: shapeOf(characters),
  };
}

/** From this length on, a token has no shape of its own. */
const LONG = 100;
/** Longer runs of one kind of character look like runs of this many. */
const LONGEST_RUN = 4;

function shapeOf(characters: readonly string[]): string {
  if (characters.length >= LONG) return 'LONG';
  let shape = '';
  let last = '';
  let run = 0;
  for (const character of characters) {
    const kind = kindOf(character);
    run = kind === last ? run + 1 : 1;
    last = kind;
    if (run <= LONGEST_RUN) shape += kind;
  }
  return shape;
}

const LETTER = /\p{L}/u;
const UPPERCASE = /\p{Uppercase}/u;
/** Digits in Python's sense: decimal ones, and those that stand high, low or in a circle. */
const DIGIT = new RegExp(
  String.raw`[\p{Nd}\u00b2\u00b3\u00b9\u1369-\u1371\u19da\u2070\u2074-\u2079\u2080-\u2089\u2460-\u2468\u2474-\u247c\u2488-\u2490` +
    String.raw`\u24ea\u24f5-\u24fd\u24ff\u2776-\u277e\u2780-\u2788\u278a-\u2792\u{10a40}-\u{10a43}\u{10e60}-\u{10e68}\u{11052}-\u{1105a}\u{1f100}-\u{1f10a}]`,
  'u',
);

function kindOf(character: string): string {
  if (LETTER.test(character)) return UPPERCASE.test(character) ? 'X' : 'x';
  return DIGIT.test(character) ? 'd' : character;
}
