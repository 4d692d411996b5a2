/** `/tasks`: commands and subagents in the background, their output and their end, and the task list of the team. */
import type { Agent } from '@heddle/agent';
import type { Task } from '@heddle/tools';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from '../terminal/escape-controls.ts';
import { durationText, pluralize, shortened, tokens } from '../terminal/amounts.ts';
import type { Chat } from './command.ts';

/** The last lines of an output. */
const SHOWN = 30;
/** Longer than it takes to close the output of a process that was killed. */
const END_RECORDED_MS = 2_000;

/** A command or a subagent. */
interface Listed {
  readonly id: string;
  readonly isRunning: boolean;
  readonly line: string;
  readonly output: (chat: Chat) => string;
  readonly stop: () => Promise<void>;
}

export async function tasks(words: string, chat: Chat): Promise<void> {
  const { started, say } = chat;
  if (words === 'background') return say(moveToBackground(chat));
  const { agent } = started;
  const all = [
    ...started.tasks.list().map(ofCommand),
    ...(agent.subagents?.list() ?? []).map(ofAgent(agent)),
  ];
  const team = words === '' ? await teamLines(chat) : [];
  if (all.length + team.length === 0) return say('Nothing runs in the background.');
  if (words === '') return say([...all.map(({ line }) => line), ...team].join('\n'));
  const [, stops, id = ''] = /^(stop\b\s*)?(\S*)$/i.exec(words) ?? [];
  const task = all.find((one) => one.id === id) ?? (id === '' ? onlyOne(all) : undefined);
  if (!task)
    return say(
      `${id === '' ? 'Which one?' : 'There is no such task.'} /tasks ID shows its output, /tasks stop ID ends it.`,
    );
  if (stops === undefined) return say([task.line, task.output(chat)].join('\n'));
  if (!task.isRunning) return say(`${task.id} is over already.`);
  await task.stop();
  say(`${task.id} is stopped.`);
}

/** The shared list and the running members. Empty if the conversation is not part of a team. */
async function teamLines({ started: { team } }: Chat): Promise<readonly string[]> {
  if (!team.session) return [];
  const { folder } = team.session;
  const { openTaskLines } = await import('@heddle/agent/teams');
  const members = folder.members().map(({ name, isWorking }) => (isWorking ? `${name} (works)` : name));
  const head = `  team ${folder.name}: ${members.join(', ') || 'no member runs'}`;
  return [
    head,
    ...openTaskLines(folder.tasks()).map((line) => `    ${escapeControls(shortened(line, 100))}`),
  ];
}

/** The calls that wait for a command or a subagent return, and both continue. */
function moveToBackground({ started }: Chat): string {
  const commands = started.tasks.leaveCalls();
  const agents = started.agent.subagents?.moveToBackground() ?? false;
  return commands || agents ? 'It continues in the background. See /tasks.' : 'No call waits for anything.';
}

/** The one that needs no name: the only one that still runs. */
function onlyOne(all: readonly Listed[]): Listed | undefined {
  const [only, ...others] = all.filter(({ isRunning }) => isRunning);
  return others.length === 0 ? only : undefined;
}

function ofCommand(task: Task): Listed {
  const { id, spec, end, startedAt, endedAt } = task;
  const state = end === undefined ? 'runs' : end.kind === 'exited' ? `exit ${end.code}` : end.kind;
  return {
    id,
    isRunning: end === undefined,
    line: lineOf(id, state, (endedAt ?? Date.now()) - startedAt, spec.command),
    output: (chat) => commandOutput(task, chat),
    stop: async () => {
      await task.stop('stopped by the user');
      // Its processes are gone, but its end is recorded a moment later: the next command must find it.
      await Promise.race([task.ended, sleep(END_RECORDED_MS, undefined, { ref: false })]);
    },
  };
}

type Status = ReturnType<NonNullable<Agent['subagents']>['list']>[number];

const ofAgent =
  ({ subagents }: Agent) =>
  ({ record, usage, lastTool, result, isRunning }: Status): Listed => {
    const { agentId, agentType, description, parentId } = record;
    const state = isRunning ? 'runs' : (result?.status ?? 'interrupted');
    const amounts = `${pluralize(usage.tool_uses, 'call')}, ${tokens(usage.total_tokens)} tokens`;
    const last = isRunning && lastTool !== undefined ? `, ${lastTool}` : '';
    const below = parentId === undefined ? '' : `, below ${parentId}`;
    return {
      id: agentId,
      isRunning,
      line: lineOf(
        agentId,
        state,
        usage.duration_ms,
        `${agentType}: ${description}${below} (${amounts}${last})`,
      ),
      output: ({ style: { paint, signs } }) =>
        lastLines(subagents?.output(agentId)?.text ?? '', (count) =>
          paint('dim', `${signs.more} ${pluralize(count, 'line')} before`),
        ),
      stop: async () => void (await subagents?.stop(agentId, 'stopped by the user')),
    };
  };

function lineOf(id: string, state: string, ms: number, about: string): string {
  const time = durationText(ms).padStart(8);
  return `  ${id}  ${state.padEnd(8)}  ${time}  ${escapeControls(shortened(about, 80))}`;
}

function commandOutput(task: Task, { style: { paint, signs } }: Chat): string {
  const { head, tail, file, omitted } = task.output.view();
  const cut = (count: number): string => paint('dim', `${signs.more} ${pluralize(count, 'line')} before`);
  const text = lastLines(
    omitted > 0 ? tail : head + tail,
    omitted > 0 ? () => paint('dim', signs.more) : cut,
  );
  return file === undefined ? text : [text, paint('dim', `  all of it: ${escapeControls(file)}`)].join('\n');
}

/** The end of a text. `cut` is the line about those before it. */
function lastLines(output: string, cut: (count: number) => string): string {
  const text = escapeControls(stripVTControlCharacters(output)).trimEnd();
  const all = text === '' ? [] : text.split('\n');
  if (all.length === 0) return '  | (no output yet)';
  const before = all.length - SHOWN;
  const shown = before > 0 ? [cut(before), ...all.slice(-SHOWN)] : all;
  return shown.map((line) => `  | ${line}`).join('\n');
}
