import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

export interface Asked {
  readonly model: string;
  readonly input: readonly string[];
  readonly authorization: string | undefined;
}
export type Answer = (asked: Asked, response: ServerResponse) => void | Promise<void>;

const closing: (() => void)[] = [];

/** Ends every server of this file's tests; called after each test. */
export function closeServers(): void {
  for (const close of closing.splice(0)) close();
}
afterEach(closeServers);

/** A server whose n-th request gets the n-th answer; the last answer goes on. */
export async function serve(...answers: readonly Answer[]) {
  const asked: Asked[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { model, input } = JSON.parse(body) as Asked;
    const now = { model, input, authorization: request.headers.authorization };
    asked.push(now);
    await answers[Math.min(asked.length, answers.length) - 1]?.(now, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}/v1/embeddings`, asked };
}

export const json = (response: ServerResponse, value: unknown): void => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
};
