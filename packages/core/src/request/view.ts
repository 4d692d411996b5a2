/** The frozen view of one request: what the model is, knows and may call. A change makes a new view for the next request. */
import type { RequestOptions, Thinking, ToolSpec } from '../model/port.ts';

export interface RequestView extends PromptHead {
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly tools: readonly ToolSpec[];
  readonly skipCacheWrite: boolean;
  /** Block types that may be sent although they need a beta. */
  readonly allowedBetaBlocks: readonly string[];
  /** Blocks that the API refused, by their `refusedName`: a note takes their place. */
  readonly refusedBlocks: ReadonlySet<string>;
  /** The request goes on with a paused answer: its last message is the assistant's. */
  readonly continuesAnswer: boolean;
  readonly options: RequestOptions;
  /** Replaces `options.thinking` while the current tool turn has lost its thinking. Undefined: thinking stays as it is. */
  readonly thinkingAfterLoss: Thinking | undefined;
}

/** What stands before the conversation in each of its requests. */
export interface PromptHead {
  /** Layers in a stable order; the end of the last one carries a cache mark. */
  readonly systemPrompt: readonly string[];
  /** Put after the system prompt as `key: value` lines. */
  readonly systemContext: Readonly<Record<string, string>>;
  /** Put before the first user message as a hidden reminder. */
  readonly userContext: Readonly<Record<string, string>>;
}

type Needed = PromptHead & Pick<RequestView, 'model' | 'maxOutputTokens' | 'tools'>;

/** A view that says no more than it must: no block refused, nothing switched on. */
export function requestView(given: Needed & Partial<RequestView>): RequestView {
  return {
    skipCacheWrite: false,
    allowedBetaBlocks: [],
    refusedBlocks: new Set(),
    continuesAnswer: false,
    options: {},
    thinkingAfterLoss: { type: 'disabled' },
    ...given,
  };
}
