/** `/tasks`: commands in the background, what one of them wrote, and its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Task } from '@heddle/tools';
import { harmless } from '../../terminal/harmless.ts';
import { counted, shortened, timeOf } from '../render/amounts.ts';
import type { Chat } from './command.ts';

/** The last lines of an output. */
const SHOWN = 30;
/** Longer than it takes to close the output of a process that was killed. */
const END_RECORDED_MS = 2_000;

export async function tasks(words: string, chat: Chat): Promise<void> {
  const { started, say } = chat;
  const all = started.tasks.list();
  if (all.length === 0) return say('Nothing runs in the background.');
  if (words === '') return say(all.map(lineOf).join('\n'));
  const [, stops, id = ''] = /^(stop\b\s*)?(\S*)$/i.exec(words) ?? [];
  const task = started.tasks.get(id) ?? (id === '' ? onlyOne(all) : undefined);
  if (!task)
    return say(
      `${id === '' ? 'Which one?' : 'There is no such task.'} /tasks ID shows its output, /tasks stop ID ends it.`,
    );
  if (stops === undefined) return say(outputOf(task, chat));
  if (task.end !== undefined) return say(`${task.id} is over already.`);
  await task.stop('stopped by the user');
  // Its processes are gone, but its end is recorded a moment later: the next command must find it.
  await Promise.race([task.ended, sleep(END_RECORDED_MS, undefined, { ref: false })]);
  say(`${task.id} is stopped.`);
}

/** The one that needs no name: the only one that still runs. */
function onlyOne(all: readonly Task[]): Task | undefined {
  const [only, ...others] = all.filter(({ end }) => end === undefined);
  return others.length === 0 ? only : undefined;
}

function lineOf({ id, spec, end, startedAt, endedAt }: Task): string {
  const state = end === undefined ? 'runs' : end.kind === 'exited' ? `exit ${end.code}` : end.kind;
  const time = timeOf((endedAt ?? Date.now()) - startedAt);
  return `  ${id}  ${state.padEnd(8)}  ${time.padStart(8)}  ${harmless(shortened(spec.command, 80))}`;
}

function outputOf(task: Task, { style: { paint, signs } }: Chat): string {
  const { head, tail, file, omitted } = task.output.view();
  const text = harmless(stripVTControlCharacters(omitted > 0 ? tail : head + tail)).trimEnd();
  const all = text === '' ? [] : text.split('\n');
  const before = all.length - SHOWN;
  const cut =
    omitted > 0 ? [signs.more] : before > 0 ? [`${signs.more} ${counted(before, 'line')} before`] : [];
  const shown = [...cut.map((line) => paint('dim', line)), ...all.slice(-SHOWN)];
  return [
    lineOf(task),
    ...(all.length === 0 ? ['  | (no output yet)'] : shown.map((line) => `  | ${line}`)),
    ...(file === undefined ? [] : [paint('dim', `  all of it: ${harmless(file)}`)]),
  ].join('\n');
}
