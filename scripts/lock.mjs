import { mkdirSync, readdirSync, rmdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { SetupError, say } from './process.mjs';

const HEARTBEAT_MS = 5_000;
const DEAD_AFTER_MS = 60_000;
const POLL_MS = 250;

/**
 * Runs `work` while no other set-up of the same folder runs; waits for its turn.
 *
 * The lock is the folder build/.lock with one file in it, named after its owner and touched every five seconds.
 * A lock is stale when its owner is a dead process of this machine, or has not touched it for a minute. Whoever
 * unlinks the stale owner's file by its name has broken the lock: of two that try, one fails and waits again, and
 * neither can break the lock of a third that came in between.
 */
export async function withLock(root, work) {
  const folder = join(root, 'build', '.lock');
  const owner = `${process.pid}@${hostname()}`;
  const mine = join(folder, owner);
  await acquire(folder, mine);
  const heartbeat = setInterval(() => touch(mine), HEARTBEAT_MS);
  const release = () => {
    attempt(() => unlinkSync(mine));
    attempt(() => rmdirSync(folder));
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.removeListener('exit', release);
    release();
  }
}

async function acquire(folder, mine) {
  try {
    mkdirSync(join(folder, '..'), { recursive: true });
  } catch (error) {
    throw cannotWrite(folder, error);
  }
  for (let waited = false; ; ) {
    if (take(folder, mine)) {
      return;
    }
    const holder = holderOf(folder);
    if (holder.stale) {
      if (holder.name === null || attempt(() => unlinkSync(join(folder, holder.name)))) {
        attempt(() => rmdirSync(folder));
      }
      continue;
    }
    if (!waited && holder.name !== null) {
      say(`set-up: waiting for another set-up of this folder (process ${holder.name})`);
      waited = true;
    }
    await new Promise(resolve => setTimeout(resolve, POLL_MS));
  }
}

function take(folder, mine) {
  try {
    mkdirSync(folder);
    writeFileSync(mine, '');
    return true;
  } catch (error) {
    // EEXIST: somebody holds it. ENOENT: somebody took the still empty folder for a stale one.
    if (error.code === 'EEXIST' || error.code === 'ENOENT') {
      return false;
    }
    throw cannotWrite(folder, error);
  }
}

/** Who holds the lock (null while it is being taken or given back) and whether it may be broken. */
function holderOf(folder) {
  let name = null;
  let age = 0;
  const looked = attempt(() => {
    name = readdirSync(folder)[0] ?? null;
    age = Date.now() - statSync(name === null ? folder : join(folder, name)).mtimeMs;
  });
  if (!looked) {
    return { name: null, stale: false };
  }
  if (name !== null) {
    const [pid, host] = name.split('@');
    if (host === hostname() && !isAlive(Number(pid))) {
      return { name, stale: true };
    }
  }
  return { name, stale: age > DEAD_AFTER_MS };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch(path) {
  const now = new Date();
  attempt(() => utimesSync(path, now, now));
}

function attempt(action) {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

function cannotWrite(folder, error) {
  const build = join(folder, '..');
  return new SetupError(
    `cannot write to ${build} (${error.code ?? error.message}): run plumbline once as a user who may write there.`,
  );
}
