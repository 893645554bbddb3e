import { fileSize } from '../facts.js';
import { whole } from '../format.js';
import { REASONS } from '../inspect-sample.js';
import { type Html, html, jsonBlock } from '../page/html.js';
import { startExplorer } from './client.js';
import { makeSampleDetail } from './client-detail.js';
import { makePageText } from './client-text.js';
import { EXPLORER_CSS } from './css.js';
import type { ExplorerCoverage, ExplorerData } from './types.js';

/** A part of the page: its markup with its data, and what goes into the page's one style and one script. */
export interface PageSection {
  readonly html: string;
  readonly css: string;
  readonly script: string;
}

const DATA_ID = 'ex-data';

/** The explorer of single samples. Texts of a corpus stand in its data alone; the script shows them as text nodes. */
export function explorerSection(data: ExplorerData): PageSection {
  return { html: markup(data).toString(), css: EXPLORER_CSS, script: SCRIPT };
}

/** Each function stands in the script as it is: it uses its arguments alone. */
const SCRIPT = `(() => {
const data = JSON.parse(document.getElementById('${DATA_ID}').textContent);
const text = (${makePageText})(document);
const detail = (${makeSampleDetail})(data, ${JSON.stringify(REASONS)}, text);
(${startExplorer})(data, text, detail);
})();`;

function markup(data: ExplorerData): Html {
  const fragile = data.runs.some(({ band }) => band !== undefined);
  const ics = data.samples.some(({ conditions }) =>
    conditions.some(({ icsDelta }) => icsDelta !== undefined),
  );
  return html`<section id="ex-samples" class="ex" aria-labelledby="ex-title">
<h2 id="ex-title">Single samples</h2>
${coverageText(data.coverage).map(line => html`<p>${line}</p>`)}
${runNotes(data).map(line => html`<p class="ex-small">${line}</p>`)}
<p class="ex-small">In a prompt, <del>struck through</del> is what the baseline shows and this prompt does not, <ins>underlined</ins> is what it shows instead. Characters that cannot be seen stand there by name.</p>
<noscript><p class="ex-warn">The list needs JavaScript, which is switched off here. Nothing is loaded from elsewhere.</p></noscript>
<form id="ex-filters" class="ex-filters" aria-label="Filters of the samples">
${select('run', 'Run', [['', 'all runs']])}
${select('domain', 'Domain', [['', 'all domains']])}
${select('condition', 'Condition', [
  ['', 'any change'],
  ...['delete', 'swap', 'negate', 'placebo'].map(name => [name, name] as const),
])}
${select(
  'reader',
  'Verdict reader',
  [
    ['text', 'text'],
    ['logit', 'logit'],
  ],
  data.reader,
)}
${select('flip', 'Verdict against baseline', [
  ['', 'any'],
  ['flips', 'flips'],
  ['unchanged', 'unchanged'],
  ['unknown', 'cannot be told'],
])}
${select('label', 'Label', [
  ['', 'any'],
  ['1', 'compliant'],
  ['0', 'non-compliant'],
])}
${select('sort', 'Order', [
  ['id', 'run and id'],
  ['shift', 'largest margin shift'],
  ...(ics ? [['ics', 'largest ICS-delta'] as const] : []),
])}
<label for="ex-search">Search<input id="ex-search" type="search" autocomplete="off" spellcheck="false" placeholder="id, rule, scenario, answer"></label>
<div class="ex-checks">
<label><input id="ex-fragile" type="checkbox"${fragile ? '' : html` disabled`}>fragile${fragile ? '' : ' (nothing is, in these runs)'}</label>
<label><input id="ex-null" type="checkbox">without a verdict</label>
<button id="ex-reset" type="button">Clear</button>
</div>
</form>
<p id="ex-count" class="ex-count" role="status" aria-live="polite"></p>
<div class="ex-columns">
<div class="ex-browse">
<ol id="ex-list" class="ex-list" aria-label="Samples; the arrow keys go through the list"></ol>
<button id="ex-more" type="button" hidden></button>
</div>
<section id="ex-detail" class="ex-detail" aria-labelledby="ex-heading" hidden></section>
</div>
${jsonBlock(DATA_ID, data)}
</section>`;
}

function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  selected = options[0]?.[0],
): Html {
  return html`<label for="ex-${name}">${label}<select id="ex-${name}" autocomplete="off">${options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === selected ? html` selected` : ''}>${text}</option>`,
  )}</select></label>`;
}

/** How many samples are here, and which. */
function coverageText({
  maxSamples,
  maxBytes,
  reached,
  flipping,
  others,
  seed,
}: ExplorerCoverage): readonly string[] {
  const [shown, all] = [flipping.shown + others.shown, flipping.all + others.all];
  const same = 'The numbers come from readings.arrows; "plumbline inspect RUN --sample ID" prints the same.';
  if (reached === null) return [`All ${whole(all)} samples with a row are here. ${same}`];
  const bound = `${whole(maxSamples)} samples or ${fileSize(maxBytes)} of data`;
  return [
    `${whole(shown)} of ${whole(all)} samples are here: the page embeds ${bound} at most, and ` +
      `${reached === 'samples' ? 'the first' : 'the second'} was reached. ` +
      `${whole(flipping.shown)} of the ${whole(flipping.all)} whose verdict flips in one of the runs come first, ` +
      `then ${whole(others.shown)} of the ${whole(others.all)} others, each drawn at random with seed ${seed}. ` +
      'So shares of this list are no rates: those are in the tables.',
    `The others are in the run: "plumbline inspect RUN --sample ID" shows them. ${same}`,
  ];
}

/** What the list does not have of single runs. */
function runNotes({ runs }: ExplorerData): readonly string[] {
  return runs
    .filter(({ steeredRows }) => steeredRows > 0)
    .map(
      ({ name, steeredRows }) => `${name}: ${whole(steeredRows)} rows were steered and are not shown here.`,
    );
}
