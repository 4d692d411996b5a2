/** Hosts that commands inside the sandbox may reach. All of them are on this machine. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REACH_HOST } from './hosts.ts';
import { check, sandboxFixtures } from './test/sandbox-fixture.ts';
import type { PermissionQuestion } from '../permission/question.ts';

const open = sandboxFixtures();
let servers: Server[] = [];
let listed = 0;
let other = 0;

beforeAll(async () => {
  servers = [
    createServer((_, response) => response.end('listed')),
    createServer((_, response) => response.end('other')),
  ];
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve(portOf(server)));
        }),
    ),
  );
  [listed = 0, other = 0] = ports;
});
afterAll(() => servers.forEach((server) => server.close()));

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Through the proxy, as with any host elsewhere. */
const curl = (port: number): string => `curl -sS --max-time 10 --noproxy '' http://127.0.0.1:${port}/`;

describe.runIf(check.available)('the network inside the sandbox', () => {
  it('reaches listed hosts', async () => {
    const { run } = open({ settings: { network: { allowedDomains: [`127.0.0.1:${listed}`] } } });
    expect(await run(curl(listed))).toMatchObject({ text: 'listed', isError: false });
  });

  it('reaches no other, and the model is told which', async () => {
    const { run } = open({ settings: { network: { allowedDomains: [`127.0.0.1:${listed}`] } } });
    const ran = await run(`${curl(other)} --fail`);
    expect(ran.isError).toBe(true);
    expect(ran.text).toContain(`The sandbox refused: connecting to 127.0.0.1:${other} (`);
    expect(ran.text).not.toContain('\nother');
  });

  it('has no way around the list', async () => {
    const { run } = open();
    const ran = await run(
      `curl -sS --max-time 5 --noproxy '*' http://127.0.0.1:${listed}/; (echo GET / > /dev/tcp/127.0.0.1/${listed})`,
    );
    expect(ran).toMatchObject({ isError: true });
    expect(ran.text).not.toContain('listed\n');
  });

  it('lets commands talk to each other on the loopback device of their own', async () => {
    const { run } = open();
    const server = `require('http').createServer((q, r) => r.end('own')).listen(8123, () => require('child_process').exec("curl -sS http://127.0.0.1:8123/", (e, out) => { console.log(out || e); process.exit(); }))`;
    expect((await run(`node -e ${JSON.stringify(server)}`)).text).toBe('own');
  });

  it('asks about a host that is on no list, once, and remembers the answer', async () => {
    const questions: PermissionQuestion[] = [];
    const { run } = open({
      ask: (question) => {
        questions.push(question);
        return Promise.resolve({ allow: true });
      },
    });
    expect((await run(`${curl(listed)}; ${curl(listed)}; ${curl(other)}`)).text).toBe('listedlistedother');
    expect(questions).toMatchObject([{ tool: REACH_HOST, input: { host: '127.0.0.1', port: listed } }]);
  });

  it('reaches no host that a list forbids, even if the user would allow it', async () => {
    const asked: string[] = [];
    const { run } = open({
      settings: { network: { deniedDomains: [`127.0.0.1:${other}`] } },
      ask: ({ input }) => {
        asked.push(JSON.stringify(input));
        return Promise.resolve({ allow: true });
      },
    });
    expect(await run(`${curl(other)} --fail`)).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
    expect(await run(curl(listed))).toMatchObject({ text: 'listed' });
    expect(await run(`${curl(other)} --fail`)).toMatchObject({ isError: true });
  });

  it('asks again with the next command after a refusal', async () => {
    const asked: string[] = [];
    const { run } = open({
      ask: ({ input }) => {
        asked.push(JSON.stringify(input));
        return Promise.resolve({ allow: false });
      },
    });
    await run(`${curl(listed)}; ${curl(listed)}`);
    expect(asked).toHaveLength(1);
    await run(curl(listed));
    expect(asked).toHaveLength(2);
  });

  it('withdraws a question that its command did not wait for', async () => {
    const withdrawn = Promise.withResolvers<void>();
    const { run } = open({
      ask: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            withdrawn.resolve();
            reject(new Error('withdrawn'));
          });
        }),
    });
    await run(`curl -sS --max-time 0.5 --noproxy '' http://127.0.0.1:${listed}/`);
    await withdrawn.promise;
  });

  it('refuses to start with a list that no sandbox can enforce', async () => {
    const { run } = open({ settings: { network: { allowedDomains: ['*.com'] } } });
    const ran = await run('echo ran');
    expect(ran).toMatchObject({
      isError: true,
      text: expect.stringContaining('The sandbox settings are not usable'),
    });
    expect(ran.text).not.toContain('\nran');
  });
});
