/** What a host hands to a conversation: one prompt after another, and changes between them. */
import type { ContentBlock } from '@heddle/core';
import type { AgentOptions } from './options.ts';

export interface Prompt {
  readonly content: string | readonly ContentBlock[];
  /** The host's own id for it; a new one by default. */
  readonly uuid?: string;
  /** The words are for the model, whatever they look like: no command is read from them. */
  readonly verbatim?: boolean;
}

/** What may be another from one prompt to the next. */
export type Changes = Partial<
  Pick<
    AgentOptions,
    | 'model'
    | 'modelName'
    | 'fallbackModel'
    | 'requestOptions'
    | 'apiKeySource'
    | 'loadPrice'
    | 'loadFacts'
    | 'context'
    | 'systemPrompt'
    | 'appendSystemPrompt'
    | 'outputSchema'
    | 'hooks'
  >
>;
