/** A separate shell for each test: folder, registry, tools. */
import { mkdtempSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Json, ReadOnlyRun, ToolResult, ToolUseContext } from '@heddle/core';
import { contextOf } from '@heddle/testing';
import { TaskRegistry } from '../../tasks/registry.ts';
import { createTaskOutputTool, createTaskStopTool } from '../../tasks/task-output.ts';
import { createBashTool } from '../bash.ts';
import type { ShellDeps } from '../deps.ts';
import type { BashData } from '../result.ts';
import { omitUndefined } from '@heddle/core';

export interface Ran {
  readonly content: string;
  readonly isError: boolean;
  readonly data: BashData;
  readonly context: ToolUseContext;
  readonly progress: readonly { output: string; bytes: number }[];
}

export interface RunOptions {
  readonly timeout?: number;
  readonly background?: boolean;
  readonly signal?: AbortSignal;
  readonly context?: ToolUseContext;
  readonly readOnlyRun?: ReadOnlyRun;
  readonly onProgress?: (progress: { output: string; bytes: number }) => void;
}

export function scratch(): string {
  return realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-bash-')));
}

export function shellIn(project: string, deps: Partial<ShellDeps> = {}) {
  const tasks = new TaskRegistry({ folder: path.join(scratch(), 'tasks') });
  const environment = { PATH: process.env['PATH'] ?? '', HOME: project };
  const bash = createBashTool({ tasks, environment: () => environment, projectDirectory: project, ...deps });
  const run = async (command: string, options: RunOptions = {}): Promise<Ran> => {
    const { signal = new AbortController().signal, timeout, background, readOnlyRun } = options;
    const context = options.context ?? contextOf({ workingDirectory: project });
    const progress: { output: string; bytes: number }[] = [];
    await bash.inputSchema();
    const { data, newContext } = await bash.call(
      {
        command,
        ...omitUndefined({ timeout }),
        ...(background ? { run_in_background: true } : {}),
      },
      { ...context, signal, toolUseId: 'b1', ...omitUndefined({ readOnlyRun }) },
      (update: Json) => {
        if (!isProgress(update)) throw new Error(`not what Bash tells: ${JSON.stringify(update)}`);
        progress.push(update);
        options.onProgress?.(update);
      },
    );
    const { content, isError = false } = bash.toResult(data);
    return { content: textOf(content), isError, data, context: newContext?.(context) ?? context, progress };
  };
  return { tasks, bash, run, output: createTaskOutputTool(tasks), stop: createTaskStopTool(tasks) };
}

export function textOf(content: ToolResult['content']): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function isProgress(update: Json): update is { output: string; bytes: number } {
  return typeof update === 'object' && update !== null && 'output' in update && 'bytes' in update;
}
