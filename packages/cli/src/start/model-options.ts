/** The model that was asked for, with what is known of its price and its window. */
import type { AgentOptions } from '@heddle/agent';
import type { ModelPort } from '@heddle/core';
import {
  chooseModel,
  type Chosen,
  factsOf,
  loadPrices,
  type PriceOverrides,
  type Prices,
  type StatedModels,
} from '@heddle/models';
import { modelEnvironment } from '../keys.ts';
import { knownSecrets } from '../known-secrets.ts';
import { modelKinds } from '../models/kinds.ts';
import type { RecordedModel } from '../replay/record.ts';

export type ModelOptions = Pick<
  AgentOptions,
  'model' | 'modelName' | 'apiKeySource' | 'loadPrice' | 'loadFacts' | 'context'
> & {
  /** The recording that is played in place of asking the model it names. */
  readonly plays?: string | undefined;
};

export type ModelRead =
  | { readonly ok: true; readonly options: ModelOptions }
  | { readonly ok: false; readonly message: string };

export interface ModelSetupOptions {
  /** The file that records the exchange with the model. */
  readonly record?: string | undefined;
  /** The settings about models. */
  readonly stated?: StatedModels & PriceOverrides;
}

/** A session that is recorded stays so when it changes its model. */
let recording: string | undefined;

export async function modelSetup(
  wanted: string,
  { record, stated = {} }: ModelSetupOptions = {},
): Promise<ModelRead> {
  const model = await chooseModel(wanted, modelKinds, { ...deps(), models: stated });
  if (!model.ok) return model;
  // The connection is opened while the rest of the program still starts.
  model.preconnect?.();
  const { window, ...known } = knowledge(isOffline(model.name), model, stated);
  recording ??= record;
  const port = await recorded(model, window, recording);
  if (!port.ok) return port;
  return {
    ok: true,
    options: {
      model: port.port,
      modelName: model.name,
      plays: /^replay[:/]/.test(wanted) ? wanted : undefined,
      apiKeySource: model.keySource ?? 'none',
      ...known,
    },
  };
}

function deps() {
  return { environment: modelEnvironment(), secrets: knownSecrets };
}

export type FallbacksRead =
  | { readonly ok: true; readonly models: readonly string[] }
  | { readonly ok: false; readonly message: string };

/**
 * The full names of the models that would take over, or what is wrong with one of them. A first model that this program
 * plays itself answers to every name, so nothing is wrong with any of them.
 */
export async function readFallbacks(
  names: readonly string[],
  { first, from }: { readonly first: string; readonly from: string },
): Promise<FallbacksRead> {
  if (isOffline(first)) return { ok: true, models: names };
  const models: string[] = [];
  for (const name of names) {
    const chosen = await chooseModel(name, modelKinds, deps());
    if (!chosen.ok) return { ok: false, message: `${from}: ${chosen.message}` };
    models.push(chosen.name);
  }
  return { ok: true, models };
}

async function recorded(
  { port, name }: { readonly port: ModelPort; readonly name: string },
  window: () => number | undefined,
  file: string | undefined,
): Promise<RecordedModel> {
  if (file === undefined) return { ok: true, port };
  return (await import('../replay/record.ts')).record(port, { model: name, file, window });
}

/**
 * Prices and windows. Those of Anthropic's models and those in the settings are known at once. The rest come from a list
 * that is loaded while the first answer streams, or before the first decision about a conversation that has messages.
 */
function knowledge(
  offline: boolean,
  { name, local, window: own }: Pick<Chosen & { ok: true }, 'name' | 'local' | 'window'>,
  stated: StatedModels & PriceOverrides,
): Pick<AgentOptions, 'loadPrice' | 'loadFacts' | 'context'> & {
  /** The context window of a scripted model, or the one that a local server has reported. */
  readonly window: () => number | undefined;
} {
  let reported = own;
  const asked = local?.window.then((window) => void (reported ??= window));
  const usual = local === undefined ? USUAL_WINDOW : USUAL_LOCAL_WINDOW;
  const known = (model: string) => factsOf(model, { environment: process.env, stated });
  let list: Prices | undefined;
  const loadList = async (): Promise<Prices> => (list ??= await loadPrices(stated));
  return {
    loadPrice: offline ? () => Promise.resolve(() => 0) : async () => (await loadList()).priceOf,
    loadFacts: async () => {
      if (offline || own !== undefined || known(name)?.contextWindow !== undefined) return;
      if (asked === undefined) await loadList();
      else await asked;
    },
    context: {
      windowOf: (model) => {
        const isChosen = model === name;
        const listed = (isChosen ? own : undefined) ?? known(model)?.contextWindow ?? list?.windowOf(model);
        return listed ?? (isChosen || offline ? reported : undefined) ?? usual;
      },
      tokenScaleOf: (model) => known(model)?.tokenScale ?? 1,
    },
    window: () => reported,
  };
}

/** The window of a model about which nothing is known yet, in tokens. */
export const USUAL_WINDOW = 200_000;
/** Local servers read less than their models could, for want of memory. */
const USUAL_LOCAL_WINDOW = 32_768;

/** The models that this program plays itself cost nothing. */
function isOffline(name: string): boolean {
  return Object.keys(modelKinds).some((kind) => name === kind || name.startsWith(`${kind}:`));
}

/** The name of the model for the user. A recording that is replayed is named together with the model it was made with. */
export function modelText({ modelName, plays }: Pick<ModelOptions, 'modelName' | 'plays'>): string {
  return plays === undefined ? modelName : `${plays}, a recording of ${modelName}`;
}
