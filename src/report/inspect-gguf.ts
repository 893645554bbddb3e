import { basename } from 'node:path';
import { slowFormatNote } from '../engine/cpu-formats.js';
import type { GgufHeader } from '../engine/gguf-header.js';
import { counted, type Fact, factLines, fileSize } from './facts.js';
import { percent, whole } from './format.js';
import { displayWidth, paint, printable, type Style, shorten, title, WIDTH, wrap } from './table.js';

/** What `inspect` says about a model file. */
export interface GgufFacts {
  readonly kind: 'gguf';
  readonly file: string;
  /** All files of a split model, in order. */
  readonly parts: readonly string[];
  readonly bytes: number;
  /** Over all parts, one after the other; null when it was not asked for. */
  readonly sha256: string | null;
  readonly ggufVersion: number;
  readonly name: string | null;
  readonly architecture: string;
  readonly parameters: number;
  readonly layers: number;
  readonly width: number;
  readonly vocabulary: number;
  readonly contextLength: number;
  /** The most parameters first. */
  readonly formats: readonly FormatShare[];
  /** Why it is slow on this CPU; null when it is not known to be. */
  readonly slow: string | null;
  readonly chatTemplate: string | null;
}

interface FormatShare {
  readonly type: string;
  readonly tensors: number;
  readonly parameters: number;
  readonly bytes: number;
}

export function ggufFacts(header: GgufHeader, sha256: string | null, arch: string): GgufFacts {
  const formats = new Map<string, FormatShare>();
  for (const { type, elements, bytes } of header.tensors) {
    const before = formats.get(type) ?? { type, tensors: 0, parameters: 0, bytes: 0 };
    formats.set(type, {
      type,
      tensors: before.tensors + 1,
      parameters: before.parameters + elements,
      bytes: before.bytes + bytes,
    });
  }
  return {
    kind: 'gguf',
    file: basename(header.path),
    parts: header.parts.map(part => basename(part)),
    bytes: header.bytes,
    sha256,
    ggufVersion: header.version,
    name: header.name,
    architecture: header.architecture,
    parameters: header.parameters,
    layers: header.nLayer,
    width: header.nEmbd,
    vocabulary: header.nVocab,
    contextLength: header.contextLength,
    formats: [...formats.values()].sort((a, b) => b.parameters - a.parameters),
    slow: slowFormatNote(header.dominantType, arch),
    chatTemplate: header.chatTemplate,
  };
}

const TEMPLATE_LINES = 6;

export function ggufText(facts: GgufFacts, style: Style): string {
  const lines: readonly Fact[] = [
    ['architecture', facts.architecture],
    ['parameters', whole(facts.parameters)],
    ['layers', whole(facts.layers)],
    ['width', whole(facts.width)],
    ['vocabulary', facts.vocabulary === 0 ? 'not stated' : `${whole(facts.vocabulary)} tokens`],
    ['trained context', `${whole(facts.contextLength)} tokens`],
    ['formats', facts.formats.length === 0 ? 'no tensors: a vocabulary only' : formatMix(facts)],
    [
      'file size',
      `${fileSize(facts.bytes)}${facts.parts.length > 1 ? ` in ${facts.parts.length} parts` : ''}`,
    ],
    ...(facts.parts.length > 1 ? [['parts', facts.parts.join('\n')] as const] : []),
    ...(facts.sha256 === null ? [] : [['SHA-256', facts.sha256] as const]),
    ['GGUF version', String(facts.ggufVersion)],
  ];
  const name = facts.name === null ? '' : `, ${printable(facts.name)}`;
  return [
    title(wrap(printable(facts.file) + name, WIDTH, ''), style),
    factLines(lines, style),
    ...(facts.slow === null ? [] : [paint(wrap(facts.slow), 'warn', style)]),
    '',
    templateText(facts.chatTemplate, style),
  ].join('\n');
}

/** A share that would round to nothing is said to be below a tenth of a percent. */
function sharePercent(value: number): string {
  return value < 0.0005 ? '<0.1 %' : percent(value);
}

/** `Q4_1 78.9 % of the parameters, 210 tensors, 66.4 MB`, one format a line. */
function formatMix({ formats, parameters }: GgufFacts): string {
  return formats
    .map(({ type, tensors, parameters: held, bytes }) => {
      return `${type} ${sharePercent(held / parameters)} of the parameters, ${counted(tensors, 'tensor')}, ${fileSize(bytes)}`;
    })
    .join('\n');
}

function templateText(template: string | null, style: Style): string {
  if (template === null) {
    return wrap('No chat template: profiles with "chat": "model" cannot be used with this file.');
  }
  const lines = template.split('\n');
  const shown = lines.slice(0, TEMPLATE_LINES).map(line => `  │ ${shorten(printable(line), WIDTH - 4)}`);
  const complete =
    lines.length <= TEMPLATE_LINES && lines.every(line => displayWidth(printable(line)) <= WIDTH - 4);
  const rest = complete ? '' : `, its beginning (${whole(template.length)} characters; --json has all of it)`;
  return [title(`Chat template${rest}`, style), ...shown].join('\n');
}
