/**
 * Sets up what is missing in a clone and skips what is up to date:
 *   node scripts/setup.mjs               everything: npm dependencies, native addon, TypeScript build
 *   node scripts/setup.mjs typescript    the TypeScript build alone (what a package needs)
 * Plain Node, because it runs before anything is installed.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { ensureNativeLocked, hash, nativePath, read, requireTools } from './native.mjs';
import { packageFolder, report, run, SetupError, step } from './process.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');

async function setUp(typescriptOnly) {
  checkNode();
  await withLock(ROOT, async () => {
    if (!typescriptOnly && !existsSync(nativePath(ROOT))) {
      // Told at once, rather than after the download of the dependencies.
      requireTools();
    }
    await ensureDependencies();
    if (!typescriptOnly) {
      await ensureNativeLocked(ROOT);
    }
    await ensureTypeScript();
  });
}

function checkNode() {
  const wanted = /(\d+)\.(\d+)/.exec(
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node,
  );
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = [Number(wanted[1]), Number(wanted[2])];
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new SetupError(
      `Node ${wanted[0]} or newer is needed, this is ${process.versions.node}: install a current one from nodejs.org.`,
    );
  }
}

async function ensureDependencies() {
  if (dependenciesInstalled()) {
    return;
  }
  // "npm install" and not "npm ci": node-llama-cpp has an optional package for every platform, and a lock file written
  // against a registry that lacks some of them is not "in sync" for npm ci. --no-save leaves the lock file alone, and
  // the versions and hashes in it hold. No install script of a dependency is needed: what is used comes in packages.
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  await step('installing npm dependencies (npm install)', () =>
    npm?.endsWith('.js')
      ? run(process.execPath, [npm, ...args], { cwd: ROOT })
      : run('npm', args, { cwd: ROOT, shell: process.platform === 'win32' }),
  );
}

/**
 * Compares package-lock.json with the copy that npm leaves in node_modules when it has finished. Optional packages
 * may be missing (they are for other platforms); everything else must be there, and nothing in another version.
 */
function dependenciesInstalled() {
  const text = read(join(ROOT, 'node_modules', '.package-lock.json'));
  if (text === null) {
    return false;
  }
  const installed = new Map(Object.entries(JSON.parse(text).packages));
  const wanted = Object.entries(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages);
  return wanted.every(([path, { version, optional, integrity }]) => {
    const there = installed.get(path);
    return (
      path === '' ||
      (there === undefined ? optional : there.version === version && there.integrity === integrity)
    );
  });
}

async function ensureTypeScript() {
  const compiler = packageFolder(ROOT, 'typescript');
  if (compiler === null) {
    throw new SetupError('the package typescript is not installed: run "npm install" (without --omit=dev).');
  }
  const dist = join(ROOT, 'dist');
  const stampFile = join(ROOT, 'build', 'typescript.stamp');
  const inputs = ['package.json', 'package-lock.json', 'tsconfig.json', ...filesUnder('src')];
  const stamp = hash(inputs.map(name => [name, readFileSync(join(ROOT, name))]));
  if (existsSync(dist) && read(stampFile) === stamp) {
    return;
  }
  await step('compiling TypeScript (tsc)', async () => {
    // Into a new folder beside dist, so that no program runs from a half-written one and no removed module stays.
    const fresh = join(ROOT, 'dist.new');
    const old = join(ROOT, 'dist.old');
    rmSync(fresh, { recursive: true, force: true });
    rmSync(old, { recursive: true, force: true });
    try {
      await run(
        process.execPath,
        [join(compiler, 'bin', 'tsc'), '-p', ROOT, '--outDir', fresh, '--noEmitOnError'],
        {
          cwd: ROOT,
        },
      );
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true });
      throw error;
    }
    const main = join(fresh, 'cli', 'main.js');
    if (existsSync(main)) {
      chmodSync(main, 0o755);
    }
    if (existsSync(dist)) {
      renameSync(dist, old);
    }
    renameSync(fresh, dist);
    rmSync(old, { recursive: true, force: true });
    mkdirSync(dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, stamp);
  });
}

/** Paths of all files under a folder of the repository, sorted. */
function filesUnder(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .flatMap(entry => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesUnder(path) : [path];
    })
    .sort();
}

process.exitCode = await setUp(process.argv[2] === 'typescript').then(() => 0, report);
