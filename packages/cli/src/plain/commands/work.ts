/** `/todos` and `/doctor`. */
import { todoLines } from '../render/todos.ts';
import type { Chat } from './command.ts';

export function todos({ started, say, style }: Chat): void {
  const lines = todoLines(started.todos.get(), style);
  say(lines.length > 0 ? lines.map((line) => `  ${line}`).join('\n') : 'There is nothing on the list.');
}

export async function doctor({ options }: Chat): Promise<void> {
  const { doctor: examine } = await import('../../doctor/doctor.ts');
  await examine([], options.plays ?? options.modelName);
}
