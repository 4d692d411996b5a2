/** A fleet with real processes and a real server: submit, watch, kill a worker, take over, cancel, park and answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seen } from './client.ts';
import { findPrograms } from './postgres/embedded.ts';
import { SCHEDULERS } from './scheduler/open-scheduler.ts';
import { resultText } from './turns.ts';
import { verifySession } from './test/verify.ts';
import { type FleetHome, openFleetHome } from './test/fleet-home.ts';

const isInstalled = (await findPrograms()) !== undefined;
if (!isInstalled)
  console.log('No embedded PostgreSQL for this platform: workers, takeover and queues are not tested.');

let home: FleetHome;

describe.runIf(isInstalled).each(SCHEDULERS)('a fleet with the scheduler %s', (scheduler) => {
  beforeAll(async () => {
    home = await openFleetHome(scheduler);
    await home.fleet.tenant('acme');
  }, 120_000);
  afterAll(() => home.close());

  async function watched(session: string, untilTurn: number): Promise<Seen[]> {
    const seen: Seen[] = [];
    for await (const line of home.fleet.watch(session, { untilTurn })) seen.push(line);
    return seen;
  }

  it('runs a prompt, once for each key, and shows its lines in order', async () => {
    const worker = await home.worker(['2']);
    await home.fleet.create('s1', 'acme');
    const turn = await home.fleet.submit('s1', 'Do it.', { key: 'k1' });
    expect(await home.fleet.submit('s1', 'Do it.', { key: 'k1' })).toBe(turn);
    const seen = await watched('s1', turn);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_line, at) => at + 1));
    expect(resultText((await home.fleet.turn('s1', turn))?.result)).toBe('Done after 2 calls.');
    expect(home.effects('s1')).toEqual(['call_1', 'call_2']);
    worker.kill('SIGKILL');
  }, 120_000);

  it('continues on another worker after a kill, and repeats no effect', async () => {
    const first = await home.worker(['6', '100']);
    await home.fleet.create('s2', 'acme');
    const turn = await home.fleet.submit('s2', 'Do it.');
    for await (const { kind } of home.fleet.watch('s2')) if (kind === 'outcome') break;
    first.kill('SIGKILL');
    await home.worker(['6', '10']);
    const lines = await watched('s2', turn);
    const verified = verifySession(lines, home.effects('s2'), 1);
    expect(verified).toMatchObject({ problems: [], calls: 6, iterations: 7 });
    expect(verified.takeovers).toBeGreaterThanOrEqual(1);
    // Each request costs a cent. The bill is exact over the takeover.
    const [{ spentUsd } = { spentUsd: 0 }] = await home.fleet.list('acme', ['s2']);
    expect(spentUsd).toBeCloseTo(verified.billed / 100, 9);
    expect(resultText((await home.fleet.turn('s2', turn))?.result)).toBe('Done after 6 calls.');
  }, 120_000);
});
