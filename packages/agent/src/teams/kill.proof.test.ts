/** Four members in processes of their own and many tasks with dependencies. One is killed at random moments and starts again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundledScript } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { TeamSession } from './team-session.ts';
import { effectsIn, teamIn } from './test/team-home.ts';

const IS_PROVING = process.env['HEDDLE_PROVE'] === '1';
const TRIALS = IS_PROVING ? 20 : 1;
const TASKS = IS_PROVING ? 100 : 24;
const MEMBERS = ['ada', 'bob', 'cid', 'dot'];
const MEMBER = path.join(import.meta.dirname, 'test/run-team-member.ts');

/** Resolves with the exit code, or undefined if the process was killed. */
async function runProcess(home: string, name: string, killAfterTasks: number): Promise<number | undefined> {
  const flags = ['--disable-warning=ExperimentalWarning', await bundledScript(MEMBER), home, name];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'close').then(() => true);
  while (Number.isFinite(killAfterTasks)) {
    if ((await Promise.race([ended, delay(1)])) === true) break;
    if (effectsIn(home).filter(({ by }) => by === name).length < killAfterTasks) continue;
    // Another moment of the task each time.
    await delay(Math.random() * 10);
    child.kill('SIGKILL');
    break;
  }
  await ended;
  return child.exitCode ?? undefined;
}

describe('a member that is killed', () => {
  it.each(Array.from({ length: TRIALS }, (_, at) => at))(
    'loses no task and blocks no other, trial %i',
    async () => {
      const home = mkdtempSync(path.join(tmpdir(), 'heddle-team-'));
      const folder = teamIn(home);
      await folder.create('', 0);
      const lead = new TeamSession(folder, undefined, async () => undefined);
      for (let at = 1; at <= TASKS; at += 1) {
        const earlier = [at - 1, at - 5, Math.floor(at / 2)].filter((id) => id > 0 && Math.random() < 0.3);
        // Some tasks are for one member, also for the one that is killed and does not start again.
        const owner = Math.random() < 0.2 ? MEMBERS[Math.floor(Math.random() * MEMBERS.length)] : undefined;
        await lead.addTask(
          { subject: `Part ${at}`, blockedBy: [...new Set(earlier)].map(String), owner },
          new AbortController().signal,
        );
      }
      const [victim = '', ...others] = MEMBERS;
      const running = others.map((name) => runProcess(home, name, Number.POSITIVE_INFINITY));
      const first = await runProcess(home, victim, 1 + Math.floor(Math.random() * 2));
      const second = await runProcess(home, victim, 1 + Math.floor((Math.random() * TASKS) / 8));
      expect(await Promise.all(running)).toEqual([0, 0, 0]);

      const { tasks } = folder.tasks();
      expect(tasks.filter(({ status }) => status !== 'completed')).toEqual([]);
      const effects = effectsIn(home);
      // No task began before those that it waits for.
      expect(effects.filter(({ open }) => open !== '')).toEqual([]);
      for (const { id, returns } of tasks) {
        const times = effects.filter((effect) => effect.id === id).length;
        expect(times).toBeGreaterThanOrEqual(1);
        // A task that was not handed back was done once.
        expect(times).toBeLessThanOrEqual(1 + returns);
      }
      const returned = tasks.filter(({ returns }) => returns > 0).length;
      const kills = [first, second].filter((code) => code === undefined).length;
      expect(returned).toBeLessThanOrEqual(kills);
      process.stdout.write(
        `kills: ${kills}, tasks handed back: ${returned}, effects: ${effects.length} of ${TASKS}\n`,
      );
    },
  );
});
