/** TodoWrite: the model's own list of steps, shown to the user and kept when the history is shortened. */
import { isRecord, isToolUse, type Message, type Tool } from '@heddle/core';
import { inputSchemas } from '../generated/schemas.ts';
import type { TodoWriteInput } from './schema.ts';

export interface TodoWriteData {
  readonly oldTodos: readonly Todo[];
  readonly newTodos: readonly Todo[];
}

export function createTodoWriteTool(list: TodoList): Tool<TodoWriteInput, TodoWriteData> {
  return {
    name: 'TodoWrite',
    description:
      'Keeps your list of steps for work that has several. One is in progress at a time; mark each when it is done.',
    inputJSONSchema: inputSchemas.TodoWrite,
    inputSchema: async () => (await import('./schema.ts')).todoWriteInput,
    // It changes nothing outside this conversation.
    isReadOnly: () => true,
    isConcurrencySafe: () => false,
    isIdempotent: () => true,
    maxResultSize: 10_000,
    interruptBehavior: 'block',

    call({ todos }, { agentId }) {
      const oldTodos = list.get(agentId);
      list.set(todos, agentId);
      return Promise.resolve({ data: { oldTodos, newTodos: todos } });
    },

    toResult({ newTodos }) {
      const done = newTodos.filter(({ status }) => status === 'completed').length;
      return { content: `The list is kept: ${done} of ${newTodos.length} done.` };
    },
  };
}

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

/** Rejected calls change nothing: invalid input is ignored. */
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

/** Returns undefined if the tool would have rejected the list. */
function listOf(value: unknown): readonly Todo[] | undefined {
  return Array.isArray(value) && value.every(isTodo) ? value : undefined;
}

const STATES: ReadonlySet<unknown> = new Set(['pending', 'in_progress', 'completed']);

function isTodo(value: unknown): value is Todo {
  if (!isRecord(value) || typeof value['content'] !== 'string' || value['content'] === '') return false;
  const { activeForm, status } = value;
  return STATES.has(status) && (activeForm === undefined || typeof activeForm === 'string');
}

/** The model's latest list of steps. Every agent has its own. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm?: string | undefined;
  /** The task tools name steps by it. */
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly owner?: string | undefined;
  /** Steps that must be completed before this one. */
  readonly blockedBy?: readonly string[] | undefined;
}

export class TodoList {
  readonly #lists = new Map<string | undefined, readonly Todo[]>();

  /** `agentId`: undefined for the main thread. */
  get(agentId?: string): readonly Todo[] {
    return this.#lists.get(agentId) ?? [];
  }

  set(todos: readonly Todo[], agentId?: string): void {
    this.#lists.set(agentId, todos);
  }
}

/** Returns the list with one more step, which gets the next free id. */
export function withTask(todos: readonly Todo[], task: Omit<Todo, 'id' | 'status'>): readonly Todo[] {
  const numbered = todos.map((todo, index) => numberTask(todo, index));
  const highest = Math.max(0, ...numbered.map(({ id }) => Number(id) || 0));
  return [...numbered, { ...task, status: 'pending', id: String(highest + 1) }];
}

interface TaskChanges {
  readonly taskId: string;
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status?: Todo['status'] | 'deleted' | undefined;
  readonly owner?: string | undefined;
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
}

/** Returns the list with a step changed or removed. Undefined if no step has this id. */
export function withChangedTask(todos: readonly Todo[], changes: TaskChanges): readonly Todo[] | undefined {
  const numbered = todos.map((todo, index) => numberTask(todo, index));
  if (!numbered.some(({ id }) => id === changes.taskId)) return undefined;
  if (changes.status === 'deleted') return numbered.filter(({ id }) => id !== changes.taskId);
  return numbered.map((todo) => {
    if (changes.addBlocks?.includes(todo.id ?? '')) return blocked(todo, [changes.taskId]);
    return todo.id === changes.taskId ? changedTask(todo, changes) : todo;
  });
}

function changedTask(todo: Todo, changes: TaskChanges): Todo {
  const { subject, description, activeForm, status, owner, addBlockedBy = [] } = changes;
  const changed = {
    ...todo,
    content: subject ?? todo.content,
    description: description ?? todo.description,
    activeForm: activeForm ?? todo.activeForm,
    status: status === undefined || status === 'deleted' ? todo.status : status,
    owner: owner ?? todo.owner,
  };
  return addBlockedBy.length > 0 ? blocked(changed, addBlockedBy) : changed;
}

function blocked(todo: Todo, by: readonly string[]): Todo {
  return { ...todo, blockedBy: [...new Set([...(todo.blockedBy ?? []), ...by])] };
}

/** Steps that TodoWrite wrote have no id: they are numbered by position. */
export function numberTask(todo: Todo, index: number): Todo {
  return todo.id === undefined ? { ...todo, id: String(index + 1) } : todo;
}
