import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** A Chromium of this machine: $CHROMIUM, or one on the path; null when there is none. */
export function chromiumPath(): string | null {
  const { CHROMIUM } = process.env;
  if (CHROMIUM !== undefined) return existsSync(CHROMIUM) ? CHROMIUM : null;
  for (const name of NAMES) {
    const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return null;
}

/** The path of a Chromium, or null with a line that says what is skipped. */
export function chromiumOrNote(what: string): string | null {
  const path = chromiumPath();
  if (path === null)
    console.warn(`skipped: ${what} (no ${NAMES.join(', ')} on the path, and $CHROMIUM names none)`);
  return path;
}

export function launch(executablePath: string): Promise<Browser> {
  // A container's root has no user namespace for the sandbox; the pages are our own files.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export interface View {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const VIEWS: readonly View[] = [
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 1280, height: 900, colorScheme: 'dark' },
];

export interface Opened {
  readonly page: Page;
  /** Everything that the console and the page complained about. */
  readonly complaints: readonly string[];
  /** Every request but the file itself. */
  readonly requests: readonly string[];
}

/** Opens a file as a double click does. */
export async function openFile(browser: Browser, file: string, view: View): Promise<Opened> {
  const { width, height, colorScheme } = view;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  const url = pathToFileURL(file).href;
  page.on('console', message => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('dialog', dialog => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', request => {
    if (request.url() !== url) requests.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, requests };
}
