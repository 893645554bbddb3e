import { availableParallelism, cpus, freemem, loadavg } from 'node:os';
import { PlumblineError } from '../errors.js';
import { type Backend, findLibrary } from './library.js';

export const GPU_OPTIONS = ['auto', 'off', 'cuda', 'vulkan', 'metal'] as const;
export type GpuOption = (typeof GPU_OPTIONS)[number];

export interface HostFacts {
  readonly platform: string;
  readonly arch: string;
  readonly cpu: string;
  readonly cores: number;
  readonly freeBytes: number;
  /** Processes that wanted a core, as a mean over the last minute; 0 on Windows, which does not say. */
  readonly load: number;
}

/**
 * Free memory under the limit that a container sets; Node says 0 where there is none. The limit itself, not what is left
 * of it: what a container has in use counts cached files, which make room when asked.
 */
export function withinLimit(free: number, limit: number | undefined): number {
  return limit === undefined || limit <= 0 ? free : Math.min(free, limit);
}

export function hostFacts(): HostFacts {
  return {
    platform: process.platform,
    arch: process.arch,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    freeBytes: withinLimit(freemem(), process.constrainedMemory()),
    load: loadavg()[0] ?? 0,
  };
}

/**
 * The backend to open: with `auto` the first GPU that node-llama-cpp finds on this machine and whose libraries are
 * installed, else the CPU. Throws LIBRARY_NOT_FOUND for a GPU that was named and is not to be had.
 */
export async function chooseBackend(option: GpuOption): Promise<Backend> {
  if (option === 'off') return 'cpu';
  const { getLlamaGpuTypes } = await import('node-llama-cpp');
  const found = (await getLlamaGpuTypes('supported')).filter(type => type !== false);
  const usable = found.filter(type => findLibrary(type) !== null);
  if (option === 'auto') return usable[0] ?? 'cpu';
  if (usable.includes(option)) return option;
  const why = found.includes(option)
    ? `its libraries are not installed (the package @node-llama-cpp/…-${option})`
    : `node-llama-cpp finds no ${option} device here (found: ${found.length === 0 ? 'none' : found.join(', ')})`;
  throw new PlumblineError('LIBRARY_NOT_FOUND', `--gpu ${option}: ${why}. Use --gpu auto or --gpu off.`);
}
