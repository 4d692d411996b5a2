/** What some providers want said in their own words. */
import type { IdForm } from '../bridge/request/ids.ts';
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
  // Without it, some models behind it are not billed in the answer.
  openrouter: () => ({ openrouter: { usage: { include: true } } }),
  google: ({ isShown }) => (isShown ? { google: { thinkingConfig: { includeThoughts: true } } } : {}),
  vertex: ({ isShown }) => (isShown ? { vertex: { thinkingConfig: { includeThoughts: true } } } : {}),
};

/** Models of Mistral refuse every other id, also where somebody else serves them. */
export function idsFor({ wire }: Provider, model: string): IdForm {
  const isMistral = /(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)/i.test(model);
  return wire === 'chat' && isMistral ? 'nine letters or digits' : 'any';
}

/** Most cache by themselves. Others must be told for some of their models, and those that cannot cache refuse to be. */
export function cacheMarkFor({ id }: Provider, model: string): Metadata | undefined {
  if (id === 'bedrock' && /anthropic\.claude|amazon\.nova/.test(model)) {
    return { bedrock: { cachePoint: { type: 'default' } } };
  }
  if (id === 'vertex' && /^vertex[/:]claude-/.test(model)) {
    return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  }
  if (id === 'openrouter' && /^openrouter[/:]~?anthropic\//.test(model)) {
    return { openaiCompatible: { cache_control: { type: 'ephemeral' } } };
  }
  return undefined;
}
