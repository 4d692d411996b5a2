/** All built-in tools, in two parts: those every request carries, and those that are loaded when they are asked for. */
import type { Tool } from '@heddle/core';
import { type AskDeps, createAskTool } from '../ask/ask-user-question.ts';
import type { ShellDeps } from '../bash/deps.ts';
import { createShellTools } from '../bash/tools.ts';
import type { FileToolDeps } from '../files/deps.ts';
import { createFileTools } from '../files/tools.ts';
import type { SearchDeps } from '../grep/deps.ts';
import { createSearchTools } from '../grep/tools.ts';
import { createPlanTools, type PlanDeps } from '../plan/plan-mode.ts';
import { createTaskTools } from '../todo/task-tools.ts';
import { createTodoWriteTool, TodoList } from '../todo/todo-write.ts';
import type { WebDeps } from '../web/deps.ts';
import { createWebTools } from '../web/tools.ts';
import { createToolSearchTool } from './tool-search.ts';

export interface BuiltinDeps extends FileToolDeps, AskDeps, PlanDeps {
  readonly shell?: Partial<ShellDeps>;
  readonly search?: Partial<SearchDeps>;
  readonly web?: Partial<WebDeps>;
  readonly todos?: TodoList;
}

export interface ToolSet {
  readonly active: readonly Tool[];
  readonly deferred: readonly Tool[];
}

/** Rarely used: each request would pay for them. */
export const RARELY_USED: readonly string[] = [
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'AskUserQuestion',
  'EnterPlanMode',
  'ExitPlanMode',
  'TaskCreate',
  'TaskUpdate',
  'TaskGet',
  'TaskList',
];

export interface ToolSetChoice {
  /** Names of tools that are loaded on demand. */
  readonly defer?: readonly string[];
  /** Tools from elsewhere (servers) that are, too. */
  readonly others?: () => readonly Tool[];
  /** One that is not offered is neither there nor found. */
  readonly isOffered?: (name: string) => boolean;
}

/** ToolSearch is there when there is something to find. */
export function builtinToolSet(
  deps: BuiltinDeps = {},
  { defer = RARELY_USED, others = () => [], isOffered = () => true }: ToolSetChoice = {},
): ToolSet {
  const all = builtinTools(deps).filter(({ name }) => isOffered(name));
  const deferred = all.filter(({ name }) => defer.includes(name));
  const active = all.filter(({ name }) => !defer.includes(name));
  const hasMore = deferred.length > 0 || others().length > 0;
  return {
    active:
      hasMore && isOffered('ToolSearch')
        ? [...active, createToolSearchTool(() => [...deferred, ...others()])]
        : active,
    deferred,
  };
}

/** All of them at once. Without doors nothing is checkpointed, commands get this process's environment, and nobody is asked. */
export function builtinTools(deps: BuiltinDeps = {}): readonly Tool[] {
  const todos = deps.todos ?? new TodoList();
  return [
    ...createShellTools(deps.shell),
    ...createFileTools(deps),
    ...createSearchTools(deps.search),
    createTodoWriteTool(todos),
    ...createTaskTools(todos),
    ...createWebTools(deps.web),
    createAskTool(deps),
    ...createPlanTools(deps),
  ];
}
