import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlumblineError } from '../errors.js';
import type { Answers, Reply, Request } from './messages.js';
import type { EvalOutcome } from './types.js';

/** An engine process, as its parent sees it. */
export interface EngineProcess {
  /** Asks one thing; rejects with the process's typed error, or ENGINE_CRASH when it died. */
  ask<T extends Exclude<Request['type'], 'jobs'>>(
    request: Extract<Request, { type: T }>,
  ): Promise<Answers[T]>;
  /** Sends jobs to a run that is going on. */
  sendJobs(request: Extract<Request, { type: 'jobs' }>): void;
  alive(): boolean;
  stop(): Promise<void>;
}

export interface EngineProcessEvents {
  onProgress(share: number): void;
  onOutcomes(outcomes: readonly EvalOutcome[]): void;
}

const STDERR_KEPT = 4000;
const LAST_WORDS_MS = 500;

export function startEngineProcess(events: EngineProcessEvents): EngineProcess {
  const child: ChildProcess = fork(fileURLToPath(new URL('./host.js', import.meta.url)), [], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  let death: PlumblineError | null = null;
  const waiting: { resolve: (value: never) => void; reject: (error: unknown) => void }[] = [];
  // Node never emits 'close' after the parent has disconnected, so the ends of stderr and of the messages are awaited by
  // hand: a process that aborts says why just before, and outcomes that it still sent must not be evaluated again.
  const drained = Promise.all([
    new Promise<void>(resolve => child.stderr?.once('close', resolve)),
    new Promise<void>(resolve => child.once('disconnect', resolve)),
  ]);
  const ended = new Promise<void>(resolve => {
    const die = (error: PlumblineError): void => {
      death = error;
      for (const { reject } of waiting.splice(0)) reject(death);
      resolve();
    };
    child.once('exit', async (code, signal) => {
      await Promise.race([drained, delay(LAST_WORDS_MS)]);
      die(crashError(code, signal, stderr));
    });
    child.on('error', error => {
      // A process that could not be started never exits.
      if (child.pid === undefined)
        die(new PlumblineError('ENGINE_CRASH', `The engine process could not be started: ${error.message}.`));
    });
  });
  child.stderr?.setEncoding('utf8');
  child.stderr?.on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_KEPT);
  });
  child.on('message', (reply: Reply) => {
    if (death !== null) return;
    if (reply.type === 'progress') events.onProgress(reply.share);
    else if (reply.type === 'outcomes') events.onOutcomes(reply.outcomes);
    else if (reply.type === 'answer') waiting.shift()?.resolve(reply.value as never);
    else {
      const error =
        reply.code === null ? new Error(reply.message) : new PlumblineError(reply.code, reply.message);
      waiting.shift()?.reject(error);
    }
  });

  return {
    ask: request =>
      new Promise((resolve, reject) => {
        if (death !== null) return reject(death);
        waiting.push({ resolve, reject });
        // A process that is dying rejects in its exit handler.
        if (child.connected) child.send(request, () => {});
      }),
    sendJobs(request) {
      // A dead process loses them; its run is rejected and the pool hands them out again.
      if (child.connected) child.send(request, () => {});
    },
    alive: () => death === null,
    async stop() {
      // It keeps nothing that is worth an orderly end, and a decode that is going on would delay one.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function crashError(code: number | null, signal: NodeJS.Signals | null, stderr: string): PlumblineError {
  const how = signal === null ? `ended with code ${code}` : `was ended by ${signal}`;
  const said = stderr.trim() === '' ? 'It said nothing.' : `Its last words:\n${stderr.trim()}`;
  return new PlumblineError('ENGINE_CRASH', `The engine process ${how}. ${said}`);
}
