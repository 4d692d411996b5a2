/** What is still to do, as the model last said it. Every agent has a list of its own. */
export interface Todo {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm?: string | undefined;
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
