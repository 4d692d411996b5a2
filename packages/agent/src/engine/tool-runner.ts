/**
 * Runs calls of tools for a caller that is not a model of a conversation, such as an MCP client. The calls pass the same
 * checks as those of a model: schema, hooks, rules, sandbox. Nothing is stored in a session.
 *
 * Contract:
 * - Calls that are concurrency-safe run together. Every other call runs alone, in the order of arrival.
 * - A call never throws, and has exactly one result, also after an abort.
 * - Files that were read, and the folder of commands, are remembered from call to call.
 */
import {
  DEFAULT_LIMITS,
  type Json,
  type JsonObject,
  type PermissionMode,
  type Slot,
  StreamingToolExecutor,
  type ToolResult,
  type ToolUseContext,
} from '@heddle/core';
import { systemClock } from '@heddle/models';
import { noToolHooks } from './deps.ts';
import type { AgentOptions } from './options.ts';
import { permissionOf, type PermissionOptions } from './permission.ts';
import { contextOutsideTurn } from './side-call.ts';
import { newUuid } from '../session/uuid.ts';

export interface ToolRunnerOptions extends PermissionOptions, Pick<AgentOptions, 'tools' | 'redact'> {
  readonly mode: PermissionMode;
}

export interface RunnerCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress: (data: Json) => void;
}

export class ToolRunner {
  readonly #options: ToolRunnerOptions;
  #context: Omit<ToolUseContext, 'signal'>;
  /** The ends of the calls that have not ended. */
  readonly #open = new Set<Promise<void>>();
  /** The end of the last call that runs alone. */
  #alone: Promise<void> = Promise.resolve();

  constructor(options: ToolRunnerOptions) {
    this.#options = options;
    this.#context = contextOutsideTurn(options, options.mode);
  }

  async call({ tool, input, signal, onProgress }: RunnerCall): Promise<ToolResult> {
    const { redact = (value) => value, hooks } = this.#options;
    const ended = Promise.withResolvers<Slot>();
    const executor = new StreamingToolExecutor({
      pipeline: {
        hooks: { ...noToolHooks, ...hooks?.tools },
        authorizeCall: permissionOf(this.#options, {
          store: () => undefined,
          denials: { note: () => undefined },
        }),
        redact,
      },
      context: { ...this.#context, signal },
      signal,
      clock: systemClock,
      limits: DEFAULT_LIMITS,
      onInterrupt: () => undefined,
      emit: (update) => {
        if (update.type === 'progress') onProgress(update.data);
        else if (update.type === 'ready') {
          const end = ended.promise.then(() => undefined);
          void this.#turn(update.call.safe, end).then(() => executor.begin(update.slot));
        } else for (const slot of executor.takeResults()) ended.resolve(slot);
      },
    });
    executor.addTool({ type: 'tool_use', id: `call_${newUuid()}`, name: tool, input });
    executor.finishStream();
    const { settled, remarks } = await ended.promise;
    const changed = settled?.newContext?.({ ...this.#context, signal });
    if (changed) this.#context = { ...this.#context, workingDirectory: changed.workingDirectory };
    return withRemarks(settled?.result ?? { content: 'The call has no result.', isError: true }, remarks);
  }

  /** Resolves when the call may start. `end` is the end of this call. */
  async #turn(isSafe: boolean, end: Promise<void>): Promise<void> {
    const before = isSafe ? [this.#alone] : [...this.#open];
    this.#open.add(end);
    void end.then(() => this.#open.delete(end));
    if (!isSafe) this.#alone = end;
    await Promise.all(before);
  }
}

/** Texts of hooks follow the result. */
function withRemarks(result: ToolResult, remarks: readonly string[]): ToolResult {
  if (remarks.length === 0) return result;
  const { content } = result;
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  return { ...result, content: [...blocks, ...remarks.map((text) => ({ type: 'text' as const, text }))] };
}
