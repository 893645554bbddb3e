/**
 * Preloaded into the program and its engine processes (NODE_OPTIONS=--import …), so that nothing of this is in the
 * product. An engine process that has evaluated an id of $POISON_IDS says so and aborts, as llama.cpp does, before the
 * outcome is sent; with $POISON_OPEN it aborts when it is to open a model. $POISON_LOG is told of starts and aborts.
 */
import { appendFileSync, writeSync } from 'node:fs';

const ids = new Set(
  (process.env.POISON_IDS ?? '')
    .split(',')
    .filter(id => id !== '')
    .map(Number),
);
const log = text => {
  if (process.env.POISON_LOG) appendFileSync(process.env.POISON_LOG, `${text}\n`);
};

if (process.argv[1]?.replaceAll('\\', '/').endsWith('/engine/host.js')) {
  log('start');
  const send = process.send.bind(process);
  process.send = reply => {
    if (reply.type === 'progress' && process.env.POISON_OPEN) abort('while opening');
    const poison = reply.type === 'outcomes' ? reply.outcomes.find(({ id }) => ids.has(id)) : undefined;
    if (poison !== undefined) abort(`evaluation ${poison.id}`);
    return send(reply);
  };
}

function abort(what) {
  log(what);
  writeSync(2, `poison.cc:1: GGML_ASSERT(harmless) failed: ${what}\n`);
  process.kill(process.pid, 'SIGABRT');
}
