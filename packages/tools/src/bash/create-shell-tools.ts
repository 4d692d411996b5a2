/** Bash and the tools for its background tasks, with default dependencies if none are given. */
import type { Tool } from '@heddle/core';
import { TaskRegistry } from '../tasks/registry.ts';
import { createTaskOutputTool, createTaskStopTool } from '../tasks/task-output.ts';
import { createBashTool } from './bash.ts';
import type { ShellDeps } from './deps.ts';

export function createShellTools(given: Partial<ShellDeps> = {}): readonly Tool[] {
  const deps = shellDeps(given);
  return [createBashTool(deps), createTaskOutputTool(deps.tasks), createTaskStopTool(deps.tasks)];
}

export function shellDeps(given: Partial<ShellDeps> = {}): ShellDeps {
  return {
    tasks: new TaskRegistry(),
    environment: () => withoutKeys(process.env),
    projectDirectory: process.cwd(),
    ...given,
  };
}

/** For hosts that use the tools alone. An agent passes an environment without any of its secrets. */
function withoutKeys(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !/^ANTHROPIC_.*(KEY|TOKEN)$/i.test(name)) kept[name] = value;
  }
  return kept;
}
