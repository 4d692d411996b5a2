/** Where in the price list a model of ours is to be looked up. */
import { readModelName } from '../providers/table.ts';

export interface ListedAs {
  /** The list's word for the provider; undefined where it has none. */
  readonly provider: string | undefined;
  readonly model: string;
  /** Runs on the user's own machine. */
  readonly isFree: boolean;
}

export function listedAs(name: string): ListedAs | undefined {
  const [, own] = /^anthropic[/:](.*)$/s.exec(name) ?? [];
  const named = own === undefined && !name.startsWith('claude-') ? readModelName(name) : undefined;
  if (named === undefined) return { provider: 'anthropic', model: own ?? name, isFree: false };
  return {
    provider: named.provider.prices,
    model: named.model,
    isFree: named.provider.local !== undefined,
  };
}
