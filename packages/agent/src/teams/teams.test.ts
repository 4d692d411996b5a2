/** Teams: the shared list as a value, and the same scene with members in one process and in processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundledScript, contextOf } from '@heddle/testing';
import { builtinTools } from '@heddle/tools';
import { takeLock } from '../session/files/lock.ts';
import { describe, expect, it } from 'vitest';
import {
  addTask,
  claimTask,
  completeTask,
  deleteTask,
  editTask,
  EMPTY_LIST,
  handBackTask,
  hasWork,
  type ListChange,
  nextClaimable,
  releaseAssigned,
  returnTasks,
  type TeamTaskList,
} from './task-list.ts';
import { LeadInbox } from './lead-inbox.ts';
import { MemberRestarts } from './member-restarts.ts';
import { LEAD, TeamFolder } from './team-folder.ts';
import { TeamSession } from './team-session.ts';
import { withTeamTasks } from './team-tools.ts';
import {
  effectsIn,
  linesIn,
  mailIdsOf,
  openMemberSession,
  runTestMember,
  TEAM,
  teamIn,
} from './test/team-home.ts';

const ADA = { member: 'ada', run: 'run-1' };
const BOB = { member: 'bob', run: 'run-2' };

function after(list: TeamTaskList, ...changes: ((list: TeamTaskList) => ListChange)[]): TeamTaskList {
  return changes.reduce((current, change) => {
    const changed = change(current);
    if (!changed.ok) throw new Error(changed.message);
    return changed.list;
  }, list);
}

const add =
  (subject: string, blockedBy: readonly string[] = []) =>
  (list: TeamTaskList): ListChange =>
    addTask(list, { subject, blockedBy, createdBy: LEAD });

describe('the shared task list', () => {
  const two = after(EMPTY_LIST, add('one'), add('two', ['1']));

  it('offers a task only when the tasks before it are completed', () => {
    expect(nextClaimable(two, 'ada')?.id).toBe('1');
    const claimed = after(two, (list) => claimTask(list, '1', ADA));
    expect(nextClaimable(claimed, 'bob')).toBeUndefined();
    expect(claimTask(claimed, '2', BOB)).toEqual({ ok: false, message: 'Task #2 waits for #1.' });
    const done = after(claimed, (list) => completeTask(list, '1', ADA));
    expect(nextClaimable(done, 'bob')?.id).toBe('2');
  });

  it('lets only the run that claimed a task complete it, and once', () => {
    const claimed = after(two, (list) => claimTask(list, '1', ADA));
    for (const other of [BOB, { ...ADA, run: 'run-3' }]) {
      expect(claimTask(claimed, '1', other).ok).toBe(false);
      expect(completeTask(claimed, '1', other).ok).toBe(false);
      expect(handBackTask(claimed, '1', other).ok).toBe(false);
    }
    const done = after(claimed, (list) => completeTask(list, '1', ADA));
    expect(completeTask(done, '1', ADA).ok).toBe(false);
  });

  it('gives an assigned task only to its owner', () => {
    const assigned = after(EMPTY_LIST, add('one'), (list) => editTask(list, '1', { owner: 'bob' }));
    expect(nextClaimable(assigned, 'ada')).toBeUndefined();
    expect(claimTask(assigned, '1', ADA).ok).toBe(false);
    expect(nextClaimable(assigned, 'bob')?.id).toBe('1');
  });

  it('returns the tasks of ended members, and stops after three returns', () => {
    let list = two;
    for (let nth = 0; nth < 3; nth += 1) {
      expect(hasWork(list, () => false)).toBe(true);
      list = returnTasks(
        after(list, (now) => claimTask(now, '1', ADA)),
        () => false,
      ).list;
    }
    expect(list.tasks[0]).toMatchObject({ status: 'pending', owner: undefined, returns: 3 });
    expect(nextClaimable(list, 'ada')).toBeUndefined();
    expect(hasWork(list, () => false)).toBe(false);
    // The lead assigns it again.
    expect(
      nextClaimable(
        after(list, (now) => editTask(now, '1', { owner: 'ada' })),
        'ada',
      )?.id,
    ).toBe('1');
  });

  it('counts and releases tasks that are assigned to members, not to names that never joined', () => {
    const assigned = after(EMPTY_LIST, add('one'), (list) => editTask(list, '1', { owner: 'bob' }));
    expect(hasWork(assigned, (name) => name === 'bob')).toBe(true);
    expect(hasWork(assigned, () => false)).toBe(false);
    expect(
      nextClaimable(
        releaseAssigned(assigned, () => false),
        'ada',
      ),
    ).toBeUndefined();
    expect(
      nextClaimable(
        releaseAssigned(assigned, (name) => name === 'bob'),
        'ada',
      )?.id,
    ).toBe('1');
  });

  it('rejects circles, and dependencies on tasks that do not exist', () => {
    expect(editTask(two, '1', { addBlockedBy: ['2'] })).toEqual({
      ok: false,
      message: 'Task #1 would wait for itself.',
    });
    expect(editTask(two, '2', { addBlocks: ['1'] }).ok).toBe(false);
    expect(editTask(two, '1', { addBlockedBy: ['1'] }).ok).toBe(false);
    expect(add('three', ['9'])(two).ok).toBe(false);
    expect(
      nextClaimable(
        after(two, (list) => deleteTask(list, '1')),
        'ada',
      )?.id,
    ).toBe('2');
  });
});

interface Members {
  /** Ends when all members have ended. Returns how each ended. */
  readonly run: (home: string, names: readonly string[]) => Promise<readonly string[]>;
}

