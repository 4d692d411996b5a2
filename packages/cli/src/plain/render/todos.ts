/** The model's list of steps. */
import { harmless } from '../../terminal/harmless.ts';
import type { Style } from '../style.ts';
import { shortened } from './amounts.ts';

const MARKS: Readonly<Record<string, string>> = {
  completed: '[x]',
  in_progress: '[>]',
  pending: '[ ]',
};

/** Takes what the model wrote: whatever is no step is left out. */
export function todoLines(todos: unknown, { paint }: Style): string[] {
  if (!Array.isArray(todos)) return [];
  return todos.flatMap((todo: unknown) => {
    const content = field(todo, 'content');
    const status = field(todo, 'status');
    if (typeof content !== 'string') return [];
    const line = `${MARKS[String(status)] ?? '[ ]'} ${harmless(shortened(content, 100))}`;
    return [
      status === 'completed' ? paint('dim', line) : status === 'in_progress' ? paint('bold', line) : line,
    ];
  });
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
