/** The list as a stored conversation last had it: from its last TodoWrite call, or from what a compaction kept. Pure. */
import { isToolUse, type Message } from '@heddle/core';
import type { Todo } from './todo-list.ts';

export function todosIn(messages: Iterable<Message>): readonly Todo[] {
  let todos: readonly Todo[] = [];
  for (const message of messages) {
    if (message.type === 'system' && message.subtype === 'compact_boundary') {
      const kept = message.details?.['kept'];
      todos = isRecord(kept) && typeof kept['todos'] === 'string' ? read(kept['todos']) : [];
    }
    if (message.type !== 'assistant') continue;
    for (const block of message.content) {
      if (isToolUse(block) && block.name === 'TodoWrite') todos = listOf(block.input['todos']) ?? todos;
    }
  }
  return todos;
}

function read(json: string): readonly Todo[] {
  try {
    return listOf(JSON.parse(json)) ?? [];
  } catch {
    return [];
  }
}

/** Undefined where it is no list that the tool would have taken. */
function listOf(value: unknown): readonly Todo[] | undefined {
  return Array.isArray(value) && value.every(isTodo) ? value : undefined;
}

const STATES: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed']);

function isTodo(value: unknown): value is Todo {
  if (!isRecord(value) || typeof value['content'] !== 'string' || value['content'] === '') return false;
  const { activeForm, status } = value;
  return STATES.has(status) && (activeForm === undefined || typeof activeForm === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
