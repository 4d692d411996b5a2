/** Creates the tools in groups that share their dependencies: files, search, shell and web. */
import type { Tool } from '@heddle/core';
import { createGlobTool } from './glob/glob.ts';
import { type SearchDeps, searchDeps } from './grep/deps.ts';
import { createGrepTool } from './grep/grep.ts';
import { createEditTool } from './edit/edit.ts';
import { createNotebookEditTool } from './notebook/notebook-edit.ts';
import { createReadTool } from './read/read.ts';
import { createWriteTool } from './write/write.ts';
import { type FileToolDeps, fileToolDeps } from './files/deps.ts';
import { TaskRegistry } from './tasks/registry.ts';
import { createTaskOutputTool, createTaskStopTool } from './tasks/task-output.ts';
import { createMonitorTool } from './bash/monitor.ts';
import { createBashTool } from './bash/bash.ts';
import type { ShellDeps } from './bash/deps.ts';
import { type WebDeps, webDeps } from './web/deps.ts';
import { createWebSearchTool } from './web/web-search.ts';
import { createWebFetchTool } from './web/web-fetch.ts';

export function createSearchTools(given: Partial<SearchDeps> = {}): readonly Tool[] {
  const deps = searchDeps(given);
  return [createGrepTool(deps), createGlobTool(deps)];
}

/** The file tools share their record of the texts that they showed. */
export function createFileTools(deps: FileToolDeps = {}): readonly Tool[] {
  const tools = fileToolDeps(deps);
  return [
    createReadTool(tools),
    createWriteTool(tools),
    createEditTool(tools),
    createNotebookEditTool(tools),
  ];
}

/** Bash, Monitor and the tools for background tasks. */
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

export function createWebTools(given: Partial<WebDeps> = {}): readonly Tool[] {
  const deps = webDeps(given);
  return [createWebFetchTool(deps), ...(deps.search ? [createWebSearchTool(deps.search)] : [])];
}
