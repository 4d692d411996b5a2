/** Scenes with real processes: approvals that park, cancel without a worker, a hung worker, limits, budgets, drain. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Seen } from './client.ts';
import { findPrograms } from './postgres/embedded.ts';
import { questionId } from './questions.ts';
import { resultText } from './turns.ts';
import { type FleetHome, openFleetHome, openOwnServerHome } from './test/fleet-home.ts';
import { verifySession } from './test/verify.ts';

const isInstalled = (await findPrograms()) !== undefined;
const LIMIT_MS = 120_000;

describe.runIf(isInstalled)('a fleet', () => {
  let home: FleetHome;
  beforeAll(async () => {
    home = await openFleetHome();
    await home.fleet.tenant('acme');
  }, LIMIT_MS);
  afterAll(() => home.close());

  async function submitted(session: string, tenant = 'acme'): Promise<number> {
    await home.fleet.create(session, tenant);
    return home.fleet.submit(session, 'Do it.');
  }

  async function linesOf(session: string, untilTurn = 1): Promise<Seen[]> {
    const lines: Seen[] = [];
    for await (const line of home.fleet.watch(session, { untilTurn })) lines.push(line);
    return lines;
  }

  async function untilState(session: string, state: string): Promise<void> {
    while ((await home.fleet.turn(session, 1))?.state !== state) await sleep(20);
  }

  const textOf = async (session: string, turn = 1): Promise<string> =>
    resultText((await home.fleet.turn(session, turn))?.result);

  it(
    'parks a turn whose question stays open, survives the death of its worker, and continues with the answer',
    async () => {
      const first = await home.worker(['1', '10', 'ask'], { PARK_AFTER_MS: '200' });
      await submitted('parked');
      await untilState('parked', 'parked');
      first.kill('SIGKILL');
      const [question] = await home.fleet.questions('acme');
      if (!question) throw new Error('There is no question.');
      expect(await home.fleet.questions('another tenant')).toEqual([]);
      const other = { ...question, digest: 'of another input' };
      expect(await home.fleet.answer(other, { allow: true })).toBe(false);
      expect(home.effects('parked')).toEqual([]);
      expect(await home.fleet.answer(question, { allow: true }, 'ann')).toBe(true);
      expect(await home.fleet.answer(question, { allow: false })).toBe(false);
      const second = await home.worker(['1', '10', 'ask']);
      expect(verifySession(await linesOf('parked'), home.effects('parked'), 1)).toMatchObject({
        problems: [],
        calls: 1,
      });
      second.kill('SIGKILL');
    },
    LIMIT_MS,
  );

  it(
    'asks again if the model repeats a call with its id, also after the turn was parked',
    async () => {
      const repeat = { REPEAT_CALL: '1', PARK_AFTER_MS: '200' };
      const worker = await home.worker(['3', '10', 'ask'], repeat);
      await submitted('repeated');
      const asked = new Set<string>();
      for (const number of [1, 2, 3]) {
        await untilState('repeated', 'parked');
        const [question, ...others] = await home.fleet.questions('acme');
        if (!question) throw new Error('There is no question.');
        expect(others).toEqual([]);
        expect(home.effects('repeated')).toHaveLength(number - 1);
        asked.add(questionId(question));
        expect(await home.fleet.answer(question, { allow: true })).toBe(true);
        expect(await home.fleet.answer(question, { allow: true })).toBe(false);
        while (home.effects('repeated').length < number) await sleep(20);
      }
      expect(asked.size).toBe(3);
      worker.kill('SIGKILL');
      await home.fleet.cancel('repeated');
    },
    LIMIT_MS,
  );

  it(
    'cancels with no worker alive: at once if the turn never began, else when a worker comes',
    async () => {
      await submitted('never-began');
      expect(await home.fleet.cancel('never-began')).toBe(true);
      expect(await textOf('never-began')).toBe('The turn was canceled before it began.');
      const first = await home.worker(['9', '100']);
      await submitted('began');
      for await (const { kind } of home.fleet.watch('began')) if (kind === 'outcome') break;
      first.kill('SIGKILL');
      expect(await home.fleet.cancel('began')).toBe(true);
      const second = await home.worker(['9', '100']);
      const lines = await linesOf('began');
      expect(home.effects('began').length).toBeLessThan(9);
      expect(lines.at(-1)?.line).toContain('aborted');
      expect(await home.fleet.cancel('began')).toBe(false);
      second.kill('SIGKILL');
    },
    LIMIT_MS,
  );

  it(
    'takes over from a worker that hangs, and rejects its lines when it wakes',
    async () => {
      const hung = await home.worker(['4', '100'], { HUNG_MS: '1500' });
      await submitted('hung');
      for await (const { kind } of home.fleet.watch('hung')) if (kind === 'outcome') break;
      hung.kill('SIGSTOP');
      const other = await home.worker(['4', '10'], { HUNG_MS: '1500' });
      await untilState('hung', 'done');
      const over = once(hung, 'exit');
      hung.kill('SIGCONT');
      const lines = await linesOf('hung');
      expect(verifySession(lines, home.effects('hung'), 1).problems).toEqual([]);
      await over;
      expect(await linesOf('hung')).toHaveLength(lines.length);
      other.kill('SIGKILL');
    },
    LIMIT_MS,
  );

  it(
    'hands turns back on SIGTERM, and another worker ends them',
    async () => {
      const first = await home.worker(['4', '100']);
      await submitted('drained');
      for await (const { kind } of home.fleet.watch('drained')) if (kind === 'outcome') break;
      first.kill('SIGTERM');
      expect(await once(first, 'exit')).toEqual([0, null]);
      expect(await home.fleet.turn('drained', 1)).toMatchObject({ state: 'queued', takeovers: 0 });
      const second = await home.worker(['4', '10']);
      expect(verifySession(await linesOf('drained'), home.effects('drained'), 1).problems).toEqual([]);
      second.kill('SIGKILL');
    },
    LIMIT_MS,
  );

  it(
    'keeps to the limits and the budget of a tenant, and runs the turns of another one beside them',
    async () => {
      await home.fleet.tenant('busy', { maxRunning: 2 });
      // Two requests of a cent each: the third one is refused.
      await home.fleet.tenant('poor', { budgetUsd: 0.02, maxRunning: 1 });
      const names = Array.from({ length: 6 }, (_, at) => `busy-${at}`);
      for (const name of names) {
        await home.fleet.create(name, 'busy', { gate: 'open' });
        await home.fleet.submit(name, 'Do it.');
      }
      const worker = await home.worker(['1', '50']);
      // The turns of the other tenant end, so the queue was read while two turns were waiting at the gate.
      await submitted('poor-1', 'poor');
      await submitted('poor-2', 'poor');
      await linesOf('poor-1');
      await linesOf('poor-2');
      while (home.effects('busy-1').length === 0) await sleep(20);
      expect((await home.fleet.list('busy')).map(({ state }) => state)).toEqual([
        'running',
        'running',
        ...Array.from({ length: 4 }, () => 'queued'),
      ]);
      writeFileSync(path.join(home.folder, 'open'), '');
      for (const name of names) await linesOf(name);
      const [one, two] = [await textOf('poor-1'), await textOf('poor-2')].sort();
      expect(one).toBe('Done after 1 calls.');
      expect(two).toContain('The budget of the tenant poor is used up: $0.0200 of $0.02.');
      worker.kill('SIGKILL');
    },
    LIMIT_MS,
  );
});

describe.runIf(isInstalled)('a fleet whose database crashes', () => {
  it(
    'stands still while the database is away, and continues without a takeover',
    async () => {
      const home = await openOwnServerHome();
      try {
        await home.fleet.tenant('acme');
        await home.worker(['6', '100']);
        const names = ['calm-1', 'calm-2', 'calm-3'];
        for (const name of names) {
          await home.fleet.create(name, 'acme');
          await home.fleet.submit(name, 'Do it.');
        }
        for await (const { kind } of home.fleet.watch('calm-3')) if (kind === 'outcome') break;
        await home.crashServer();
        for (const name of names) {
          const lines: Seen[] = [];
          for await (const line of home.fleet.watch(name, { untilTurn: 1 })) lines.push(line);
          const verified = verifySession(lines, home.effects(name), 1);
          expect(verified).toMatchObject({ problems: [], calls: 6, uncertain: 0, takeovers: 0 });
        }
      } finally {
        await home.close();
      }
    },
    LIMIT_MS,
  );
});
