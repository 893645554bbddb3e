import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeProject, put, type Ran, runNode } from './project.js';

/** Stands in for npm: notes its arguments and leaves the copy of the lock file that npm leaves. */
const NPM = `
import { appendFileSync, copyFileSync, mkdirSync } from 'node:fs';
appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
mkdirSync('node_modules', { recursive: true });
copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

const LOCK = {
  packages: {
    '': { name: 'plumbline' },
    'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
    'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-e', optional: true },
  },
};

let root = '';
beforeEach(() => {
  root = makeProject({
    'npm.js': NPM,
    'package-lock.json': JSON.stringify(LOCK),
    'src/cli/main.ts': '#!/usr/bin/env node\nconsole.log("ready");\n',
    'src/extra.ts': 'export const extra = 1;\n',
  });
});
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }));

const setUp = (...args: readonly string[]): Promise<Ran> =>
  runNode([join(root, 'scripts', 'setup.mjs'), ...args], {
    env: { ...process.env, npm_execpath: join(root, 'npm.js') },
  });
const installs = () =>
  existsSync(join(root, 'npm.log')) ? readFileSync(join(root, 'npm.log'), 'utf8').trimEnd().split('\n') : [];

function installed(packages: Readonly<Record<string, unknown>>): void {
  put(root, 'node_modules/.package-lock.json', JSON.stringify({ packages }));
}

describe('npm dependencies', () => {
  it('are installed when missing, without install scripts and without touching the lock file', async () => {
    const ran = await setUp('typescript');
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    expect(ran.stderr).toContain('set-up: installing npm dependencies');
    expect(installs()).toEqual(['install --no-save --ignore-scripts --no-audit --no-fund']);
    await setUp('typescript');
    expect(installs()).toHaveLength(1);
  });

  it('count as there without the optional packages of other platforms', async () => {
    installed({ 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } });
    await setUp('typescript');
    expect(installs()).toEqual([]);
  });

  it.each([
    ['another version', { 'node_modules/a': { version: '0.9.0', integrity: 'sha512-a' } }],
    ['another content', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
    ['a missing package', {}],
  ])('are installed again for %s', async (_, packages) => {
    installed(packages);
    await setUp('typescript');
    expect(installs()).toHaveLength(1);
  });

  it('that cannot be installed are a fault with npm’s words and no stack', async () => {
    put(root, 'npm.js', 'console.error("npm error network down"); process.exit(1);');
    const ran = await setUp('typescript');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      'set-up: installing npm dependencies (npm install)\nnpm error network down\n' +
        'plumbline: set-up failed at "installing npm dependencies (npm install)"; its output is above.\n',
    );
  });
});

describe('TypeScript build', () => {
  it('makes dist once, runnable, and drops what was removed from src', async () => {
    expect((await setUp('typescript')).code).toBe(0);
    expect((await runNode([join(root, 'dist', 'cli', 'main.js')])).stdout).toBe('ready\n');
    expect(await setUp('typescript')).toEqual({ code: 0, stdout: '', stderr: '' });

    rmSync(join(root, 'src', 'extra.ts'));
    expect((await setUp('typescript')).stderr).toBe('set-up: compiling TypeScript (tsc)\n');
    expect(existsSync(join(root, 'dist', 'extra.js'))).toBe(false);
    expect(readdirSync(root).filter(name => name.startsWith('dist'))).toEqual(['dist']);
  });

  it('leaves the last dist alone when a type is wrong', async () => {
    await setUp('typescript');
    put(root, 'src/extra.ts', 'export const extra: string = 1;\n');
    const ran = await setUp('typescript');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('src/extra.ts(1,14): error TS2322');
    expect(existsSync(join(root, 'dist', 'extra.js'))).toBe(true);
    expect(readdirSync(root).filter(name => name.startsWith('dist'))).toEqual(['dist']);
  });
});

describe('before anything is downloaded', () => {
  it('an old Node is refused in one line', async () => {
    const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    put(root, 'package.json', JSON.stringify({ ...wanted, engines: { node: '>=99.1' } }));
    const ran = await setUp();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/^plumbline: Node 99\.1 or newer is needed, this is \S+: .*\n$/);
    expect(installs()).toEqual([]);
  });

  it('missing build tools are named', async () => {
    mkdirSync(join(root, 'empty'));
    const ran = await runNode([join(root, 'scripts', 'setup.mjs')], {
      env: { ...process.env, npm_execpath: join(root, 'npm.js'), PATH: join(root, 'empty') },
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(
      /^plumbline: the native build needs git, cmake, a C\+\+ compiler, make\. .*\n$/,
    );
    expect(installs()).toEqual([]);
  });
});
