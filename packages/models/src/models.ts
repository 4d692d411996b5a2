/** What `heddle models` shows: the models of the price list, and the short names that lead to them. */
import { aliasesIn } from './aliases.ts';
import type { KnownModel, PriceOverrides } from './prices/prices.ts';
import type { Environment } from './secrets/environment.ts';

export interface ListedModel extends KnownModel {
  /** Short names that mean this model here and now. */
  readonly aliases: readonly string[];
}

/** Aliases that lead to a model outside the list make a line of their own, with nothing known. */
export async function listModels(
  environment: Environment,
  overrides: PriceOverrides = {},
): Promise<readonly ListedModel[]> {
  const { createPrices } = await import('./prices/prices.ts');
  const prices = createPrices(overrides);
  const known = prices.models();
  const aliases = aliasesIn(environment);
  const named = aliases.map(({ model }) => model).filter((model) => !known.some(({ id }) => id === model));
  const strangers = [
    ...new Set([...named, ...Object.keys(overrides).filter((name) => !name.endsWith('*'))]),
  ].map(
    (id): KnownModel => ({
      id,
      name: id,
      contextWindow: prices.windowOf(id),
      inputPerMillion: overrides[id]?.inputPerMillion,
      outputPerMillion: overrides[id]?.outputPerMillion,
    }),
  );
  const listed = [
    ...known.filter(({ id }) => !strangers.some((stranger) => stranger.id === id)),
    ...strangers,
  ];
  return listed.map((model) =>
    Object.assign({}, model, {
      aliases: aliases.filter((alias) => alias.model === model.id).map(({ alias }) => alias),
    }),
  );
}
