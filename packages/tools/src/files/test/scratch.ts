/** Shared parts of the file tool tests: a separate folder, and calls as the executor makes them. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Tool, ToolResult, ToolUseContext } from '@heddle/core';
import { contextOf } from '@heddle/testing';
import { onTestFinished, vi } from 'vitest';
import type { FileToolDeps } from '../deps.ts';
import { createSearchTools, createFileTools } from '../../create-tools.ts';

export class Scratch {
  readonly folder: string;
  readonly context: ToolUseContext;
  readonly #tools: readonly Tool[];
  #calls = 0;

  constructor(
    files: Readonly<Record<string, string | Buffer>> = {},
    options: {
      readonly deps?: FileToolDeps;
      readonly signal?: AbortSignal;
      /** The folder is the user's home. The working directory is another one. */
      readonly home?: boolean;
    } = {},
  ) {
    this.folder = temporaryFolder();
    for (const [name, content] of Object.entries(files)) this.put(name, content);
    const { signal } = options;
    const workingDirectory = options.home === true ? temporaryFolder() : this.folder;
    if (options.home === true) {
      vi.stubEnv('HOME', this.folder);
      onTestFinished(() => void vi.unstubAllEnvs());
    }
    this.context = contextOf({ workingDirectory, ...(signal ? { signal } : {}) });
    this.#tools = [...createFileTools(options.deps), ...createSearchTools()];
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  put(name: string, content: string | Buffer): void {
    mkdirSync(path.dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  text(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  bytes(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  tool(name: string): Tool {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool;
  }

  /**
   * Like the executor: validates, describes the intent, then calls. Rejects if the model would see an
   * error.
   */
  async call(name: string, input: unknown): Promise<ToolResult> {
    const tool = this.tool(name);
    const parsed = (await tool.inputSchema()).safeParse(input);
    if (!parsed.success) throw new Error(parsed.error.message);
    const valid = await tool.validateInput?.(parsed.data, this.context);
    if (valid && !valid.ok) throw new Error(valid.message);
    return this.callUnchecked(name, parsed.data);
  }

  async callUnchecked(name: string, input: unknown): Promise<ToolResult> {
    const tool = this.tool(name);
    const toolUseId = `call-${(this.#calls += 1)}`;
    const { data } = await tool.call(input, { ...this.context, toolUseId }, () => undefined);
    return tool.toResult(data);
  }

  async read(name: string, more: object = {}): Promise<string> {
    return shown(await this.call('Read', { file_path: name, ...more }));
  }

  /** Reads the file first, as a model has to. */
  async edit(name: string, edit: object): Promise<string> {
    await this.read(name);
    return shown(await this.call('Edit', { file_path: name, ...edit }));
  }

  async write(name: string, content: string): Promise<string> {
    return shown(await this.call('Write', { file_path: name, content }));
  }
}

export function shown({ content }: ToolResult): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(realpathSync(os.tmpdir()), 'heddle-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Root may do everything, so the work runs as an unprivileged user. The folder is opened to that user. */
export async function runUnprivileged(
  scratch: { readonly folder: string; readonly mode?: number },
  work: () => Promise<void>,
): Promise<void> {
  chmodSync(scratch.folder, scratch.mode ?? 0o755);
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

export const NOBODY = 65_534;
