import type { SampleDetail } from './client-detail.js';
import type { PageText } from './client-text.js';
import type { PageElement } from './dom.js';
import type { ExplorerCondition, ExplorerData, ExplorerSample } from './types.js';

/**
 * The explorer at work: filters, list and the opened sample. It goes into the page as its own source, as
 * `makePageText` does.
 */
export function startExplorer(
  { runs, samples, texts }: ExplorerData,
  { element, byId, shown, isolated, plain }: PageText,
  detail: SampleDetail,
): void {
  const ALTERING: readonly string[] = ['delete', 'swap', 'negate'];
  /** Rows that are added to the list at once. */
  const PAGE = 100;

  const field = (name: string): PageElement => byId(`ex-${name}`);
  const list = byId('ex-list');
  const more = byId('ex-more');
  const panel = byId('ex-detail');
  const FIELDS = ['run', 'domain', 'condition', 'reader', 'flip', 'label', 'sort', 'search'];
  const CHECKS = ['fragile', 'null'];
  const DEFAULTS: Readonly<Record<string, string>> = { reader: field('reader').value, sort: 'id' };

  const option = (name: string, value: string, text: string): void => {
    const made = element('option', '', text);
    made.value = value;
    field(name).append(made);
  };
  runs.forEach((run, i) => {
    option('run', String(i), `${plain(run.name)}: ${plain(run.subject)}, ${plain(run.profile)}`);
  });
  for (const domain of [...new Set(samples.map(sample => sample.domain))].sort()) {
    option('domain', domain, plain(domain));
  }

  /** The conditions that the filters and the order are about. */
  const chosen = (sample: ExplorerSample): readonly ExplorerCondition[] => {
    const wanted = field('condition').value;
    return sample.conditions.filter(({ name }) =>
      wanted === '' ? ALTERING.includes(name) : name === wanted,
    );
  };
  const readText = (): boolean => field('reader').value === 'text';
  const flipOf = (condition: ExplorerCondition): number | undefined =>
    readText() ? condition.flipText : condition.flipLogit;
  const verdictOf = (condition: ExplorerCondition): number | undefined =>
    readText() ? condition.text : condition.logit;
  const isNull = (condition: ExplorerCondition): boolean =>
    (condition.state === 'evaluated' || condition.state === 'error') && verdictOf(condition) === undefined;

  const searched = new Map<ExplorerSample, string>();
  const haystack = (sample: ExplorerSample): string => {
    const known = searched.get(sample);
    if (known !== undefined) return known;
    const indices = sample.conditions.flatMap(({ changes = [], generated }) => [
      ...changes.map(([, index]) => index),
      ...(generated === undefined ? [] : [generated]),
    ]);
    if (sample.scenario !== undefined) indices.push(sample.scenario);
    const parts = [...new Set(indices)].map(index => texts[index] ?? '');
    const text = [sample.id, sample.domain, sample.rule, ...parts].join('\n').toLowerCase();
    searched.set(sample, text);
    return text;
  };

  const passes = (sample: ExplorerSample): boolean => {
    const value = (name: string): string => field(name).value;
    if (value('run') !== '' && sample.run !== Number(value('run'))) return false;
    if (value('domain') !== '' && sample.domain !== value('domain')) return false;
    if (value('label') !== '' && sample.label !== Number(value('label'))) return false;
    const conditions = chosen(sample);
    if (field('fragile').checked && !conditions.some(({ fragile }) => fragile === true)) return false;
    if (field('null').checked) {
      const all = value('condition') === '' ? sample.conditions : conditions;
      if (!all.some(isNull)) return false;
    }
    const flips = conditions.map(flipOf).filter(flip => flip !== undefined);
    const flip = flips.length === 0 ? 'unknown' : flips.includes(1) ? 'flips' : 'unchanged';
    if (value('flip') !== '' && value('flip') !== flip) return false;
    const words = value('search').trim().toLowerCase();
    return words === '' || haystack(sample).includes(words);
  };

  /** What the list is ordered by: the value that is furthest from 0 among the chosen conditions. */
  const orderValue = (sample: ExplorerSample): number | undefined => {
    const by = field('sort').value;
    if (by === 'id') return undefined;
    const values = chosen(sample)
      .map(({ shift, icsDelta }) => (by === 'shift' ? shift : icsDelta))
      .filter(value => value !== undefined);
    return values.sort((a, b) => Math.abs(b) - Math.abs(a))[0];
  };

  let found: readonly ExplorerSample[] = [];
  let rows: PageElement[] = [];
  let opened: PageElement | null = null;

  const rowText = (sample: ExplorerSample): readonly (PageElement | string | null)[] => {
    const flipped = chosen(sample).filter(condition => flipOf(condition) === 1);
    const value = orderValue(sample);
    const run = runs[sample.run];
    const mark = (text: string): PageElement => element('span', 'ex-chip', text);
    return [
      isolated('ex-id', ...shown(sample.id)),
      element(
        'span',
        'ex-small',
        isolated('', ...shown(sample.domain)),
        ` · ${sample.label === 1 ? 'compliant' : 'non-compliant'}`,
        ...(runs.length > 1 ? [' · ', isolated('', ...shown(run?.name ?? ''))] : []),
        value === undefined
          ? null
          : ` · ${field('sort').value === 'shift' ? 'margin shift' : 'ICS-delta'} ${value.toFixed(3).replace('-', '−')}`,
      ),
      element(
        'span',
        'ex-chips',
        ...flipped.map(({ name, fragile }) => mark(`${name} flips${fragile ? ', fragile' : ''}`)),
        sample.conditions.some(isNull) ? mark('no verdict') : null,
      ),
    ];
  };

  const open = (sample: ExplorerSample, row: PageElement): void => {
    opened?.removeAttribute('aria-current');
    opened = row;
    row.setAttribute('aria-current', 'true');
    const heading = element('h3', '', 'Sample ', isolated('', ...shown(sample.id)));
    heading.id = 'ex-heading';
    heading.tabIndex = -1;
    const back = element('button', 'ex-back', 'Back to the list');
    back.setAttribute('type', 'button');
    back.addEventListener('click', close);
    panel.replaceChildren(heading, back, ...detail.of(sample));
    panel.hidden = false;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView({ block: 'start' });
  };
  const close = (): void => {
    panel.hidden = true;
    panel.replaceChildren();
    opened?.removeAttribute('aria-current');
    opened?.focus();
    opened = null;
  };

  /** One stop of the tab key for the whole list; the arrow keys go through it. */
  const moveTo = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (row === undefined) return;
    for (const other of rows) other.tabIndex = other === row ? 0 : -1;
    row.focus();
  };
  const addRows = (): void => {
    for (const sample of found.slice(rows.length, rows.length + PAGE)) {
      const index = rows.length;
      const row = element('button', 'ex-row', ...rowText(sample));
      row.setAttribute('type', 'button');
      row.tabIndex = index === 0 ? 0 : -1;
      row.addEventListener('click', () => {
        for (const other of rows) other.tabIndex = other === row ? 0 : -1;
        open(sample, row);
      });
      row.addEventListener('keydown', event => {
        const steps: Readonly<Record<string, number>> = {
          ArrowDown: index + 1,
          ArrowUp: index - 1,
          Home: 0,
          End: rows.length - 1,
        };
        const to = steps[event.key];
        if (to === undefined) return;
        event.preventDefault();
        moveTo(to);
      });
      rows.push(row);
      list.append(element('li', '', row));
    }
    more.hidden = rows.length >= found.length;
    more.textContent = `Show ${Math.min(PAGE, found.length - rows.length)} more`;
  };

  const update = (): void => {
    const sizes = new Map(samples.map(sample => [sample, Math.abs(orderValue(sample) ?? Number.NaN)]));
    const size = (sample: ExplorerSample): number => {
      const value = sizes.get(sample) ?? Number.NaN;
      return Number.isNaN(value) ? -1 : value;
    };
    // Samples without a value come last; the sort keeps the order of those that are equal.
    found = samples.filter(passes).sort((a, b) => size(b) - size(a));
    rows = [];
    opened = null;
    panel.hidden = true;
    panel.replaceChildren();
    list.replaceChildren();
    addRows();
    byId('ex-count').textContent = `${found.length} of ${samples.length} samples`;
  };

  more.addEventListener('click', () => {
    const next = rows.length;
    addRows();
    moveTo(next);
  });
  byId('ex-samples').addEventListener('keydown', event => {
    if (event.key === 'Escape' && !panel.hidden) close();
  });
  byId('ex-filters').addEventListener('submit', event => event.preventDefault());
  byId('ex-reset').addEventListener('click', () => {
    for (const name of FIELDS) field(name).value = DEFAULTS[name] ?? '';
    for (const name of CHECKS) field(name).checked = false;
    update();
  });
  for (const name of [...FIELDS, ...CHECKS]) {
    field(name).addEventListener(name === 'search' ? 'input' : 'change', update);
  }
  update();
}
