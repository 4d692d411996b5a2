/** All built-in tools, in two parts: those every request carries, and those that are loaded when they are asked for. */
import type { Tool } from '@heddle/core';
import { type AskDoors, createAskTool } from '../ask/ask-user-question.ts';
import type { ShellDoors } from '../bash/doors.ts';
import { createShellTools } from '../bash/tools.ts';
import type { FileToolDoors } from '../files/doors.ts';
import { createFileTools } from '../files/tools.ts';
import type { SearchDoors } from '../grep/doors.ts';
import { createSearchTools } from '../grep/tools.ts';
import { createPlanTools, type PlanDoors } from '../plan/plan-mode.ts';
import { createTaskTools } from '../todo/task-tools.ts';
import { TodoList } from '../todo/todo-list.ts';
import { createTodoWriteTool } from '../todo/todo-write.ts';
import type { WebDoors } from '../web/doors.ts';
import { createWebTools } from '../web/tools.ts';
import { createToolSearchTool } from './tool-search.ts';

export interface BuiltinDoors extends FileToolDoors, AskDoors, PlanDoors {
  readonly shell?: Partial<ShellDoors>;
  readonly search?: Partial<SearchDoors>;
  readonly web?: Partial<WebDoors>;
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
  doors: BuiltinDoors = {},
  { defer = RARELY_USED, others = () => [], isOffered = () => true }: ToolSetChoice = {},
): ToolSet {
  const all = builtinTools(doors).filter(({ name }) => isOffered(name));
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
export function builtinTools(doors: BuiltinDoors = {}): readonly Tool[] {
  const todos = doors.todos ?? new TodoList();
  return [
    ...createShellTools(doors.shell),
    ...createFileTools(doors),
    ...createSearchTools(doors.search),
    createTodoWriteTool(todos),
    ...createTaskTools(todos),
    ...createWebTools(doors.web),
    createAskTool(doors),
    ...createPlanTools(doors),
  ];
}
