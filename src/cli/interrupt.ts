import { EXIT, note } from './output.js';

/**
 * Ctrl-C: the first asks the work to stop where it can be resumed, the second ends at once. Engine processes take part
 * in neither: they end with their parent.
 */
export function onInterrupt(message: string): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const handler = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    note(message);
    controller.abort();
  };
  process.on('SIGINT', handler);
  process.on('SIGTERM', handler);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', handler);
      process.off('SIGTERM', handler);
    },
  };
}
