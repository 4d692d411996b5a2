/** The list as a stored conversation last had it: from its last TodoWrite call, or from what a compaction kept. Pure. */
import { isToolUse, type Message } from '@heddle/core';
import { type TaskChanges, type Todo, withChangedTask, withTask } from './todo-list.ts';

export function todosIn(messages: Iterable<Message>): readonly Todo[] {
  let todos: readonly Todo[] = [];
  for (const message of messages) {
    if (message.type === 'system' && message.subtype === 'compact_boundary') {
      const kept = message.details?.['kept'];
      todos = isRecord(kept) && typeof kept['todos'] === 'string' ? read(kept['todos']) : [];
    }
    if (message.type !== 'assistant') continue;
    for (const block of message.content) {
      if (isToolUse(block)) todos = afterCall(todos, block.name, block.input);
    }
  }
  return todos;
}

/** Calls that the tools rejected change nothing here either: what does not fit is passed over. */
function afterCall(
  todos: readonly Todo[],
  tool: string,
  input: Readonly<Record<string, unknown>>,
): readonly Todo[] {
  if (tool === 'TodoWrite') return listOf(input['todos']) ?? todos;
  if (tool === 'TaskCreate') {
    const { subject, description, activeForm } = input;
    if (typeof subject !== 'string' || subject === '') return todos;
    return withTask(todos, {
      content: subject,
      description: textOf(description),
      activeForm: textOf(activeForm),
    });
  }
  return tool === 'TaskUpdate' && isTaskChanges(input) ? (withChangedTask(todos, input) ?? todos) : todos;
}

function isTaskChanges(
  input: Readonly<Record<string, unknown>>,
): input is Readonly<Record<string, unknown>> & TaskChanges {
  const { taskId, status, addBlocks, addBlockedBy, ...others } = input;
  const isTexts = (value: unknown): boolean =>
    value === undefined || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
  return (
    typeof taskId === 'string' &&
    (status === undefined || status === 'deleted' || STATES.has(status)) &&
    isTexts(addBlocks) &&
    isTexts(addBlockedBy) &&
    ['subject', 'description', 'activeForm', 'owner'].every(
      (name) => others[name] === undefined || typeof others[name] === 'string',
    )
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
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
