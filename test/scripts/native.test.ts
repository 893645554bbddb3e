import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, put, type Ran, REPOSITORY, runNode } from './project.js';

const MODULE = `
#include <napi.h>
#include <llama.h>
static Napi::Value Release(const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), PLUMBLINE_LLAMA_RELEASE);
}
static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  exports.Set("release", Napi::Function::New(env, Release));
  return exports;
}
NODE_API_MODULE(plumbline, Init)
`;

let root = '';
beforeAll(() => {
  root = makeProject({ 'native/module.cc': MODULE });
});
afterAll(() => rmSync(dirname(root), { recursive: true, force: true }));

const build = (env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runNode([join(root, 'scripts', 'native.mjs')], { env: { ...process.env, ...env } });
const addon = () => join(root, 'build', 'Release', 'plumbline.node');

describe('native build', () => {
  it('names the packages to install, in one line, when the tools are missing', async () => {
    const path = mkdtempSync(join(tmpdir(), 'plumbline-path-'));
    const nothing = await build({ PATH: path });
    expect(nothing.code).toBe(1);
    expect(nothing.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(nothing.stderr).toContain('sudo apt install git cmake g++ make');
    expect(nothing.stderr).toContain('sudo dnf install git cmake gcc-c++ make');

    for (const tool of ['git', 'g++', 'make']) {
      symlinkSync(process.execPath, join(path, tool));
    }
    const cmake = await build({ PATH: path });
    expect(cmake.code).toBe(1);
    expect(cmake.stderr).toMatch(
      /^plumbline: the native build needs cmake\. Install: .*"sudo apt install cmake".*\n$/,
    );
    rmSync(path, { recursive: true });
  });

  it('builds an addon against the release that node-llama-cpp ships, with no network', async () => {
    // A proxy that nobody listens on: a download would fail. GIT_DIR: what a git hook would set.
    const proxy = 'http://127.0.0.1:9';
    const ran = await build({ http_proxy: proxy, https_proxy: proxy, GIT_DIR: '/nonexistent' });
    expect(ran.stderr).toMatch(
      /^set-up: unpacking llama\.cpp v\S+ headers\nset-up: compiling the native addon \(cmake-js\)\n$/,
    );
    expect(ran).toMatchObject({ code: 0, stdout: '' });
    const info = join(REPOSITORY, 'node_modules', 'node-llama-cpp', 'llama', 'llama.cpp.info.json');
    const { tag } = JSON.parse(readFileSync(info, 'utf8'));
    expect(createRequire(import.meta.url)(addon()).release()).toBe(tag);
  });

  it('does nothing when nothing changed, and builds again when a source changed', async () => {
    const before = statSync(addon()).mtimeMs;
    expect(await build()).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(addon()).mtimeMs).toBe(before);
    put(root, 'native/module.cc', `${MODULE}\nint plumbline_changed = 1;\n`);
    expect((await build()).stderr).toBe('set-up: compiling the native addon (cmake-js)\n');
    expect(statSync(addon()).mtimeMs).not.toBe(before);
  });

  it('shows the compiler’s words when a build fails, keeps the last addon and fails again until it is mended', async () => {
    const before = readFileSync(addon());
    put(root, 'native/broken.cc', 'int broken = "text";\n');
    for (let attempt = 0; attempt < 2; attempt++) {
      const ran = await build();
      expect(ran.code).toBe(1);
      expect(ran.stderr).toContain('broken.cc:1');
      expect(ran.stderr).not.toMatch(/^\s+at /m);
      expect(ran.stderr.trimEnd().split('\n').at(-1)).toBe(
        'plumbline: set-up failed at "compiling the native addon (cmake-js)"; its output is above.',
      );
      expect(readFileSync(addon()).equals(before)).toBe(true);
    }
    rmSync(join(root, 'native', 'broken.cc'));
    expect((await build()).code).toBe(0);
  });
});
