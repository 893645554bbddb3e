import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { packageFolder, report, run, SetupError, step, which } from './process.mjs';

/**
 * What the native build calls, and where each comes from. Any one of `programs` will do. cmake-js asks for g++ or
 * clang++ by name, and takes ninja before make.
 */
const TOOLS = [
  { name: 'git', programs: ['git'], debian: 'git', fedora: 'git' },
  { name: 'cmake', programs: ['cmake'], debian: 'cmake', fedora: 'cmake' },
  { name: 'a C++ compiler', programs: ['g++', 'clang++'], debian: 'g++', fedora: 'gcc-c++' },
  { name: 'make', programs: ['make', 'ninja'], debian: 'make', fedora: 'make' },
];

/** Throws one line that names the missing tools and the packages to install. */
export function requireTools() {
  if (process.platform === 'win32') {
    requireWindowsTools();
    return;
  }
  // macOS has placeholders for git, make and clang++ on PATH; only xcode-select knows whether they are real.
  const placeholders = process.platform === 'darwin' && spawnSync('xcode-select', ['-p']).status !== 0;
  const missing = TOOLS.filter(tool => {
    const found = tool.programs.map(which).filter(path => path !== null);
    return found.every(path => placeholders && path.startsWith('/usr/bin/'));
  });
  if (missing.length === 0) {
    return;
  }
  const mac = missing.map(tool => (tool.name === 'cmake' ? 'brew install cmake' : 'xcode-select --install'));
  throw new SetupError(
    `the native build needs ${missing.map(tool => tool.name).join(', ')}. Install: ` +
      `Debian/Ubuntu "sudo apt install ${missing.map(tool => tool.debian).join(' ')}", ` +
      `Fedora "sudo dnf install ${missing.map(tool => tool.fedora).join(' ')}", ` +
      `macOS "${[...new Set(mac)].join(' && ')}".`,
  );
}

function requireWindowsTools() {
  const missing = ['git', 'cmake'].filter(tool => which(tool) === null);
  if (missing.length > 0) {
    const ids = missing.map(tool => (tool === 'git' ? 'Git.Git' : 'Kitware.CMake'));
    throw new SetupError(
      `the native build needs ${missing.join(', ')}. Install: "winget install ${ids.join(' ')}".`,
    );
  }
}

/** Where the addon is, or will be once it is built. */
export function nativePath(root) {
  return join(root, 'build', 'Release', 'plumbline.node');
}

/**
 * Builds the native addon when it is missing or when its sources, the llama.cpp release or the machine's platform
 * changed, and gives its path. Needs no network: llama.cpp's headers come from the source bundle that node-llama-cpp
 * ships, Node's from node-api-headers. Throws SetupError.
 */
export async function ensureNative(root) {
  // The stamp holds the root: one folder must have one spelling.
  const folder = realpathSync(root);
  return withLock(folder, () => ensureNativeLocked(folder));
}

/** As {@link ensureNative}, for a caller that holds the lock. */
export async function ensureNativeLocked(root) {
  const addon = nativePath(root);
  const stampFile = `${addon}.json`;
  const inputs = nativeInputs(root);
  const stamp = JSON.stringify({ configuration: inputs.configuration, sources: inputs.sources });
  if (existsSync(addon) && read(stampFile) === stamp) {
    return addon;
  }
  requireTools();
  await ensureHeaders(root, inputs);
  await step('compiling the native addon (cmake-js)', () => compile(root, inputs));
  mkdirSync(dirname(addon), { recursive: true });
  rmSync(stampFile, { force: true });
  // A rename, so that a process that has the old addon open keeps it whole.
  renameSync(join(root, 'build', 'cmake', 'Release', 'plumbline.node'), addon);
  writeFileSync(stampFile, stamp);
  return addon;
}

/** Everything that the addon is made of: the release, the packages, and two hashes. */
function nativeInputs(root) {
  const [llama, addonApi, nodeHeaders, cmakeJs] = [
    'node-llama-cpp',
    'node-addon-api',
    'node-api-headers',
    'cmake-js',
  ].map(name => {
    const folder = packageFolder(root, name);
    if (folder === null) {
      throw new SetupError(`the package ${name} is not installed: run "npm install" in ${root}.`);
    }
    return { folder, version: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version };
  });
  const release = JSON.parse(readFileSync(join(llama.folder, 'llama', 'llama.cpp.info.json'), 'utf8')).tag;
  const configuration = hash([
    ['root', root],
    ['platform', `${process.platform}-${process.arch}`],
    ['llama.cpp', `${release} ${llama.version}`],
    ...[addonApi, nodeHeaders, cmakeJs].map(({ folder, version }) => [folder, version]),
    ['CMakeLists.txt', readFileSync(join(root, 'CMakeLists.txt'))],
  ]);
  const native = join(root, 'native');
  const names = readdirSync(native).filter(name => /\.(cc|h)$/.test(name));
  const sources = hash(names.sort().map(name => [name, readFileSync(join(native, name))]));
  return { llama, cmakeJs, release, configuration, sources };
}

/** build/llama.cpp/{include,ggml/include}: the headers of exactly the release whose libraries are opened at run time. */
async function ensureHeaders(root, { llama, release }) {
  const headers = join(root, 'build', 'llama.cpp');
  const stampFile = join(headers, 'RELEASE');
  const stamp = `${release} from node-llama-cpp ${llama.version}\n`;
  if (read(stampFile) === stamp) {
    return;
  }
  await step(`unpacking llama.cpp ${release} headers`, async () => {
    rmSync(headers, { recursive: true, force: true });
    mkdirSync(headers, { recursive: true });
    const repository = join(headers, '.git');
    // A bundle has one ref, HEAD, and no branch: fetched rather than cloned. A caller's GIT_DIR must not leak in.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
    const git = (...args) => run('git', args, { cwd: headers, env });
    await git('init', '--quiet', '.');
    await git('fetch', '--quiet', join(llama.folder, 'llama', 'gitRelease.bundle'), 'HEAD');
    await git('checkout', '--quiet', 'FETCH_HEAD', '--', 'include', 'ggml/include', 'LICENSE');
    rmSync(repository, { recursive: true, force: true });
    writeFileSync(stampFile, stamp);
  });
}

/** Keeps object files between builds unless the configuration changed. */
async function compile(root, { cmakeJs, release, configuration }) {
  const out = join(root, 'build', 'cmake');
  const stampFile = join(out, 'configuration');
  if (read(stampFile) !== configuration) {
    rmSync(out, { recursive: true, force: true });
    mkdirSync(out, { recursive: true });
  }
  await run(
    process.execPath,
    [
      join(cmakeJs.folder, 'bin', 'cmake-js'),
      'build',
      ...['--directory', root],
      ...['--out', out],
      ...['--parallel', String(availableParallelism())],
      `--CDPLUMBLINE_LLAMA_HEADERS=${join(root, 'build', 'llama.cpp').replaceAll('\\', '/')}`,
      `--CDPLUMBLINE_LLAMA_RELEASE=${release}`,
    ],
    { cwd: root },
  );
  writeFileSync(stampFile, configuration);
}

/** SHA-256 over named parts. */
export function hash(parts) {
  const digest = createHash('sha256');
  for (const [name, content] of parts) {
    digest.update(`${name}\0${Buffer.byteLength(content)}\0`).update(content);
  }
  return digest.digest('hex');
}

/** Text of a file, or null when there is none. */
export function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

if (process.argv[1] !== undefined && basename(process.argv[1]) === 'native.mjs') {
  const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
  process.exitCode = await ensureNative(root).then(() => 0, report);
}
