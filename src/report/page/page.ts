import { sha256Of } from '../../sha256.js';
import type { Figure } from '../figures/types.js';
import { whole } from '../format.js';
import { acrossSection } from './across-section.js';
import { chanceSection, groupSection, rowsSection } from './count-sections.js';
import type { AuditData, Origin, ReportData, SweepData } from './data.js';
import { featuresSection } from './features-section.js';
import { type Html, html } from './html.js';
import { lead, sideBySide } from './lead.js';
import { joined, NOTHING, type Part, type Place, words } from './part.js';
import { document } from './shell.js';
import { icsSection, marginSection } from './stream-sections.js';
import { sweepPart } from './sweep-section.js';
import { accuracySection, ocsSection, taskSection } from './verdict-sections.js';

/** The page, whole, and the figures in it. Equal data give equal bytes. */
export function reportPage(data: ReportData): { readonly html: string; readonly figures: readonly Figure[] } {
  const { audits, sweeps, explorer } = data;
  const several = audits.length + sweeps.length > 1;
  const prefix = (name: string, index: number): string => (several ? `${index + 1}-${slug(name)}-` : '');
  const places = audits.map((audit, i): Place => ({ audit, prefix: prefix(audit.name, i) }));
  const steered = sweeps.map((sweep, i) => ({ sweep, prefix: prefix(sweep.name, audits.length + i) }));

  const first = firstScreen(places, sweeps);
  const parts = [
    ...places.map(place => auditPart(place, places.length > 1)),
    ...steered.map(({ sweep, prefix }) => sweepRun(sweep, prefix, audits.length > 0 || sweeps.length > 1)),
  ];
  const across = data.across === null ? NOTHING : acrossSection(data.across);
  const body = joined([first.part, words(html`${contents(places, steered)}`), across, ...parts]);
  const page = document({
    title: first.title,
    before: html`<p class="brand">plumbline report</p><h1>${first.title}</h1>${body.html}`,
    explorer,
    after: html`${LIMITS}${origins(data)}`,
  });
  return { html: page, figures: body.figures };
}

function firstScreen(places: readonly Place[], sweeps: readonly SweepData[]): { title: string; part: Part } {
  const [only] = places;
  if (only === undefined) {
    const subjects = [...new Set(sweeps.map(({ summary }) => summary.about.subject))];
    return { title: `What steering does to ${subjects.join(', ')}`, part: joined([]) };
  }
  if (places.length > 1) return sideBySide(places);
  const { about } = only.audit.summary;
  const title = only.audit.origin.ruleBlind
    ? 'What the wording of the scenarios gives away'
    : `Does ${about.subject} read its rule?`;
  return { title, part: joined([words(aboutLine(only.audit)), lead(only)]) };
}

function aboutLine({ summary }: AuditData): Html {
  const { about, samples, domains, profiles } = summary;
  const counted = `${whole(samples)} samples in ${whole(domains.length)} ${domains.length === 1 ? 'domain' : 'domains'}`;
  return html`<p class="about">${about.subject} on ${about.corpus}: ${counted}, prompt ${profiles.join(', ')}</p>`;
}

/** All of one audit; among several, under a heading that folds, with its own answer first. */
function auditPart(place: Place, several: boolean): Part {
  const { audit, prefix } = place;
  const verdicts = audit.summary.icsOnly
    ? []
    : [taskSection(place), ocsSection(place), accuracySection(place), marginSection(place)];
  const after = audit.summary.icsOnly
    ? []
    : [chanceSection(place), groupSection(place), featuresSection(place)];
  const sections = [...verdicts, icsSection(place), ...after, rowsSection(place)];
  if (!several) return joined(sections);
  const inside = joined([words(aboutLine(audit)), lead(place), ...sections]);
  return { ...inside, html: folded(`${prefix}run`, audit.name, inside.html) };
}

function sweepRun(sweep: SweepData, prefix: string, several: boolean): Part {
  const part = sweepPart(sweep, prefix);
  const { about, samples } = sweep.summary;
  const line = html`<p class="about">${about.subject} on ${about.corpus}: ${whole(samples)} samples, prompt ${sweep.summary.profile}</p>`;
  const inside = html`${line}${part.html}`;
  return { ...part, html: several ? folded(`${prefix}run`, `${sweep.name}: steering`, inside) : inside };
}

function folded(id: string, title: string, inside: Html): Html {
  return html`<details class="run" id="${id}" open><summary><h2>${title}</h2></summary>${inside}</details>`;
}

function contents(
  places: readonly Place[],
  steered: readonly { readonly sweep: SweepData; readonly prefix: string }[],
): Html | null {
  const links = [
    ...places.map(({ audit, prefix }) => [`${prefix}run`, audit.name] as const),
    ...steered.map(({ sweep, prefix }) => [`${prefix}run`, `${sweep.name} (steering)`] as const),
  ];
  if (links.length < 2) return null;
  const items = links.map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`);
  return html`<nav aria-label="Runs"><ul>${items}<li><a href="#limits">what the numbers do not say</a></li></ul></nav>`;
}

const LIMITS = html`<section id="limits"><h2>What these numbers do not say</h2>
<ul>
<li>Whether a verdict is legally right. They say what a verdict depends on.</li>
<li>Whether the rule is represented somewhere inside the model. A verdict can ignore what the model has computed, and a small shift along one direction does not mean that the rule is nowhere.</li>
<li>That a judge with few changes is right, or one with many wrong. A judge that always answers the same has no changes.</li>
<li>Anything about groups of samples that were selected by the verdicts themselves: samples that need the rule, LOW and HIGH.</li>
<li>That another machine, build, backend or batch plan gives the same bits. Exact holds within one run.</li>
<li>Anything about prompts, domains, samples or conditions that were not run.</li>
</ul></section>`;

/** What the runs were made of, so that they can be made again. */
function origins({ audits, sweeps, reader }: ReportData): Html {
  const all = [...audits, ...sweeps];
  const entries = all.map(
    ({ name, origin }) =>
      html`<h3>${name}</h3><dl>${facts(origin).map(([term, value]) => html`<dt>${term}</dt><dd>${value}</dd>`)}</dl>`,
  );
  return html`<section id="origins"><h2>Where the numbers come from</h2>
<p>Under each figure and table stand the command that prints its numbers and the rows that they are made of. Made by <code>npx plumbline report ${all.map(({ name }) => name).join(' ')} --reader ${reader}</code>.</p>${entries}</section>`;
}

function facts(origin: Origin): readonly (readonly [string, string])[] {
  const { model, corpus, profile, direction } = origin;
  const [file] = corpus;
  return [
    ['model', model === null ? 'none' : `${model.name}, SHA-256 ${model.sha256}`],
    [
      'corpus',
      corpus.length === 1 && file !== undefined
        ? `${file.name}, SHA-256 ${file.sha256}`
        : `${whole(corpus.length)} files, SHA-256 of their hashes ${sha256Of(corpus.map(({ sha256 }) => sha256).join('\n'))}`,
    ],
    ['prompt', `${profile.name}, SHA-256 ${profile.sha256}`],
    ...(direction === null
      ? []
      : [
          [
            'direction',
            `${direction.name} at block ${direction.layer}, SHA-256 ${direction.sha256}`,
          ] as const,
        ]),
    ['seed', String(origin.seed)],
    ['plan', origin.planHash],
    ['plumbline', origin.version],
  ];
}

function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
