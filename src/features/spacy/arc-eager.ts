import type { State } from './state.js';

/** Moves of spaCy's arc-eager system, by the numbers that its files give them. */
export const MOVES = ['shift', 'reduce', 'left', 'right', 'break'] as const;
export type Move = (typeof MOVES)[number];

/** A move, and the label of the arc that it makes. */
export interface Action {
  readonly move: Move;
  readonly label: string;
}

/**
 * Actions in the order of the model's outputs: by move, then by how often training saw the label, most often first, then
 * by label from the end of the alphabet.
 *
 * @param counts label counts by the number of the move, as the `moves` file has them.
 */
export function actionsOf(
  counts: Readonly<Record<string, Readonly<Record<string, number>>>>,
): readonly Action[] {
  return MOVES.flatMap((move, number) =>
    Object.entries(counts[number] ?? {})
      .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? 1 : a > b ? -1 : 0))
      .map(([label]) => ({ move, label })),
  );
}

/** Whether a move may be made, whatever its label. */
export function isValid(move: Move, state: State): boolean {
  const next = state.buffer(0);
  switch (move) {
    case 'shift':
      return (
        state.stackDepth() === 0 ||
        (state.bufferLength() >= 2 && !state.isSentenceStart(next) && !state.wasUnshifted(next))
      );
    case 'reduce':
      return state.stackDepth() > 0;
    case 'left':
    case 'right':
      return state.stackDepth() > 0 && state.bufferLength() > 0 && !state.isSentenceStart(next);
    case 'break':
      return (
        state.bufferLength() >= 2 && state.buffer(1) === next + 1 && !state.isSentenceStart(state.buffer(1))
      );
  }
}

export function apply({ move, label }: Action, state: State): void {
  const [top, next] = [state.stack(0), state.buffer(0)];
  switch (move) {
    case 'shift':
      state.push();
      break;
    case 'reduce':
      if (state.hasHead(top) || state.stackDepth() === 1) state.pop();
      else state.unshift();
      break;
    case 'left':
      state.attach(next, top, label);
      state.makeShiftable(next);
      state.pop();
      break;
    case 'right':
      state.attach(top, next, label);
      state.push();
      break;
    case 'break':
      state.startSentence(state.buffer(1));
      break;
  }
}

/** The tokens that the model looks at. */
export const CONTEXT_SIZE = 8;

/** Their indexes, -1 for those that are not there. */
export function contextOf(state: State): readonly number[] {
  const [next, top] = [state.buffer(0), state.stack(0)];
  return [
    next,
    state.buffer(1),
    top,
    state.stack(1),
    state.stack(2),
    state.leftChild(next, 1),
    state.leftChild(top, 1),
    state.rightChild(top, 1),
  ];
}