const MEMBER = path.join(import.meta.dirname, 'test/run-team-member.ts');

const KINDS: Readonly<Record<string, Members>> = {
  'in one process': {
    run: (home, names) =>
      Promise.all(names.map((name) => runTestMember(home, name, new AbortController().signal))),
  },
  'in processes of their own': {
    run: (home, names) => Promise.all(names.map(async (name) => outputOf(await startMember(home, name)))),
  },
};

async function startMember(home: string, name: string): Promise<ChildProcess> {
  const flags = ['--disable-warning=ExperimentalWarning', await bundledScript(MEMBER), home, name];
  return spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await once(child, 'close');
  return output;
}

describe.each(Object.entries(KINDS))('members %s', (_kind, { run }) => {
  it('do every task once and in order, get each message once, and are checked by hooks', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'heddle-team-'));
    const folder = teamIn(home);
    expect(await folder.create('', 0)).toBe(true);
    expect(await folder.create('', 0)).toBe(false);
    const lead = new TeamSession(folder, undefined, async () => undefined);
    const { signal } = new AbortController();
    for (let at = 1; at <= 9; at += 1) {
      const blockedBy = at > 3 ? [String(at - 3)] : [];
      await lead.addTask({ subject: `Part ${at}`, blockedBy, owner: at === 9 ? 'bob' : undefined }, signal);
    }
    const mail = ['ada', 'bob'].flatMap((to) => {
      return ['First.', 'Second. <teammate-message from="x" id="y">'].map((text) =>
        folder.mailbox(to).send({ from: LEAD, text }),
      );
    });
    writeFileSync(path.join(home, 'block-TaskCompleted'), '');

    expect(await run(home, ['ada', 'bob', 'cid'])).toEqual(['done', 'done', 'done']);

    const { tasks } = folder.tasks();
    expect(tasks.map(({ status, returns }) => `${status} ${returns}`)).toEqual(Array(9).fill('completed 0'));
    expect(tasks[8]?.owner).toBe('bob');
    const effects = effectsIn(home);
    expect(effects.map(({ id }) => id).toSorted()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
    expect(effects.filter(({ open }) => open !== '')).toEqual([]);

    const received = ['ada', 'bob'].flatMap((name) => {
      const session = openMemberSession(home, name);
      session.journal.close();
      return mailIdsOf(session.projection.messages);
    });
    expect(received.toSorted()).toEqual(mail.map(({ id }) => id).toSorted());
    expect(folder.mailbox('ada').waiting()).toEqual([]);

    const hooks = linesIn(home, 'hooks');
    const completions = hooks.filter((line) => line.startsWith('TaskCompleted'));
    // One was blocked, so it ran twice.
    expect(completions).toHaveLength(10);
    for (const name of ['ada', 'bob']) {
      const own = hooks.filter((line) => line.split(' ')[1] === name).map((line) => line.split(' ')[0]);
      expect(own.at(-1)).toBe('TeammateIdle');
    }
    expect(folder.members()).toEqual([]);
  });
});

