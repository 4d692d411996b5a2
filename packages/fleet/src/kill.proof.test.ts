/**
 * Workers are killed at random while they run sessions. Every prompt ends once, every message is stored once, no number is missing,
 * and no effect is repeated unannounced. The replay confirms every iteration.
 */
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Seen } from './client.ts';
import { findPrograms } from './postgres/embedded.ts';
import { openFleetHome } from './test/fleet-home.ts';
import { verifySession } from './test/verify.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
/** In each round, new sessions run while workers are killed. A turn with more than twenty takeovers would count as poison. */
const ROUNDS = PROVING ? Number(process.env['HEDDLE_ROUNDS'] ?? 10) : 1;
const { sessions, calls, kills, workers } = PROVING
  ? { sessions: 100, calls: 20, kills: 20, workers: 3 }
  : { sessions: 6, calls: 5, kills: 3, workers: 2 };
/** The runs must last longer than the kills, so each call takes a while. */
const DELAY_MS = PROVING ? 2_000 : 150;
const SEED = Number(process.env['HEDDLE_SEED'] ?? 1);

const isInstalled = (await findPrograms()) !== undefined;

it.runIf(isInstalled)(
  `${ROUNDS * kills} kills of ${workers} workers leave ${ROUNDS * sessions} sessions of ${calls} calls correct`,
  async () => {
    const home = await openFleetHome();
    const { fleet } = home;
    const alive: ChildProcess[] = [];
    const start = async (): Promise<void> =>
      void alive.push(await home.worker([String(calls), String(DELAY_MS)]));
    try {
      await fleet.tenant('acme', { maxRunning: sessions });
      await Promise.all(Array.from({ length: workers }, start));
      const totals = { calls: 0, uncertain: 0, takeovers: 0, iterations: 0, billed: 0 };
      const problems: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const names = Array.from({ length: sessions }, (_, at) => `r${round}-s${at}`);
        for (const name of names) {
          await fleet.create(name, 'acme');
          await fleet.submit(name, 'Do the work.');
        }
        for (let kill = 0; kill < kills; kill++) {
          await sleep(200 + ((SEED * 7_919 + round * 1_299_709 + kill * 104_729) % 700));
          alive.splice((kill * 31) % alive.length, 1)[0]?.kill('SIGKILL');
          await start();
        }
        for (const name of names) {
          const lines: Seen[] = [];
          for await (const line of fleet.watch(name, { untilTurn: 1 })) lines.push(line);
          const verified = verifySession(lines, home.effects(name), 1);
          problems.push(...verified.problems.map((problem) => `${name}: ${problem}`));
          for (const key of ['calls', 'uncertain', 'takeovers', 'iterations', 'billed'] as const)
            totals[key] += verified[key];
        }
        console.log(`${(round + 1) * kills} kills: ${JSON.stringify(totals)}, ${problems.length} problems`);
      }
      expect(problems).toEqual([]);
      expect(totals.calls).toBe(ROUNDS * sessions * calls);
      expect(totals.iterations).toBe(ROUNDS * sessions * (calls + 1));
      expect(totals.takeovers).toBeGreaterThan(0);
      const spentUsd = (await fleet.list()).reduce((sum, row) => sum + row.spentUsd, 0);
      expect(spentUsd).toBeCloseTo(totals.billed / 100, 6);
      expect((await fleet.list()).every(({ state }) => state === 'idle')).toBe(true);
    } finally {
      await home.close();
    }
  },
);
