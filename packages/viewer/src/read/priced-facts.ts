/** Adds costs to answers of other programs, which store only token counts. The price list is loaded when a log needs it. */
import type { AnswerFact, FactPage, LogFact } from '../model/facts.ts';
import { parseOwn } from '../model/parse-own.ts';
import type { Usage } from '@heddle/core';

/** Returns dollars, or undefined if the price is unknown. */
export type Price = (model: string, usage: Usage) => number | undefined;

export type LoadPrice = () => Promise<Price>;

/** Takes and returns a page as JSON. Most pages stay as they are. */
export async function pricedPage(page: string, loadPrice: LoadPrice | undefined): Promise<string> {
  if (!loadPrice || !page.includes(FROM_MESSAGE)) return page;
  const { facts, ...rest } = parseOwn<FactPage>(page);
  const price = await loadPrice();
  return JSON.stringify({ ...rest, facts: pricedFacts(facts, price) } satisfies FactPage);
}

const FROM_MESSAGE = '"isFromMessage":true';

export function pricedFacts(facts: readonly LogFact[], price: Price): readonly LogFact[] {
  return facts.map((fact) =>
    fact.type === 'answer' && fact.isFromMessage ? pricedAnswer(fact, price) : fact,
  );
}

function pricedAnswer(fact: AnswerFact, price: Price): AnswerFact {
  const { input, output, cacheRead, cacheWrite } = fact.tokens;
  const costUsd = price(fact.model, {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
  });
  return costUsd === undefined ? fact : { ...fact, costUsd };
}
