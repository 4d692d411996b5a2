/** The immutable input of one request: model, prompt, tools and options. The next request gets a new spec. */
import type { RequestOptions, Thinking, ToolSpec } from '../model/port.ts';

export interface RequestSpec extends PromptHead {
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly tools: readonly ToolSpec[];
  readonly skipCacheWrite: boolean;
  /** Block types that may be sent although they need a beta. */
  readonly allowedBetaBlocks: readonly string[];
  /** Blocks that the API refused, by their `rejectedBlockName`. A note replaces each of them. */
  readonly refusedBlocks: ReadonlySet<string>;
  /** The request continues a paused answer: its last message is the assistant's. */
  readonly continuesAnswer: boolean;
  /** Results may refer to tools. Otherwise they contain the definitions as text. */
  readonly referencesTools: boolean;
  readonly options: RequestOptions;
  /** Replaces `options.thinking` while the current tool turn has lost its thinking. Undefined: thinking stays as it is. */
  readonly thinkingAfterLoss: Thinking | undefined;
}

/** The part of a request before the conversation. */
export interface PromptHead {
  /** Layers in a stable order; the end of the last one carries a cache mark. */
  readonly systemPrompt: readonly string[];
  /** Put after the system prompt as `key: value` lines. */
  readonly systemContext: Readonly<Record<string, string>>;
  /** Put before the first user message as a hidden reminder. */
  readonly userContext: Readonly<Record<string, string>>;
}

type Needed = PromptHead & Pick<RequestSpec, 'model' | 'maxOutputTokens' | 'tools'>;

/** Returns a spec with defaults: no block is refused and no option is set. */
export function requestSpec(given: Needed & Partial<RequestSpec>): RequestSpec {
  return {
    skipCacheWrite: false,
    allowedBetaBlocks: [],
    refusedBlocks: new Set(),
    continuesAnswer: false,
    referencesTools: false,
    options: {},
    thinkingAfterLoss: { type: 'disabled' },
    ...given,
  };
}
