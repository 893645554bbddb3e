import type { EncoderAudit, GateAudit } from '../gate/audit.js';
import { effective } from '../gate/gates.js';
import { PRESETS } from '../gate/presets.js';
import { type Cell, TASKS, type Task } from '../gate/types.js';

const REVERSAL = '#b3261e';
const PARAPHRASE = '#1b6e3c';
const CELLS: readonly (readonly [Cell, string, string])[] = [
  ['A', 'reversals, close', REVERSAL],
  ['C', 'paraphrases, close', PARAPHRASE],
  ['B', 'reversals, distant', REVERSAL],
  ['D', 'paraphrases, distant', PARAPHRASE],
];
const LEFT = 170;
const PLOT = 760;
/** At the right, for names that lean out. */
const WIDTH = LEFT + PLOT + 120;
const ROW = 26;
const HEAD = 30;
/** Room for the names of the constants, which stand upright. */
const NAMES = 250;
/** Where names would lie on each other they lean out by lines of this height. */
const LEAN = 22;
const NAME_DISTANCE = 14;
/** Room for the axis. */
const FOOT = 40;
const LOWEST = -0.2;

/** One panel: an encoder on a task. */
interface Panel {
  readonly title: string;
  readonly scores: Readonly<Record<Cell, readonly number[]>>;
}

/**
 * One picture of an audit as SVG: for each encoder and task the scores of the four cells, a dot each, and through all of
 * them the cosines that shipped gates ask for. Whatever lies right of a line is taken as the same by those gates.
 */
export function gateFigure(audit: GateAudit): string {
  const panels = TASKS.flatMap(task =>
    [...audit.encoders, { ...audit.floor, encoder: 'floor (token Jaccard)' }].flatMap(of =>
      panelOf(of, task),
    ),
  );
  const lines = withNamesApart(shippedLines(audit));
  const panelHeight = HEAD + CELLS.length * ROW + 16;
  const height = NAMES + panels.length * panelHeight + FOOT + 6;
  const body = [
    `<text x="16" y="24" font-size="14" font-weight="bold">Whatever lies right of a line is taken as the same by that gate</text>`,
    `<text x="16" y="42" font-size="11">scores on ${xmlText(audit.corpus.name)}: <tspan fill="${REVERSAL}">reversals</tspan> should lie left, <tspan fill="${PARAPHRASE}">paraphrases</tspan> right</text>`,
    ...lines.map(({ cosine, names, own, nameAt }) => {
      const x = xOf(cosine);
      const colour = own ? '#0b57d0' : '#707070';
      return (
        `<line x1="${x}" y1="${NAMES}" x2="${x}" y2="${height - FOOT}" stroke="${colour}" stroke-width="${own ? 2 : 0.8}"/>` +
        `<path d="M${x} ${NAMES}L${nameAt} ${NAMES - LEAN}" stroke="${colour}" stroke-width="0.8"/>` +
        `<text transform="translate(${nameAt + 2} ${NAMES - LEAN - 3}) rotate(-60)" font-size="10" fill="${colour}">${xmlText(names)}</text>`
      );
    }),
    ...panels.map((panel, i) => panelSvg(panel, NAMES + i * panelHeight)),
    ...[0, 0.2, 0.4, 0.6, 0.8, 1].map(
      value =>
        `<text x="${xOf(value)}" y="${height - FOOT + 16}" font-size="11" text-anchor="middle">${value.toFixed(1)}</text>`,
    ),
    `<text x="${xOf(0.5)}" y="${height - 8}" font-size="11" text-anchor="middle">score</text>`,
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="sans-serif">
<title>${xmlText(`Scores of reversals and paraphrases on ${audit.corpus.name}, and what shipped gates ask for`)}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${body.join('\n')}
</svg>
`;
}

function panelOf({ encoder, tasks }: EncoderAudit, task: Task): readonly Panel[] {
  const measured = tasks[task];
  return measured === undefined ? [] : [{ title: `${encoder}, ${task}`, scores: measured.scores }];
}

function panelSvg({ title, scores }: Panel, top: number): string {
  const rows = CELLS.map(([cell, name, colour], i) => {
    const middle = top + HEAD + i * ROW + ROW / 2;
    const dots = scores[cell].map((score, at) => {
      // Neighbours in rank stand at different heights, so that equal scores stay visible.
      const y = middle + ((at % 5) - 2) * 3.5;
      return `<circle cx="${xOf(score)}" cy="${y}" r="3.2" fill="${colour}" fill-opacity="0.6"/>`;
    });
    return `<text x="${LEFT - 10}" y="${middle + 4}" font-size="11" text-anchor="end">${name}</text>${dots.join('')}`;
  });
  return `<g><text x="${LEFT}" y="${top + 18}" font-size="13" font-weight="bold" stroke="#ffffff" stroke-width="4" paint-order="stroke">${xmlText(title)}</text>${rows.join('\n')}</g>`;
}

interface Line {
  readonly cosine: number;
  readonly names: string;
  readonly own: boolean;
}

/** Gates with the same boundary share a line; the user's own gate has its own. */
function shippedLines(audit: GateAudit): readonly Line[] {
  const byCosine = new Map<number, string[]>();
  for (const { name, gate } of PRESETS) {
    if (gate === null) continue;
    const { cosine } = effective(gate);
    byCosine.set(cosine, [...(byCosine.get(cosine) ?? []), name]);
  }
  const shipped = [...byCosine].map(([cosine, [first, ...others]]) => ({
    cosine,
    names: `${cosine.toFixed(2)} ${first}${others.length === 0 ? '' : ` and ${others.length} more`}`,
    own: false,
  }));
  if (audit.gate === null) return shipped;
  const { name, effective: bound } = audit.gate;
  const own = { cosine: bound.cosine, names: `${bound.cosine.toFixed(2)} ${name}`, own: true };
  return [...shipped.filter(({ cosine }) => cosine !== bound.cosine), own];
}

/** Gives each name a place above its line, or right of it where the name before stands there. */
function withNamesApart(lines: readonly Line[]): readonly (Line & { readonly nameAt: number })[] {
  let free = Number.NEGATIVE_INFINITY;
  return [...lines]
    .sort((a, b) => a.cosine - b.cosine)
    .map(line => {
      const nameAt = Math.max(free, xOf(line.cosine));
      free = nameAt + NAME_DISTANCE;
      return { ...line, nameAt };
    });
}

function xOf(score: number): number {
  const clamped = Math.max(LOWEST, Math.min(1, score));
  return Math.round((LEFT + ((clamped - LOWEST) / (1 - LOWEST)) * PLOT) * 10) / 10;
}

/** Text from a file name or a corpus: markup and invisible characters become harmless. */
function xmlText(text: string): string {
  return text.replace(/[&<>"\p{C}]/gu, character =>
    /\p{C}/u.test(character) ? '·' : `&#${character.codePointAt(0)};`,
  );
}
