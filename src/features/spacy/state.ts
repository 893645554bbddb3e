/** An unfinished parse: a stack, a buffer, and the arcs so far. All tokens are named by their index. */
export interface State {
  readonly stackDepth: () => number;
  readonly bufferLength: () => number;
  /** The i-th token from the top of the stack, or -1. */
  readonly stack: (i: number) => number;
  /** The i-th token of the buffer, or -1. */
  readonly buffer: (i: number) => number;
  readonly isFinal: () => boolean;
  readonly hasHead: (token: number) => boolean;
  /** The n-th (from 1) last attached dependent to the left or right of a token, or -1. */
  readonly leftChild: (token: number, n: number) => number;
  readonly rightChild: (token: number, n: number) => number;
  readonly isSentenceStart: (token: number) => boolean;
  readonly wasUnshifted: (token: number) => boolean;
  readonly push: () => void;
  readonly pop: () => void;
  /** Puts the top of the stack back onto the buffer, from where it cannot be shifted again. */
  readonly unshift: () => void;
  readonly makeShiftable: (token: number) => void;
  readonly attach: (head: number, child: number, label: string) => void;
  readonly startSentence: (token: number) => void;
  /** Gives up: nothing is left to do. */
  readonly finish: () => void;
  /** The head of each token, itself where it has none, and the label of its arc (null: none). */
  readonly heads: () => readonly number[];
  readonly labels: () => readonly (string | null)[];
}

export function createState(length: number): State {
  const stack: number[] = [];
  /** Tokens that were put back, the next one last; behind them comes `next`. */
  const returned: number[] = [];
  let next = 0;
  const headOf = new Array<number>(length).fill(-1);
  const labelOf = new Array<string | null>(length).fill(null);
  const leftChildren = new Map<number, number[]>();
  const rightChildren = new Map<number, number[]>();
  const unshifted = new Set<number>();
  const starts = new Set<number>();

  const bufferLength = (): number => length - next + returned.length;
  const buffer = (i: number): number => {
    if (i < returned.length) return returned[returned.length - 1 - i] ?? -1;
    const token = next + i - returned.length;
    return token < length ? token : -1;
  };
  const nth = (children: ReadonlyMap<number, readonly number[]>, token: number, n: number): number =>
    children.get(token)?.at(-n) ?? -1;
  const sideOf = (head: number, child: number): Map<number, number[]> =>
    head > child ? leftChildren : rightChildren;

  return {
    stackDepth: () => stack.length,
    bufferLength,
    stack: i => stack[stack.length - 1 - i] ?? -1,
    buffer,
    isFinal: () => stack.length === 0 && bufferLength() === 0,
    hasHead: token => (headOf[token] ?? -1) >= 0,
    leftChild: (token, n) => nth(leftChildren, token, n),
    rightChild: (token, n) => nth(rightChildren, token, n),
    isSentenceStart: token => starts.has(token),
    wasUnshifted: token => unshifted.has(token),
    push: () => {
      stack.push(returned.pop() ?? next++);
    },
    pop: () => {
      stack.pop();
    },
    unshift: () => {
      const token = stack.pop();
      if (token === undefined) return;
      unshifted.add(token);
      returned.push(token);
    },
    makeShiftable: token => {
      unshifted.delete(token);
    },
    attach: (head, child, label) => {
      const before = headOf[child] ?? -1;
      if (before >= 0) {
        const siblings = sideOf(before, child).get(before) ?? [];
        siblings.splice(siblings.lastIndexOf(child), 1);
      }
      const side = sideOf(head, child);
      const children = side.get(head);
      if (children === undefined) side.set(head, [child]);
      else children.push(child);
      headOf[child] = head;
      labelOf[child] = label;
    },
    startSentence: token => {
      starts.add(token);
    },
    finish: () => {
      stack.length = 0;
      returned.length = 0;
      next = length;
    },
    heads: () => headOf.map((head, token) => (head < 0 ? token : head)),
    labels: () => labelOf,
  };
}
