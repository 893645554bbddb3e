import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Characters of a message that are shown. */
const SHOWN = 300;

/**
 * Starts a peer and waits until it says that it is ready. It does workloads one at a time and answers each with a JSON
 * line that names it; when it ends, or says something else, the request fails with the reason and so does every later one.
 */
export async function startChild(command, args, env = process.env) {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  let waiting = null;
  let fault = null;

  const fail = reason => {
    fault ??= new Error(reason);
    waiting?.reject(fault);
    waiting = null;
    child.kill('SIGKILL');
  };
  child.stderr.on('data', chunk => {
    printed = (printed + chunk).slice(-10 * SHOWN);
  });
  // A peer that has ended closes the pipe; its exit says why.
  child.stdin.on('error', () => {});
  child.on('error', error => fail(`could not be started: ${error.message}`));
  const closed = new Promise(resolve => {
    child.on('close', (code, signal) => {
      const last = lastLine(printed);
      fail(`ended with ${signal ?? `exit code ${code}`}${last === '' ? '' : `: ${last}`}`);
      resolve();
    });
  });
  createInterface({ input: child.stdout }).on('line', line => {
    const answer = parse(line);
    if (answer === null || waiting === null || !waiting.fits(answer)) {
      fail(`said something that is no answer: ${line.slice(0, SHOWN)}`);
      return;
    }
    waiting.resolve(answer);
    waiting = null;
  });

  const answer = fits =>
    new Promise((resolve, reject) => {
      if (fault !== null) reject(fault);
      else waiting = { fits, resolve, reject };
    });
  return {
    ready: await answer(({ ready }) => typeof ready === 'string'),
    request(workload) {
      const coming = answer(given => given.workload === workload);
      child.stdin.write(`${JSON.stringify({ workload })}\n`);
      return coming;
    },
    /** Lets it end by itself: its input is over. */
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}

/** The object on a line, or null when it holds something else. */
function parse(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What a program said last: of a Python traceback, the error. */
export function lastLine(text) {
  const lines = text.split(/[\r\n]+/).filter(line => line.trim() !== '');
  return (lines.at(-1) ?? '').trim().slice(0, SHOWN);
}
