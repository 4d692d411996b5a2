/**
 * Writes the body of a request: a head in the format of the API, then the bytes of the messages exactly as
 * the core made them.
 */
import {
  type ContentBlock,
  DEFAULT_THINKING_BUDGET,
  type Effort,
  type JsonObject,
  type ModelRequest,
  type RequestOptions,
  type ResultContent,
  type ServerToolSpec,
  type SystemLayer,
  type Thinking,
  type ToolSpec,
  omitUndefined,
} from '@heddle/core';
import { factsOf } from '../known-models.ts';

/** Everything except the messages. A test checks it against the official types. */
export interface RequestHead {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream: true;
  readonly tools?: readonly (ToolSpec | ServerToolSpec)[];
  readonly system?: readonly SystemLayer[];
  readonly thinking?: Thinking;
  readonly output_config?: OutputConfig;
  readonly context_management?: ContextManagement;
  readonly speed?: 'fast';
  readonly metadata?: JsonObject;
}

interface OutputConfig {
  readonly effort?: Effort;
  readonly task_budget?: { readonly type: 'tokens'; readonly total: number; readonly remaining: number };
}

type ContextManagement = NonNullable<RequestOptions['contextManagement']>;

function headOf({ model, max_tokens, tools: own, system, options }: ModelRequest): RequestHead {
  const { contextManagement, fastMode, metadata, serverTools } = options;
  const { cap, thinking } = outputOf(model, max_tokens, options);
  const tools = serverTools ? [...own, ...serverTools] : own;
  const output = outputConfig(options);
  return {
    model,
    max_tokens: cap,
    stream: true,
    ...(tools.length === 0 ? {} : { tools }),
    ...(system.length === 0 ? {} : { system }),
    ...(thinking ? { thinking } : {}),
    ...(output ? { output_config: output } : {}),
    ...(contextManagement ? { context_management: contextManagement } : {}),
    ...(fastMode === true ? { speed: 'fast' } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

/**
 * Returns the output cap and the thinking budget.
 * - Thinking counts toward `max_tokens`, and the API rejects a budget that does not fit. The cap then
 *   grows by the budget, so that it still limits the text.
 * - The budget does not follow the cap, because the server's message cache depends on it. It shrinks only
 *   if the model cannot write as much.
 * - Adaptive thinking has no budget, so a small cap grows by a typical one.
 * - A cap of the user that covers thinking, too, is sent as it is. The budget shrinks to fit.
 * - Interleaved thinking shares one budget among all responses of a turn. It may be larger than the cap of
 *   one response.
 */
function outputOf(
  model: string,
  wanted: number,
  { thinking, capsThinking = false, betas = [] }: RequestOptions,
): { readonly cap: number; readonly thinking: Thinking | undefined } {
  const most = factsOf(model, { environment: {} })?.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  if (capsThinking) return { cap: Math.min(most, wanted), thinking: thinkingWithin(wanted, thinking) };
  if (thinking?.type === 'adaptive') {
    const room = wanted < SMALL_CAP ? DEFAULT_THINKING_BUDGET : 0;
    return { cap: Math.min(most, wanted + room), thinking };
  }
  if (thinking?.type !== 'enabled' || betas.some((beta) => beta.startsWith('interleaved-thinking-')))
    return { cap: Math.min(most, wanted), thinking };
  const { budget_tokens: budget } = thinking;
  const cap = Math.min(most, budget < wanted ? wanted : wanted + budget);
  if (budget < cap) return { cap, thinking };
  return { cap, thinking: { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET, Math.floor(cap / 2)) } };
}

/** Returns thinking that fits below the cap and leaves half of it for text. Disabled if the smallest budget does not fit. */
function thinkingWithin(cap: number, thinking: Thinking | undefined): Thinking | undefined {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < cap) return thinking;
  if (cap <= LEAST_BUDGET) return { type: 'disabled' };
  return { type: 'enabled', budget_tokens: Math.max(LEAST_BUDGET, Math.floor(cap / 2)) };
}

/** A smaller cap leaves too little for text beside the thinking of a typical response. */
const SMALL_CAP = 32_000;

/** The smallest budget that the API accepts. */
const LEAST_BUDGET = 1_024;

function outputConfig({ effort, taskBudget }: RequestOptions): OutputConfig | undefined {
  if (effort === undefined && taskBudget === undefined) return undefined;
  return {
    ...omitUndefined({ effort }),
    ...(taskBudget === undefined ? {} : { task_budget: { type: 'tokens', ...taskBudget } }),
  };
}

interface RequestBody {
  /** Sent one after another. */
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

const encoder = new TextEncoder();
const CLOSING = encoder.encode('}');

/** Writes request bodies. Tools and system prompt are large and rarely change, so their JSON is cached. */
export class BodyWriter {
  readonly #tools = new LastJson();
  readonly #system = new LastJson();

  write(request: ModelRequest): RequestBody {
    const { tools, system, ...rest } = headOf(request);
    const fields = [
      tools && `"tools":${this.#tools.of(tools)}`,
      system && `"system":${this.#system.of(system)}`,
      JSON.stringify(rest).slice(1, -1),
      '"messages":',
    ];
    const head = encoder.encode(`{${fields.filter((field) => field !== undefined).join(',')}`);
    const pieces = [head, ...request.messagesJson, CLOSING];
    let length = 0;
    for (const piece of pieces) length += piece.length;
    return { pieces, length };
  }
}

class LastJson {
  #value: unknown;
  #json = '';

  of(value: readonly object[]): string {
    if (value === this.#value) return this.#json;
    this.#value = value;
    this.#json = JSON.stringify(value);
    return this.#json;
  }
}

const TASK_BUDGETS = 'task-budgets-2026-03-13';
const FAST_MODE = 'fast-mode-2026-02-01';
const CONTEXT_MANAGEMENT = 'context-management-2025-06-27';
const COMPACT = 'compact-2026-01-12';

export function betasOf(options: RequestOptions): readonly string[] {
  const { betas = [], taskBudget, fastMode, contextManagement } = options;
  const compacts =
    contextManagement?.edits.some(({ type }) => typeof type === 'string' && type.startsWith('compact_')) ??
    false;
  const needed = [
    ...(taskBudget ? [TASK_BUDGETS] : []),
    ...(fastMode === true ? [FAST_MODE] : []),
    ...(contextManagement ? [CONTEXT_MANAGEMENT] : []),
    ...(compacts ? [COMPACT] : []),
  ];
  return [...new Set([...betas, ...needed])];
}

export function hasMedia({ messages }: Pick<ModelRequest, 'messages'>): boolean {
  for (const { content } of messages) if (content.some(isOrHoldsMedia)) return true;
  return false;
}

function isOrHoldsMedia(block: ContentBlock): boolean {
  if (block.type === 'tool_result') return typeof block.content !== 'string' && block.content.some(isMedia);
  return isMedia(block);
}

function isMedia({ type }: ContentBlock | ResultContent): boolean {
  return type === 'image' || type === 'document';
}
