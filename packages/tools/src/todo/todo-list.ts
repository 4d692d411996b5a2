/** What is still to do, as the model last said it. Every agent has a list of its own. */
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

/** The list with one more step, which gets the next free id. */
export function withTask(todos: readonly Todo[], task: Omit<Todo, 'id' | 'status'>): readonly Todo[] {
  const numbered = todos.map((todo, index) => numberedTask(todo, index));
  const highest = Math.max(0, ...numbered.map(({ id }) => Number(id) || 0));
  return [...numbered, { ...task, status: 'pending', id: String(highest + 1) }];
}

export interface TaskChanges {
  readonly taskId: string;
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status?: Todo['status'] | 'deleted' | undefined;
  readonly owner?: string | undefined;
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
}

/** The list with a step changed or removed; undefined if no step has this id. */
export function withChangedTask(todos: readonly Todo[], changes: TaskChanges): readonly Todo[] | undefined {
  const numbered = todos.map((todo, index) => numberedTask(todo, index));
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

/** Steps that TodoWrite wrote have no id: they are numbered as they stand. */
export function numberedTask(todo: Todo, index: number): Todo {
  return todo.id === undefined ? { ...todo, id: String(index + 1) } : todo;
}
