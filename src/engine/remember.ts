import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { sha256Of } from '../sha256.js';
import type { Split } from './split.js';

/** What a measured division of the cores holds for. */
export interface SplitKey {
  readonly modelSha256: string;
  readonly release: string;
  readonly cpu: string;
  readonly cores: number;
  readonly recipe: string;
}

const COUNT = z.number().int().positive();
const ENTRY = z.object({ model: z.string(), workers: COUNT, threads: COUNT, rate: z.number().positive() });
const FILE = z.record(z.string(), ENTRY);
type Entries = Readonly<Record<string, z.infer<typeof ENTRY>>>;

/** The file of remembered divisions in the user's cache folder; PLUMBLINE_CACHE names another folder. */
export function splitFile(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): string {
  const own = env.PLUMBLINE_CACHE;
  if (own !== undefined && own !== '') return join(own, 'splits.json');
  const xdg = env.XDG_CACHE_HOME;
  let base = join(homedir(), '.cache');
  // A relative XDG folder is invalid by its specification and is to be ignored.
  if (xdg !== undefined && isAbsolute(xdg)) base = xdg;
  else if (platform === 'win32') base = env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local');
  else if (platform === 'darwin') base = join(homedir(), 'Library', 'Caches');
  return join(base, 'plumbline', 'splits.json');
}

/** The division remembered for `key`, when it is one of `candidates`; null else. Never throws. */
export async function recallSplit(
  file: string,
  key: SplitKey,
  candidates: readonly { readonly workers: number; readonly threads: number }[],
  onNote: (text: string) => void,
): Promise<Split | null> {
  const found = (await readEntries(file, onNote))[nameOf(key)];
  if (found === undefined) return null;
  const { workers, threads, rate } = found;
  const plausible = candidates.some(split => split.workers === workers && split.threads === threads);
  return plausible ? { workers, threads, rate, remembered: true } : null;
}

/**
 * Keeps a measured division, instead of all that was known of the model when `anew`. A folder that cannot be written is
 * a note. Of two that write at once the last one stays: what is lost is measured again.
 */
export async function rememberSplit(
  file: string,
  key: SplitKey,
  { workers, threads, rate }: Split,
  anew: boolean,
  onNote: (text: string) => void,
): Promise<void> {
  if (rate === null || !Number.isFinite(rate) || rate <= 0) return;
  const known = Object.entries(await readEntries(file, () => {}));
  const kept = anew ? known.filter(([, entry]) => entry.model !== key.modelSha256) : known;
  const entries: Entries = {
    ...Object.fromEntries(kept),
    [nameOf(key)]: { model: key.modelSha256, workers, threads, rate },
  };
  const scratch = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(scratch, `${JSON.stringify(entries, null, 2)}\n`);
    await rename(scratch, file);
  } catch (error) {
    await rm(scratch, { force: true }).catch(() => {});
    onNote(`the division of cores is not remembered: ${(error as Error).message}`);
  }
}

function nameOf({ modelSha256, release, cpu, cores, recipe }: SplitKey): string {
  return sha256Of(JSON.stringify([modelSha256, release, cpu, cores, recipe]));
}

async function readEntries(file: string, onNote: (text: string) => void): Promise<Entries> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    // Absent at first; one that cannot be read is as good as absent.
    return {};
  }
  try {
    return FILE.parse(JSON.parse(text));
  } catch {
    onNote(`${file} is damaged; it is ignored and written anew`);
    return {};
  }
}
