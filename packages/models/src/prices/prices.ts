/**
 * Prices and windows of models. The list is half a megabyte of dated data: load it after the first request
 * was sent. A model that is not in the list has an unknown price, never a price of zero.
 */
import { isRecord, type Usage } from '@heddle/core';
import {
  calcPrice,
  findProvider,
  type ModelInfo,
  type ModelPrice,
  type Provider,
} from '@pydantic/genai-prices';
import { findStated } from '../known-models.ts';
import { providerNamed, readModelName } from '../providers/providers.ts';
import type { Environment } from '../secrets/environment.ts';
import {
  additionalModels,
  additionalPrice,
  findAddition,
  type PriceOverride,
  type KnownModel,
} from './additions.ts';
import { type CostLine, costLines } from './usage.ts';

export interface Prices {
  /** Returns USD for this usage, helpers included. Undefined if any part has no known price. */
  readonly priceOf: (model: string, usage: Usage) => number | undefined;
  /** Returns the context window in tokens, or undefined if it is unknown. */
  readonly windowOf: (model: string) => number | undefined;
  /** Returns the models of Anthropic or of the named provider, under the names used in requests. */
  models(provider?: string): readonly KnownModel[];
}

export function createPrices(
  overrides: PriceOverrides = {},
  now: () => Date = () => new Date(),
  environment: Environment = process.env,
): Prices {
  const stated = (model: string) => findOverride(model, overrides, environment);
  // The loop asks for windows and prices several times in each iteration, and a search of the list is slow.
  const findListed = searchOnce((model) => listedModel(model, now()));
  const windowOf = searchOnce(
    (model) =>
      stated(model)?.contextWindow ??
      findAddition(model)?.contextWindow ??
      findListed(model)?.info.context_window,
  );
  return {
    priceOf(model, usage) {
      let total = 0;
      for (const line of costLines(model, usage)) {
        const override = stated(line.model);
        const cost =
          (override && overriddenCost(line, override)) ??
          line.reportedUsd ??
          additionalCost(line) ??
          listCost(line, findListed, now());
        if (cost === undefined) return undefined;
        total += cost;
      }
      return total;
    },
    windowOf,
    models: (provider = 'anthropic') => catalogOf(provider, now()),
  };
}

/** Returns a function that searches once for each model. */
function searchOnce<T>(search: (model: string) => T | undefined): (model: string) => T | undefined {
  const found = new Map<string, T | undefined>();
  return (model) => {
    if (!found.has(model)) found.set(model, search(model));
    return found.get(model);
  };
}

interface Listed {
  readonly info: ModelInfo;
  /** The requested name. The list's own name for the model may be a pattern. */
  readonly model: string;
  /** The provider that lists the model. */
  readonly provider: Provider;
}

/** The list matches by prefix. A later version must not be billed as an earlier one. */
function listedModel(name: string, timestamp: Date): Listed | undefined {
  const asked = priceListName(name);
  const provider = asked?.provider === undefined ? undefined : findProvider({ providerId: asked.provider });
  if (asked === undefined || provider === undefined) return undefined;
  const info = calcPrice({ input_tokens: 0 }, asked.model, { provider, timestamp })?.model;
  return info && !isOtherVersion(asked.model, info.id) ? { info, model: asked.model, provider } : undefined;
}

/**
 * `claude-sonnet-5-5` has the prefix `claude-sonnet-5` but is a different model. A suffix of eight digits
 * is a date.
 */
function isOtherVersion(model: string, listed: string): boolean {
  return model.startsWith(listed) && /^[-.]\d{1,3}(\D|$)/.test(model.slice(listed.length));
}

/** The rate depends on the whole input, cached or not. */
function additionalCost(line: CostLine): number | undefined {
  const addition = line.isFast ? undefined : findAddition(line.model);
  const inputTokens = line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens;
  return addition && overriddenCost(line, additionalPrice(addition, inputTokens));
}

function listCost(
  line: CostLine,
  findListed: (model: string) => Listed | undefined,
  timestamp: Date,
): number | undefined {
  if (priceListName(line.model)?.isFree === true) return 0;
  const listed = findListed(line.model);
  if (listed === undefined || line.isFast) return undefined;
  const usage = {
    // The list counts cached tokens as a part of the input.
    input_tokens: line.inputTokens + line.cacheReadTokens + line.cacheWriteTokens,
    cache_read_tokens: line.cacheReadTokens,
    cache_write_tokens: line.cacheWriteTokens,
    cache_write_1h_tokens: line.cacheWriteHourTokens,
    output_tokens: line.outputTokens,
    web_searches: line.webSearches,
  };
  return calcPrice(usage, listed.model, { provider: listed.provider, timestamp })?.total_price;
}

