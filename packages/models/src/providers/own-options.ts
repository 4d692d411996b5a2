/** What some providers want said in their own words. */
import type { OwnOptions } from '../bridge/request/options.ts';
import type { Metadata } from '../bridge/signature.ts';
import type { Provider } from './provider.ts';

const NOTHING: OwnOptions = () => ({});

export function ownOptionsOf({ id }: Provider): OwnOptions {
  return Object.hasOwn(OWN, id) ? (OWN[id] ?? NOTHING) : NOTHING;
}

const OWN: Readonly<Record<string, OwnOptions>> = {
  // Nothing is kept on their side: thinking comes back encrypted and travels in our history. Summaries of it need a verified
  // organisation, so they are asked for only where somebody wants to see thinking.
  openai: ({ isShown }) => ({ openai: { store: false, reasoningSummary: isShown ? 'auto' : null } }),
  xai: () => ({ xai: { store: false } }),
  google: ({ isShown }) => (isShown ? { google: { thinkingConfig: { includeThoughts: true } } } : {}),
  vertex: ({ isShown }) => (isShown ? { vertex: { thinkingConfig: { includeThoughts: true } } } : {}),
};

/** Most cache by themselves. Bedrock must be told, and models that cannot cache refuse to be. */
export function cacheMarkFor({ id }: Provider, model: string): Metadata | undefined {
  const mustBeTold = id === 'bedrock' && /anthropic\.claude|amazon\.nova/.test(model);
  return mustBeTold ? { bedrock: { cachePoint: { type: 'default' } } } : undefined;
}
