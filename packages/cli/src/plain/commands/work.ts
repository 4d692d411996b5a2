/** `/todos`, `/tasks` and `/doctor`. */
import { COMMANDS, isCommand } from '../../commands.ts';
import { harmless } from '../../terminal/harmless.ts';
import { shortened, timeOf } from '../render/amounts.ts';
import { todoLines } from '../render/todos.ts';
import type { Chat } from './command.ts';

export function todos({ started, say, style }: Chat): void {
  const lines = todoLines(started.todos.get(), style);
  say(lines.length > 0 ? lines.map((line) => `  ${line}`).join('\n') : 'There is nothing on the list.');
}

export function tasks({ started, say }: Chat): void {
  const lines = started.tasks.list().map(({ id, spec, end, startedAt, endedAt }) => {
    const state = end === undefined ? 'runs' : end.kind === 'exited' ? `exit ${end.code}` : end.kind;
    const time = timeOf((endedAt ?? Date.now()) - startedAt);
    return `  ${id}  ${state.padEnd(8)}  ${time.padStart(8)}  ${harmless(shortened(spec.command, 80))}`;
  });
  say(lines.length > 0 ? lines.join('\n') : 'Nothing runs in the background.');
}

export async function doctor(): Promise<void> {
  const name = 'doctor';
  if (isCommand(name)) await (await COMMANDS[name]())([]);
}
