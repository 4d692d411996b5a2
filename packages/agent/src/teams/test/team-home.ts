/** A team in a folder of its own, and members with a model that does each task with one call. For tests, also in other processes. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { errorCode, type Message } from '@heddle/core';
import { systemClock } from '@heddle/models';
import { call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { builtinTools } from '@heddle/tools';
import { createAgent } from '../../create-agent.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../../session/open/open.ts';
import { type MemberEnd, runMember } from '../run-member.ts';
import { openBlockers } from '../task-list.ts';
import { TeamFolder } from '../team-folder.ts';
import { type RunTeamHooks, TeamSession } from '../team-session.ts';
import { withTeamTasks } from '../team-tools.ts';

export const TEAM = 'crew';

export function teamIn(home: string): TeamFolder {
  return new TeamFolder(path.join(home, 'teams'), TEAM);
}

const setupOf = (home: string): OpenSetup => ({
  place: { configDir: home, cwd: home },
  version: '0',
  durability: 'process',
  now: Date.now,
});

/** Opens the session of a member. Its id follows from the name. */
export function openMemberSession(home: string, name: string): Session {
  const resumed = resumeSession(setupOf(home), sessionIdOf(name));
  const opened = resumed.ok ? resumed : newSession(setupOf(home), sessionIdOf(name));
  if (!opened.ok) throw new Error(opened.message);
  return opened.session;
}

function sessionIdOf(name: string): string {
  return `00000000-0000-4000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`;
}

/** Runs a member until no work is left. */
export async function runTestMember(home: string, name: string, signal: AbortSignal): Promise<MemberEnd> {
  const folder = teamIn(home);
  const member = await folder.join(name, sessionIdOf(name), Date.now());
  if (!member) throw new Error(`${name} cannot join.`);
  const team = new TeamSession(folder, member, hooksIn(home));
  const session = openMemberSession(home, name);
  const agent = createAgent({
    model: taskModel(),
    modelName: 'scripted',
    tools: [workTool(home, folder, name), ...withTeamTasks(taskTools(), () => team)],
    cwd: home,
    session,
    clock: systemClock,
    canUseTool: () => Promise.resolve({ allow: true }),
    takeQueued: () => team.takeQueued(),
    onEvent: (event) => team.observe(event),
    hooks: { team: team.atTurnEnd },
  });
  const onAbort = (): void => agent.abort('cancel');
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await runMember({ team, agent, untilDone: true, signal });
  } finally {
    session.journal.close();
  }
}

function taskTools() {
  return builtinTools().filter(({ name }) => name.startsWith('Task') && !/Output|Stop/.test(name));
}

/**
 * Does the task that its prompt names with one call. Other prompts are answered. After a kill, one message has the result of the
 * interrupted call and the next prompt behind it.
 */
function taskModel() {
  return scriptedModel((request) => {
    const blocks = [...request.messages].at(-1)?.content ?? [];
    const prompt = JSON.stringify(
      blocks.slice(blocks.findLastIndex(({ type }) => type === 'tool_result') + 1),
    );
    const [, id] = /Task #(\d+) of the team/.exec(prompt) ?? [];
    return id === undefined ? say('Done.') : call('Work', { id }, `w${crypto.randomUUID()}`);
  });
}

/** Writes one line for each task that it does, with the blockers that were still open. */
function workTool(home: string, folder: TeamFolder, name: string) {
  return fakeTool({
    name: 'Work',
    readOnly: false,
    run: ({ id }) => {
      const list = folder.tasks();
      const task = list.tasks.find((one) => one.id === id);
      const open = task ? openBlockers(list, task) : ['unknown'];
      appendFileSync(path.join(home, 'effects'), `${task?.id ?? '?'} ${name} ${open.join()}\n`);
      return 'worked';
    },
  });
}

export function effectsIn(
  home: string,
): readonly { readonly id: string; readonly by: string; readonly open: string }[] {
  return linesIn(home, 'effects').map((line) => {
    const [id = '', by = '', open = ''] = line.split(' ');
    return { id, by, open };
  });
}

/** Writes a line for each event. A file `block-EVENT` blocks the event once. */
function hooksIn(home: string): RunTeamHooks {
  return async (event, { teammate_name, task_id = '' }) => {
    appendFileSync(path.join(home, 'hooks'), `${event} ${String(teammate_name)} ${String(task_id)}\n`);
    if (!existsSync(path.join(home, `block-${event}`))) return undefined;
    return takeOnce(path.join(home, `blocked-${event}`)) ? 'A check failed.' : undefined;
  };
}

function takeOnce(file: string): boolean {
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

export function linesIn(home: string, name: string): readonly string[] {
  const file = path.join(home, name);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** The ids of team messages in a conversation, as the model reads them. */
export function mailIdsOf(messages: Iterable<Message>): readonly string[] {
  return [
    ...JSON.stringify([...messages]).matchAll(
      /teammate-message from=\\+"[\w.-]+\\+" id=\\+"([0-9a-f-]{36})/g,
    ),
  ].map(([, id = '']) => id);
}
