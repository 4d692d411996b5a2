/** The models that the price list knows of a provider. */
import { findProvider, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import { additionalModels } from './additions.ts';
import { providerNamed } from '../providers/table.ts';

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number | undefined;
  /** USD for a million tokens, for a short request. */
  readonly inputPerMillion: number | undefined;
  readonly outputPerMillion: number | undefined;
}

const ANTHROPIC = 'anthropic';

/** Under the names that requests bear: those of Anthropic stand alone, all others behind their provider. */
export function catalogueOf(id: string, today: Date): readonly KnownModel[] {
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

/** Prices follow one another; of those that apply only at some time of the day, the usual one is shown. */
function priceToday({ prices }: ModelInfo, today: Date): ModelPrice | undefined {
  if (!Array.isArray(prices)) return prices;
  const begun = prices.filter(
    ({ constraint }) =>
      constraint === undefined || ('start_date' in constraint && new Date(constraint.start_date) <= today),
  );
  return (begun.at(-1) ?? prices[0])?.prices;
}

/** Lists of other providers hold models that hear, speak, draw and sort, and patterns that are no names. */
function isForText({ id, deprecated }: ModelInfo, price: ModelPrice | undefined): boolean {
  return deprecated !== true && price?.['output_mtok'] !== undefined && !NOT_FOR_TEXT.test(id);
}

const NOT_FOR_TEXT =
  /embed|whisper|tts|audio|realtime|image|transcribe|moderation|voice|voxtral|sonic|live|guard|rerank|davinci|babbage|ocr|-omni-|^ada$|^curie$|^ft:|\.ft-$|^regional\.|3\.5.*instruct$/i;

/** Google's list has models that are reached in another way than its own, and old names of Claude that nobody takes. */
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
  const first: unknown =
    typeof price === 'object' && price !== null && 'base' in price ? price.base : undefined;
  return typeof first === 'number' ? first : undefined;
}
