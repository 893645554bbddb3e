import { SingleBar } from 'cli-progress';
import { note } from './output.js';

export interface Progress {
  update(done: number, total: number): void;
  /** A line above the bar. */
  say(text: string): void;
  stop(): void;
}

/** A bar with rate and time left on a terminal; a line every half minute elsewhere. Always on stderr. */
export function createProgress(unit: string): Progress {
  if (!process.stderr.isTTY) return plainProgress(unit);
  const bar = new SingleBar({
    format: `{bar} {percentage}% · {value}/{total} ${unit} · {rate}/s · {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    etaBuffer: 200,
    fps: 5,
  });
  let began = 0;
  let first = 0;
  return {
    update(done, total) {
      if (began === 0) {
        began = performance.now();
        first = done;
        bar.start(total, done, { rate: '–' });
      }
      const seconds = (performance.now() - began) / 1000;
      bar.update(done, { rate: seconds > 1 ? ((done - first) / seconds).toFixed(1) : '–' });
    },
    say(text) {
      if (began === 0) return note(text);
      process.stderr.write('\r\x1b[2K');
      note(text);
      bar.render();
    },
    stop() {
      if (began > 0) bar.stop();
      began = 0;
    },
  };
}

const PLAIN_EVERY_MS = 30_000;

/** Where there is no terminal: a line now and then, so that a log of a long run shows that it goes on. */
function plainProgress(unit: string): Progress {
  let said = performance.now();
  return {
    update(done, total) {
      if (performance.now() - said < PLAIN_EVERY_MS) return;
      said = performance.now();
      note(`${done} of ${total} ${unit}`);
    },
    say: note,
    stop() {},
  };
}
