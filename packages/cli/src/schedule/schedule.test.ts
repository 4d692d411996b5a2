/** Schedules through the shipped program: the command, its runner process, the jobs, and the tools of the model. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Schedule, ScheduleFolder } from '@heddle/agent/schedule';
import { call, EVENT_DEADLINE_MS, say, type ScriptStep } from '@heddle/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Home, homeFor } from '../test/home.ts';
import { install, type Installed, linesOf } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

/** Runners that a failed test would leave. */
const folders: ScheduleFolder[] = [];
afterEach(() => {
  for (const { runner } of folders.splice(0)) if (runner !== undefined) process.kill(runner, 'SIGKILL');
});

const HOUR = 3_600_000;

const PLANNER = '---\nname: planner\ndescription: Plans\n---\nYou plan.\n';

function scene(script: readonly ScriptStep[]): {
  readonly home: Home;
  readonly model: string;
  readonly folder: ScheduleFolder;
  readonly listed: () => Promise<unknown>;
} {
  const home = homeFor(installed.program);
  const folder = new ScheduleFolder(path.join(home.folder, 'config/schedules'));
  folders.push(folder);
  const listed = async () => JSON.parse((await home.run(['schedule', 'list', '--json'])).stdout) as unknown;
  return { home, model: home.script(script), folder, listed };
}

/** Moves a schedule in time, so that it is due when the test needs it. */
function moveStart(folder: ScheduleFolder, { id, ...schedule }: Schedule, createdAt: number): void {
  writeFileSync(path.join(folder.path, `${id}.json`), JSON.stringify({ ...schedule, id, createdAt }));
}

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + EVENT_DEADLINE_MS; !condition(); await delay(20))
    if (Date.now() > deadline) throw new Error('The condition was not met in time.');
}

describe('heddle schedule', () => {
  it('runs a due prompt as a job, reports missed runs once, and ends its runner with the last schedule', async () => {
    const { home, model, folder, listed } = scene([say('Done.')]);
    const added = await home.run(['schedule', 'add', '--every', '1h', 'Look.', '--model', model]);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^Added schedule [0-9a-f]{8}: every 1h\nThe runner has started\.\n$/);
    const [schedule] = folder.list();
    if (!schedule) throw new Error('The schedule was not stored.');
    expect(await home.run(['schedule', 'serve'])).toMatchObject({
      code: 1,
      stderr: 'heddle: Another runner is running.\n',
    });
    expect((await home.run(['schedule', 'stop'])).stdout).toBe('The runner has stopped. Jobs continue.\n');

    // The machine was off for three hours. The fourth run is due in a second.
    moveStart(folder, schedule, Date.now() - 4 * HOUR + 1_000);
    // A script leaves the notice to the next conversation.
    const script = await home.run(['-p', 'Hello.', '--model', model]);
    expect(script).toMatchObject({ code: 0, stderr: '' });
    expect(script.stdout).not.toContain('did not take place');
    const notice = '3 scheduled runs did not take place; see: heddle schedule list';
    const plain = async () => (await home.run(['--plain', '--model', model], { input: '' })).stdout;
    expect(await plain()).toContain(notice);
    expect(await plain()).not.toContain('did not take place');
    expect((await home.run(['schedule', 'start'])).stdout).toBe('The runner has started.\n');
    await until(() => folder.state(schedule).lastRun?.isStarted === true);
    const { lastRun } = folder.state(schedule);
    const job = path.join(home.folder, 'config/jobs', lastRun?.jobId ?? '', 'state.json');
    await until(() => readFileSync(job, 'utf8').includes('"state": "done"'));
    expect(await listed()).toMatchObject({
      runner: 'running',
      schedules: [{ id: schedule.id, lastRun: { jobId: lastRun?.jobId }, missed: { count: 3 } }],
    });

    const pid = folder.runner;
    expect((await home.run(['schedule', 'remove', schedule.id.slice(0, 6)])).code).toBe(0);
    await until(() => folder.runner === undefined && !existsSync(`/proc/${pid}`));
    expect(readdirSync(path.join(home.folder, 'config/jobs'))).toHaveLength(1);
  });

  it('lets the model add, list and remove a schedule with permission', async () => {
    const { home, folder } = scene([]);
    mkdirSync(path.join(home.folder, 'config/agents'), { recursive: true });
    writeFileSync(path.join(home.folder, 'config/agents/planner.md'), PLANNER);
    writeFileSync(path.join(home.folder, 'config/settings.json'), '{"agent":"planner"}');
    const input = { cron: '0 9 * * *', prompt: '--dangerous words are a prompt', time_zone: 'UTC' };
    const model = home.script([call('CronCreate', input, 't1'), call('CronList', {}, 't2'), say('Done.')]);
    const flags = ['-p', 'Plan it.', '--model', model, '--output-format', 'stream-json', '--verbose'];
    const denied = await home.run([...flags, '--tools', 'CronCreate,CronList']);
    expect(folder.list()).toEqual([]);
    expect(denied.stdout).toContain('permission_denials":[{"tool_name":"CronCreate"');

    const ran = await home.run([...flags, '--tools', 'CronCreate,CronList', '--allowed-tools', 'CronCreate']);
    const [schedule] = folder.list();
    expect(schedule).toMatchObject({
      argv: [
        // The agent of the settings limits this run, so it also limits the job.
        '--agent',
        'planner',
        '--model',
        model,
        '--tools=CronCreate',
        '--tools=CronList',
        '--permission-mode',
        'default',
        '--disable-slash-commands',
        '--',
        '--dangerous words are a prompt',
      ],
      timing: { expression: '0 9 * * *', timeZone: 'UTC' },
    });
    const results = linesOf(ran.stdout).filter((line) => JSON.stringify(line).includes('tool_result'));
    expect(JSON.stringify(results)).toContain(`${schedule?.id} 0 9 * * * (UTC), next: `);
    home.script([call('CronDelete', { id: schedule?.id ?? '' }, 't3'), say('Done.')]);
    await home.run([...flags, '--tools', 'CronDelete', '--allowed-tools', 'CronDelete']);
    expect(folder.list()).toEqual([]);
  });

  it.each([
    [['add', 'Look.'], 'A schedule has --every or --cron. See: heddle schedule help'],
    [['add', '--every', '5', 'Look.'], '5: an interval is a number with m, h, d or w, such as 30m'],
    [['add', '--every', '1h'], 'There is no prompt. See: heddle schedule help'],
    [['add', '--', 'Look', '--every', '1h'], 'A schedule has --every or --cron. See: heddle schedule help'],
    [['add', '--every', '\u001b[31m', 'Look.'], '\\x1b[31m: an interval'],
    [['remove', 'abc'], 'There is no schedule abc. To list them: heddle schedule list'],
  ])('reports the mistake in %j', async (argv, message) => {
    const ended = await homeFor(installed.program).run(['schedule', ...argv]);
    expect(ended.stderr).toContain(`heddle: ${message}`);
    expect(ended.code).toBeGreaterThan(0);
  });
});
