import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PlumblineError } from '../errors.js';
import { loadBinding, type NativeBinding } from './native.js';

/** Which build of llama.cpp's libraries is opened. `cpu` is the one without a GPU backend. */
export const BACKENDS = ['cpu', 'cuda', 'vulkan', 'metal'] as const;
export type Backend = (typeof BACKENDS)[number];

export interface LibraryFiles {
  readonly backend: Backend;
  /** llama.cpp release that the files were built from, e.g. `v0.5.0`. */
  readonly release: string;
  readonly folder: string;
  /** In the order in which they are opened: base first. */
  readonly files: readonly string[];
}

export interface OpenLibrary extends LibraryFiles {
  readonly binding: NativeBinding;
  /** llama.cpp's line of CPU features. */
  readonly systemInfo: string;
}

const SHARED = process.platform === 'win32' ? '.dll' : process.platform === 'darwin' ? '.dylib' : '.so';

/** Folder name as node-llama-cpp spells it: `linux-x64`, `mac-arm64-metal`, `win-x64-cuda`. */
function platformFolder(backend: Backend): string {
  const system =
    process.platform === 'win32' ? 'win' : process.platform === 'darwin' ? 'mac' : process.platform;
  const arch = process.arch === 'arm' ? 'armv7l' : process.arch;
  return `${system}-${arch}${backend === 'cpu' ? '' : `-${backend}`}`;
}

/** Finds the libraries of one backend in node-llama-cpp's platform packages; null when they are not installed. */
export function findLibrary(backend: Backend): LibraryFiles | null {
  const modules = createRequire(import.meta.url)
    .resolve.paths('node-llama-cpp')
    ?.find(folder => existsSync(join(folder, '@node-llama-cpp', platformFolder(backend))));
  if (modules === undefined) return null;
  const bins = join(modules, '@node-llama-cpp', platformFolder(backend), 'bins');
  if (!existsSync(bins)) return null;
  const build = readdirSync(bins).find(entry => existsSync(join(bins, entry, '_nlcBuildMetadata.json')));
  if (build === undefined) return null;
  const folder = join(bins, build);
  const metadata = JSON.parse(readFileSync(join(folder, '_nlcBuildMetadata.json'), 'utf8')) as {
    buildOptions?: { llamaCpp?: { release?: string } };
  };
  const all = readdirSync(folder);
  const pick = (pattern: RegExp): string | undefined =>
    all.find(file => pattern.test(file) && file.endsWith(SHARED));
  const base = pick(/^(lib)?ggml-base\b/);
  const ggml = pick(/^(lib)?ggml\.(?!-)/);
  const llama = pick(/^(lib)?llama\.(?!-)/);
  if (base === undefined || ggml === undefined || llama === undefined) return null;
  return {
    backend,
    release: metadata.buildOptions?.llamaCpp?.release ?? 'unknown',
    folder,
    files: [base, ggml, llama].map(file => join(folder, file)),
  };
}

let opened: OpenLibrary | undefined;

/**
 * Opens the libraries of `backend` in this process; a process has one backend for its life.
 * Throws LIBRARY_NOT_FOUND, or ABI_MISMATCH when the files are not the release that the addon was compiled against.
 */
export function openLibrary(backend: Backend): OpenLibrary {
  if (opened !== undefined) {
    if (opened.backend === backend) return opened;
    throw new PlumblineError(
      'LIBRARY_NOT_FOUND',
      `This process already runs the ${opened.backend} libraries; start another process for ${backend}.`,
    );
  }
  const found = findLibrary(backend);
  if (found === null) {
    throw new PlumblineError(
      'LIBRARY_NOT_FOUND',
      `llama.cpp's ${backend} libraries are not installed (expected the package @node-llama-cpp/${platformFolder(backend)}). ` +
        'Run "npm install" with optional dependencies, or choose another --gpu.',
    );
  }
  const binding = loadBinding();
  if (found.release !== binding.compiledRelease) {
    throw new PlumblineError(
      'ABI_MISMATCH',
      `The libraries in ${found.folder} are llama.cpp ${found.release}, the addon was compiled against ` +
        `${binding.compiledRelease}. Run "npm run setup" to rebuild the addon.`,
    );
  }
  const { systemInfo } = binding.openLibrary(found.files, found.folder);
  opened = { ...found, binding, systemInfo: systemInfo.trim() };
  return opened;
}
