/** How the process of a server ends with its connection. The clock stands still, so no time limit helps. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { StdioTransport } from './stdio-transport.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function serverOf(script: string): StdioTransport {
  const config = { type: 'stdio' as const, command: process.execPath, args: ['-e', script], env: {} };
  return new StdioTransport(config, { environment: {}, cwd: import.meta.dirname });
}

it('a server that is still starting is ended by a signal at once', async () => {
  const server = serverOf('setInterval(() => undefined, 1_000)');
  await server.start();
  await server.close();
  expect(server.ending).toBe('The process was ended by SIGTERM.');
});

it('a server that has sent a message may end by itself when its input ends', async () => {
  const server = serverOf(`
    process.stdin.resume().on('end', () => process.exit(3));
    console.log('{"jsonrpc":"2.0","method":"notifications/hello"}');`);
  const greeted = new Promise((resolve) => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library has no other way
    server.onmessage = resolve;
  });
  await server.start();
  await greeted;
  await server.close();
  expect(server.ending).toBe('The process ended with exit code 3.');
});
