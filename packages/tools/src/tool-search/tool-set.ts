/** All built-in tools, in two parts: those in every request, and those loaded on demand. */
import type { Tool } from '@heddle/core';
import { type AskDeps, createAskTool } from '../ask/ask-user-question.ts';
import type { ShellDeps } from '../bash/deps.ts';
import { createFileTools, createSearchTools, createShellTools, createWebTools } from '../create-tools.ts';
import type { FileToolDeps } from '../files/deps.ts';
import type { SearchDeps } from '../grep/deps.ts';
import { createPlanTools, type PlanDeps } from '../plan/plan-mode.ts';
import { createTaskTools } from '../todo/task-tools.ts';
import { createTodoWriteTool, TodoList } from '../todo/todo-write.ts';
import { createSkillTool, type SkillDeps } from '../skill/skill.ts';
import type { WebDeps } from '../web/deps.ts';
import { createToolSearchTool, type ServerTools } from './tool-search.ts';

export interface BuiltinDeps extends FileToolDeps, AskDeps, PlanDeps {
  readonly shell?: Partial<ShellDeps>;
  readonly search?: Partial<SearchDeps>;
  readonly web?: Partial<WebDeps>;
  readonly todos?: TodoList;
  /** Without it, there is no Skill tool. */
  readonly skills?: SkillDeps | undefined;
  /** Tools that need more than this package has, such as those for schedules. */
  readonly more?: readonly Tool[] | undefined;
  /** Replaces the tools for the list of steps, for a team with a shared list. */
  readonly taskTools?: ((own: readonly Tool[]) => readonly Tool[]) | undefined;
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
  'Monitor',
  'CronCreate',
  'CronList',
  'CronDelete',
  'TeamCreate',
  'TeamDelete',
];

export interface ToolSetChoice {
  /** Names of tools that are loaded on demand. */
  readonly defer?: readonly string[];
  /** Tools of servers that are loaded on demand, too. */
  readonly servers?: ServerTools | undefined;
  /** A tool that is not offered is neither in requests nor found. */
  readonly isOffered?: ((name: string) => boolean) | undefined;
}

/** Includes ToolSearch if there are deferred tools. */
export function builtinToolSet(
  deps: BuiltinDeps = {},
  { defer = RARELY_USED, servers, isOffered = () => true }: ToolSetChoice = {},
): ToolSet {
  const all = builtinTools(deps).filter(({ name }) => isOffered(name));
  const deferred = all.filter(({ name }) => defer.includes(name));
  const active = all.filter(({ name }) => !defer.includes(name));
  const hasMore = deferred.length > 0 || servers !== undefined;
  return {
    active:
      hasMore && isOffered('ToolSearch') ? [...active, createToolSearchTool(deferred, servers)] : active,
    deferred,
  };
}

/**
 * Returns all tools at once. Without dependencies nothing is checkpointed, commands get this process's
 * environment, and no user is asked.
 */
export function builtinTools(deps: BuiltinDeps = {}): readonly Tool[] {
  const todos = deps.todos ?? new TodoList();
  return [
    ...createShellTools(deps.shell),
    ...createFileTools(deps),
    ...createSearchTools(deps.search),
    createTodoWriteTool(todos),
    ...(deps.taskTools?.(createTaskTools(todos)) ?? createTaskTools(todos)),
    ...createWebTools(deps.web),
    ...(deps.skills ? [createSkillTool(deps.skills)] : []),
    createAskTool(deps),
    ...createPlanTools(deps),
    ...(deps.more ?? []),
  ];
}
