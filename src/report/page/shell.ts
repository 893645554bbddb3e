import { createHash } from 'node:crypto';
import { printable } from '../table.js';
import type { Section } from './data.js';
import { escapeHtml, type Html } from './html.js';
import { PAGE_CSS } from './style.js';

/** A whole HTML file: one style, at most one script, nothing from elsewhere, and a policy that allows nothing else. */
export function document(of: {
  readonly title: string;
  readonly before: Html;
  readonly explorer: Section | null;
  readonly after: Html;
}): string {
  const { before, explorer, after } = of;
  const style = `${PAGE_CSS}${explorer?.css ?? ''}`;
  const script = explorer?.script ?? '';
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${script === '' ? "'none'" : hashOf(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(printable(of.title))}</title>
<style>${style}</style>
</head>
<body>
<main class="page">
${before}
${explorer?.html ?? ''}
${after}
</main>
${script === '' ? '' : `<script>${script}</script>\n`}</body>
</html>
`;
}

/** As a policy names an inline block; the bytes between its tags, line ends as they are. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
