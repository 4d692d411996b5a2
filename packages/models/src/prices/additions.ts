interface Addition {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly price: PriceOverride;
  /** The price of a request whose input is larger than `over` tokens. */
  readonly long?: { readonly over: number; readonly price: PriceOverride };
}

const ADDITIONS: readonly Addition[] = [
  {
    id: 'claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5',
    contextWindow: 1_000_000,
    price: rates(2, 10, { read: 0.2, write: 2.5, hour: 4 }),
  },
  {
    id: 'claude-haiku-5-5',
    name: 'Claude Haiku 5.5',
    contextWindow: 1_000_000,
    price: rates(0.1, 0.5, { read: 0.01, write: 0.125, hour: 0.2 }),
    long: { over: 100_000, price: rates(0.5, 2.5, { read: 0.05, write: 0.625, hour: 1 }) },
  },
];

function rates(
  inputPerMillion: number,
  outputPerMillion: number,
  cache: { readonly read: number; readonly write: number; readonly hour: number },
): PriceOverride {
  return {
    inputPerMillion,
    outputPerMillion,
    cacheReadPerMillion: cache.read,
    cacheWritePerMillion: cache.write,
    cacheWriteHourPerMillion: cache.hour,
    webSearchPerThousand: 10,
  };
}

/** Undefined if the model is not an addition. */
export function findAddition(model: string): Addition | undefined {
  const plain = model.replace(/^anthropic[/:]/, '').replace(/-\d{8}$/, '');
  return ADDITIONS.find(({ id }) => id === plain);
}

export function additionalPrice({ price, long }: Addition, inputTokens: number): PriceOverride {
  return long !== undefined && inputTokens > long.over ? long.price : price;
}

export function additionalModels(): readonly KnownModel[] {
  return ADDITIONS.map(({ id, name, contextWindow, price }) => ({
    id,
    name,
    contextWindow,
    inputPerMillion: price.inputPerMillion,
    outputPerMillion: price.outputPerMillion,
  }));
}

/**
 * In USD per million tokens, like public price lists. An omitted price equals the price of plain input.
 */
export interface PriceOverride {
  readonly inputPerMillion?: number;
  readonly outputPerMillion?: number;
  readonly cacheReadPerMillion?: number;
  readonly cacheWritePerMillion?: number;
  readonly cacheWriteHourPerMillion?: number;
  readonly webSearchPerThousand?: number;
  readonly contextWindow?: number;
}

export interface KnownModel {
  readonly id: string;
  readonly name: string;
  readonly contextWindow: number | undefined;
  /** USD per million tokens for a short request. */
  readonly inputPerMillion: number | undefined;
  readonly outputPerMillion: number | undefined;
}
