/** Converts a request to the call options of the provider interface. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelRequest, RequestOptions } from '@heddle/core';
import { type PromptFormat, toProviderPrompt } from './prompt.ts';
import { omitUndefined } from '@heddle/core';

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>;
type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

/** Returns provider-specific options, given how much thinking was requested. */
export type OwnOptions = (thinking: { readonly isShown: boolean }) => ProviderOptions;

export interface RequestFormat extends PromptFormat {
  readonly ownOptions: OwnOptions;
  /**
   * The provider treats tool schemas as strict unless the request disables it. Our schemas have optional
   * fields.
   */
  readonly mustSayStrict: boolean;
  /** Raw chunks are read, too: see `extrasIn` in `answer.ts`. */
  readonly hasExtras: boolean;
}

export function callOptions(request: ModelRequest, requestFormat: RequestFormat): LanguageModelV4CallOptions {
  const { features, names } = requestFormat;
  const reasoning = features.effort ? reasoningOf(request.options) : undefined;
  const { thinking } = request.options;
  const providerOptions = requestFormat.ownOptions({
    isShown: thinking !== undefined && thinking.type !== 'disabled',
  });
  return {
    prompt: toProviderPrompt(request, requestFormat),
    maxOutputTokens: request.max_tokens,
    includeRawChunks: requestFormat.hasExtras,
    ...omitUndefined({ reasoning }),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
    ...(request.tools.length === 0
      ? {}
      : {
          tools: request.tools.map(({ name, description, input_schema }) => ({
            type: 'function' as const,
            name: names.toWire(name),
            description,
            inputSchema: { ...input_schema },
            ...(requestFormat.mustSayStrict ? { strict: false } : {}),
          })),
          toolChoice: { type: 'auto' as const },
        }),
  };
}

/**
 * An effort is passed on. Other providers have no token budget, so a budget becomes the effort that
 * usually uses as much.
 */
function reasoningOf({ effort, thinking }: RequestOptions): Reasoning | undefined {
  if (thinking?.type === 'disabled') return 'none';
  if (effort !== undefined) return effort;
  if (thinking?.type !== 'enabled') return undefined;
  return thinking.budget_tokens <= SMALL_BUDGET
    ? 'low'
    : thinking.budget_tokens <= MIDDLE_BUDGET
      ? 'medium'
      : 'high';
}

const SMALL_BUDGET = 4_096;
const MIDDLE_BUDGET = 16_384;