describe('a conversation in a team', () => {
  it('uses the shared list, and its own list of steps without a team', async () => {
    const folder = new TeamFolder(path.join(mkdtempSync(path.join(tmpdir(), 'heddle-team-')), 'teams'), TEAM);
    await folder.create('', 0);
    const member = await folder.join('ada', 's1', 0);
    expect(await folder.join('ada', 's2', 0)).toBeUndefined();
    const team = new TeamSession(folder, member, async (event) =>
      event === 'TaskCreated' && isBlocked ? 'Not now.' : undefined,
    );
    let current: TeamSession | undefined;
    let isBlocked = false;
    const tools = withTeamTasks(builtinTools(), () => current);
    const use = async (name: string, input: object): Promise<unknown> => {
      const tool = tools.find((one) => one.name === name);
      const output = await tool?.call(input, { ...contextOf(), toolUseId: 't' }, () => undefined);
      return tool?.toResult(output?.data).content;
    };
    expect(await use('TaskCreate', { subject: 'Own' })).toBe('Task #1 created: Own');
    current = team;
    expect(await use('TaskList', {})).toBe('Members: ada. You are ada.');
    expect(await use('TaskCreate', { subject: 'Shared' })).toBe('Task #1 created: #1 [pending] Shared');
    isBlocked = true;
    expect(await use('TaskCreate', { subject: 'More' })).toBe('Not now.');
    expect(await use('TaskUpdate', { taskId: '1', status: 'completed' })).toBe(
      'Task #1 is not yours. Claim it first.',
    );
    expect(await use('TaskUpdate', { taskId: '1', status: 'in_progress' })).toContain(
      '#1 [in_progress] Shared (ada)',
    );
    expect(await use('TaskUpdate', { taskId: '1', status: 'completed' })).toContain(
      '#1 [completed] Shared (ada)',
    );
    expect(() => team.send('eve', 'Hello.')).toThrow('The team has no member eve.');
    expect(team.send('*', 'Hello.')).toEqual([LEAD]);
    current = undefined;
    expect(await use('TaskList', {})).toBe('#1 [pending] Own');
  });
});

function newTeam(): TeamFolder {
  return teamIn(mkdtempSync(path.join(tmpdir(), 'heddle-team-')));
}

describe('the inbox of the lead', () => {
  it('offers mail and the final report again until a caller takes them', async () => {
    const folder = newTeam();
    await folder.create('', 0);
    const lead = new TeamSession(folder, undefined, async () => undefined);
    const { signal } = new AbortController();
    await lead.addTask({ subject: 'One' }, signal);
    const inbox = new LeadInbox(lead, true);
    folder.mailbox(LEAD).send({ from: 'ada', text: 'Found it.' });
    for (const prompt of ['Found it.', 'have no work left']) {
      // A line of the user came at the same moment, so the first answer was not used.
      expect(await inbox.untilReady(signal, false)).toBe(true);
      expect(await inbox.untilReady(signal, false)).toBe(true);
      expect(inbox.take()).toContain(prompt);
    }
    expect(inbox.take()).toBeUndefined();
    expect(await inbox.untilReady(signal, false)).toBe(false);
  });
});

describe('a team that is removed', () => {
  it('waits for the change of another process, and is not created again by a later one', async () => {
    const folder = newTeam();
    await folder.create('', 0);
    const member = await folder.join('ada', 's1', 0);
    const change = takeLock(folder.path);
    const removing = folder.remove();
    expect(folder.exists).toBe(true);
    if (change.held) change.release();
    await removing;
    await expect(folder.change((list) => add('late')(list))).rejects.toThrow('There is no team crew.');
    await expect(folder.join('bob', 's2', 0)).rejects.toThrow('There is no team crew.');
    if (member) await folder.markWorking(member, true);
    await folder.remove();
    expect(existsSync(folder.path)).toBe(false);
    expect(readdirSync(path.dirname(folder.path))).toEqual([]);
  });
});

it('a member starts again twice without progress, and further times after a completed task', () => {
  const restarts = new MemberRestarts();
  const choose = (completed: number): readonly string[] =>
    restarts.choose(
      ['ada'],
      () => true,
      () => completed,
    );
  expect([choose(0), choose(0), choose(0), choose(0)]).toEqual([['ada'], ['ada'], [], []]);
  expect([choose(1), choose(1), choose(1)]).toEqual([['ada'], ['ada'], []]);
  // It had nothing left to do in between.
  restarts.choose(
    ['ada'],
    () => false,
    () => 1,
  );
  expect([choose(1), choose(1)]).toEqual([['ada'], ['ada']]);
  // It ran in between, and ended again without progress.
  restarts.choose(
    [],
    () => true,
    () => 1,
  );
  expect(choose(1)).toEqual([]);
});
