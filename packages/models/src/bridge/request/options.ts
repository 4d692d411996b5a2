/** A request as the call that the provider interface takes. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ModelRequest, RequestOptions } from '@heddle/core';
import { type PromptFormat, toProviderPrompt } from './prompt.ts';

type Reasoning = NonNullable<LanguageModelV4CallOptions['reasoning']>;
type ProviderOptions = NonNullable<LanguageModelV4CallOptions['providerOptions']>;

/** What a provider wants said in its own words, given how much thinking was asked for. */
export type OwnOptions = (thinking: { readonly isShown: boolean }) => ProviderOptions;

export interface RequestFormat extends PromptFormat {
  readonly ownOptions: OwnOptions;
  /** Where schemas of tools are taken to be strict unless the request says otherwise. Ours have optional fields. */
  readonly mustSayStrict: boolean;
  /** Chunks are read as they came, too: see `extras.ts`. */
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
    ...(reasoning === undefined ? {} : { reasoning }),
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

/** An effort is said as it is. A budget of tokens is not known elsewhere: it becomes the effort that usually takes as much. */
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