export interface ListedAs {
  /** The provider's name in the list, or undefined if it is not listed. */
  readonly provider: string | undefined;
  readonly model: string;
  /** True for a model on the user's own machine. */
  readonly isFree: boolean;
}

export function priceListName(name: string): ListedAs | undefined {
  const [, own] = /^anthropic[/:](.*)$/s.exec(name) ?? [];
  const named = own === undefined && !name.startsWith('claude-') ? readModelName(name) : undefined;
  if (named === undefined) return { provider: 'anthropic', model: own ?? name, isFree: false };
  return {
    provider: named.provider.prices,
    model: named.model,
    isFree: named.provider.local !== undefined,
  };
}

/** Keys are model names in any spelling. A `*` at the end matches any suffix. The longest match wins. */
export type PriceOverrides = Readonly<Record<string, PriceOverride>>;

export function findOverride(
  model: string,
  overrides: PriceOverrides,
  environment: Environment,
): PriceOverride | undefined {
  return findStated(model, overrides, environment);
}

/** Returns undefined if the override contains no price. */
export function overriddenCost(line: CostLine, price: PriceOverride): number | undefined {
  const { inputPerMillion: input, outputPerMillion: output } = price;
  if (input === undefined || output === undefined) return undefined;
  const write = price.cacheWritePerMillion ?? input;
  const tokens =
    line.inputTokens * input +
    line.outputTokens * output +
    line.cacheReadTokens * (price.cacheReadPerMillion ?? input) +
    (line.cacheWriteTokens - line.cacheWriteHourTokens) * write +
    line.cacheWriteHourTokens * (price.cacheWriteHourPerMillion ?? write);
  return tokens / 1e6 + (line.webSearches * (price.webSearchPerThousand ?? 0)) / 1e3;
}

const ANTHROPIC = 'anthropic';

/**
 * Lists models under the names used in requests: Anthropic models without a prefix, all others with their
 * provider.
 */
export function catalogOf(id: string, today: Date): readonly KnownModel[] {
  const listName = id === ANTHROPIC ? ANTHROPIC : providerNamed(id)?.prices;
  const list = listName === undefined ? undefined : findProvider({ providerId: listName });
  if (list === undefined) return [];
  const listed = list.models.flatMap((model) => {
    const price = priceToday(model, today);
    if (id === ANTHROPIC) return [knownModel(model, '', price)];
    return isForText(model, price) && !isElsewhere(id, model) ? [knownModel(model, `${id}/`, price)] : [];
  });
  if (id !== ANTHROPIC) return listed;
  return [...listed, ...additionalModels().filter((model) => !listed.some((known) => known.id === model.id))];
}

/**
 * A model has successive prices. If a price applies only at some time of the day, the regular one is
 * shown.
 */
function priceToday({ prices }: ModelInfo, today: Date): ModelPrice | undefined {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(
    ({ constraint }) =>
      constraint === undefined || ('start_date' in constraint && new Date(constraint.start_date) <= today),
  );
  return (begun.at(-1) ?? prices[0])?.prices;
}

/**
 * Other providers' lists also contain speech, image and ranking models, and patterns that are not names.
 */
function isForText({ id, deprecated }: ModelInfo, price: ModelPrice | undefined): boolean {
  return deprecated !== true && price?.['output_mtok'] !== undefined && !NOT_FOR_TEXT.test(id);
}

const NOT_FOR_TEXT =
  /embed|whisper|tts|audio|realtime|image|transcribe|moderation|voice|voxtral|sonic|live|guard|rerank|davinci|babbage|ocr|-omni-|^ada$|^curie$|^ft:|\.ft-$|^regional\.|^(?=.*instruct$).*3\.5/i;

/** Google's list contains models with a different API, and old names of Claude that are not accepted. */
const OF_GOOGLE: Readonly<Record<string, RegExp>> = {
  google: /^gem(ini|ma)-/,
  vertex: /^(gem(ini|ma)|claude-(opus|sonnet|haiku|fable))-/,
};

function isElsewhere(provider: string, { id }: ModelInfo): boolean {
  return Object.hasOwn(OF_GOOGLE, provider) && OF_GOOGLE[provider]?.test(id) === false;
}

function knownModel(model: ModelInfo, prefix: string, price: ModelPrice | undefined): KnownModel {
  return {
    id: `${prefix}${model.id}`,
    name: model.name ?? model.id,
    contextWindow: model.context_window,
    inputPerMillion: base(price?.['input_mtok']),
    outputPerMillion: base(price?.['output_mtok']),
  };
}

function base(price: unknown): number | undefined {
  if (typeof price === 'number') return price;
  const first = isRecord(price) ? price['base'] : undefined;
  return typeof first === 'number' ? first : undefined;
}
