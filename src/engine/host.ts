/**
 * The engine process: one model, driven by messages from its parent. It runs apart because a native abort cannot be
 * caught; here it costs one process, not the run.
 */
import { messageOf, PlumblineError } from '../errors.js';
import { type EncoderSession, openEncoderSession } from './encoder-session.js';
import type { JobSource } from './executor.js';
import type { Reply, Request } from './messages.js';
import { openSession, type Session } from './session.js';
import type { EvalOutcome, Job } from './types.js';

let session: Session | null = null;
let encoder: EncoderSession | null = null;
let queue: Job[] = [];
let ended = false;
/** The run that jobs are taken for. */
let current = -1;
let wake: (() => void) | null = null;

const source: JobSource = {
  take: () => queue.shift() ?? (ended ? null : undefined),
  ready: () =>
    new Promise(resolve => {
      if (queue.length > 0 || ended) resolve();
      else wake = resolve;
    }),
};

function send(reply: Reply): void {
  process.send?.(reply);
}

function opened(): Session {
  if (session === null) throw new PlumblineError('DISPOSED', 'The engine process has no model yet.');
  return session;
}

/** llama.cpp reports after every tensor; a message per percent is enough. */
function percentSteps(report: (share: number) => void): (share: number) => void {
  let last = -1;
  return share => {
    const percent = Math.floor(share * 100);
    if (percent > last) report(share);
    last = Math.max(last, percent);
  };
}

async function answer(request: Request): Promise<unknown> {
  switch (request.type) {
    case 'open':
      session = await openSession(
        request.options,
        percentSteps(share => send({ type: 'progress', share })),
      );
      return session.facts;
    case 'encode':
      return opened().encode(request.items);
    case 'configure':
      return opened().configure(request.options);
    case 'prove':
      return opened().prove(request.evals);
    case 'measure':
      return opened().measure();
    case 'openEncoder':
      encoder = await openEncoderSession(request.options);
      return null;
    case 'embed':
      if (encoder === null) throw new PlumblineError('DISPOSED', 'The engine process has no encoder yet.');
      return encoder.embed(request.texts);
    case 'run': {
      let ready: EvalOutcome[] = [];
      try {
        return await opened().run(source, outcome => {
          // Outcomes of one decode travel together.
          if (ready.length === 0) {
            setImmediate(() => {
              send({ type: 'outcomes', outcomes: ready });
              ready = [];
            });
          }
          ready.push(outcome);
        });
      } finally {
        // No outcome may come after the answer, not even after a failure: its parent hands the rest out again.
        if (ready.length > 0) await new Promise(resolve => setImmediate(resolve));
        queue = [];
        current = -1;
      }
    }
    case 'jobs':
      return undefined;
  }
}

let last: Promise<void> = Promise.resolve();

process.on('message', (request: Request) => {
  if (request.type === 'jobs') {
    if (request.run !== current) return;
    queue = queue.concat(request.jobs);
    ended = request.end;
    wake?.();
    wake = null;
    return;
  }
  if (request.type === 'run') {
    current = request.run;
    ended = false;
  }
  last = last.then(async () => {
    try {
      send({ type: 'answer', value: await answer(request) });
    } catch (error) {
      send({
        type: 'failure',
        code: error instanceof PlumblineError ? error.code : null,
        message: messageOf(error),
      });
    }
  });
});

// Ctrl-C reaches the whole process group; the parent decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
