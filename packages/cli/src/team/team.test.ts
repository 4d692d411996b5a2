/** Teams through the shipped program: the lead at the command line, members in one process and in their own, hooks of the settings. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, EVENT_DEADLINE_MS, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const HOOK = { hooks: [{ type: 'command', command: 'cat >> "$HOME_LOG"; echo >> "$HOME_LOG"' }] };

describe('heddle team', () => {
  it('does the tasks of a list, runs the hooks, and delivers messages', async () => {
    const home = homeFor(installed.program);
    const log = path.join(home.folder, 'hooks.log');
    const env = { HOME_LOG: log };
    mkdirSync(path.join(home.folder, 'config'), { recursive: true });
    const settings = { hooks: { TaskCompleted: [HOOK], TeammateIdle: [HOOK] } };
    writeFileSync(path.join(home.folder, 'config/settings.json'), JSON.stringify(settings));
    const run = async (...argv: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await home.run(['team', ...argv], { env });
      return stdout + stderr;
    };
    expect(await run('create', 'docs')).toBe('Created the team docs.\n');
    expect(await run('create', 'docs')).toBe('heddle: There is a team docs.\n');
    expect(await run('task', 'docs', 'Write', 'it.')).toBe('Added task #1.\n');
    expect(await run('task', 'docs', 'Check it.', '--blocked-by', '1')).toBe('Added task #2.\n');
    expect(await run('task', 'docs', 'Ship it.', '--blocked-by', '7')).toContain('There is no task #7.');
    expect(await run('send', 'docs', 'ada', 'Hello.')).toContain('The team has no member ada.');

    // The first turn of each member sends a message and ends its task.
    const send = call('SendMessage', { to: 'team-lead', message: 'I begin.' }, 's1');
    const model = home.script([send, say('Done.'), say('Done.'), say('Done.'), say('Done.')]);
    const ended = await run('member', 'docs', 'ada', 'bob', '--until-done', '--', '--model', model);
    expect(ended.trim().split('\n').toSorted()).toEqual(['ada: done', 'bob: done']);
    expect(await run('list', 'docs')).toMatch(
      /^#1 \[completed\] Write it\. \((ada|bob)\)\n#2 \[completed\] Check it\. \((ada|bob)\)\nMembers: none\n$/,
    );
    expect(await run('mail', 'docs', '--take')).toMatch(/^((ada|bob): I begin\.\n){1,2}$/);
    expect(await run('mail', 'docs')).toBe('');
    const events = readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(
        (line) => JSON.parse(line) as { hook_event_name: string; task_subject?: string; team_name: string },
      );
    expect(events.filter(({ hook_event_name: name }) => name === 'TaskCompleted')).toMatchObject([
      { task_subject: 'Write it.', team_name: 'docs' },
      { task_subject: 'Check it.', team_name: 'docs' },
    ]);
    expect(events.at(-1)?.hook_event_name).toBe('TeammateIdle');

    const continued = await home.run(['-p', 'And now?', '--continue', '--model', home.script([say('No.')])]);
    expect(continued.stderr).toContain('There is no conversation to continue in this folder.');

    // A member of its own process works until the team is removed.
    expect(
      await run('start', 'docs', 'cid', '--', '--model', home.script([say('Read.'), say('Done.')])),
    ).toBe('Started 1 member.\n');
    expect(await run('send', 'docs', 'cid', 'Take the next one.')).toBe('Sent to cid.\n');
    await run('task', 'docs', 'Ship it.');
    const listed = async () =>
      JSON.parse(await run('list', 'docs', '--json')) as {
        tasks: { status: string }[];
        members: { pid: number }[];
      };
    await expect
      .poll(async () => (await listed()).tasks[2]?.status, { timeout: EVENT_DEADLINE_MS, interval: 200 })
      .toBe('completed');
    const { members } = await listed();
    await run('remove', 'docs');
    await expect.poll(() => isRunning(members[0]?.pid ?? 0), { timeout: EVENT_DEADLINE_MS }).toBe(false);
  });
});

function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z');
  } catch {
    return false;
  }
}
