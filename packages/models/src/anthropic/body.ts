/** The body of a request: a head in the API's words, then the messages as the core made them, byte for byte. */
import type {
  Effort,
  JsonObject,
  ModelRequest,
  RequestOptions,
  ServerToolSpec,
  SystemLayer,
  Thinking,
  ToolSpec,
} from '@heddle/core';

/** Everything but the messages. A test holds it against the official types. */
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
  const { thinking, contextManagement, fastMode, metadata, serverTools } = options;
  const tools = serverTools ? [...own, ...serverTools] : own;
  const output = outputConfig(options);
  return {
    model,
    max_tokens: max_tokens + roomToThink(max_tokens, options),
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
 * Thinking is paid out of `max_tokens`, and the API refuses a budget that does not fit into it. Then the cap is raised, and
 * counts for what is said. The budget stays: the server's cache of the messages is bound to it, so that one which followed
 * the cap would cost the whole cache whenever the cap is raised for an answer that was cut. Interleaved thinking has a
 * budget for all answers of a turn together, which may be larger than the cap of one.
 */
function roomToThink(cap: number, { thinking, betas = [] }: RequestOptions): number {
  if (thinking?.type !== 'enabled' || thinking.budget_tokens < cap) return 0;
  return betas.some((beta) => beta.startsWith('interleaved-thinking-')) ? 0 : thinking.budget_tokens;
}

function outputConfig({ effort, taskBudget }: RequestOptions): OutputConfig | undefined {
  if (effort === undefined && taskBudget === undefined) return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(taskBudget === undefined ? {} : { task_budget: { type: 'tokens', ...taskBudget } }),
  };
}

export interface Body {
  /** To be sent one after another. */
  readonly pieces: readonly Uint8Array[];
  readonly length: number;
}

const encoder = new TextEncoder();
const CLOSING = encoder.encode('}');

/** Writes bodies. Tools and system prompt are large and hardly ever change, so their JSON is kept. */
export class BodyWriter {
  readonly #tools = new LastJson();
  readonly #system = new LastJson();

  write(request: ModelRequest): Body {
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
