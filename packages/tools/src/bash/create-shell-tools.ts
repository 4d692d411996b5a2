/** Bash, Monitor and the tools for background tasks, with default dependencies if none are given. */
import type { Tool } from '@heddle/core';
import { TaskRegistry } from '../tasks/registry.ts';
import { createTaskOutputTool, createTaskStopTool } from '../tasks/task-output.ts';
import { createMonitorTool } from './monitor.ts';
import { createBashTool } from './bash.ts';
import type { ShellDeps } from './deps.ts';

export function createShellTools(given: Partial<ShellDeps> = {}): readonly Tool[] {
  const deps = shellDeps(given);
  const { tasks, monitors } = deps;
  const bash = createBashTool(deps);
  return [
    bash,
    createTaskOutputTool(tasks),
    createTaskStopTool(tasks),
    ...(monitors ? [createMonitorTool({ tasks, monitors, bash })] : []),
  ];
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
