/** The model that was asked for, with what is known of its price and its window. */
import type { AgentOptions } from '@heddle/agent';
import type { ModelPort } from '@heddle/core';
import { chooseModel, type Chosen, loadPrices, type Prices } from '@heddle/models';
import { modelKinds } from '../models/kinds.ts';
import type { RecordedModel } from '../replay/record.ts';

export type ModelOptions = Pick<
  AgentOptions,
  'model' | 'modelName' | 'apiKeySource' | 'loadPrice' | 'context'
>;

export type ModelRead =
  | { readonly ok: true; readonly options: ModelOptions }
  | { readonly ok: false; readonly message: string };

/** `record`: where the exchange with it is kept. */
export async function modelSetup(wanted: string, record?: string): Promise<ModelRead> {
  const model = await chooseModel(wanted, modelKinds);
  if (!model.ok) return model;
  // The connection is opened while the rest of the program still starts.
  model.preconnect?.();
  const port = await recorded(model.port, model.name, record);
  if (!port.ok) return port;
  return {
    ok: true,
    options: {
      model: port.port,
      modelName: model.name,
      apiKeySource: model.keySource ?? 'none',
      ...knowledge(isOffline(model.name), model.local),
    },
  };
}

/** What is wrong with the model that would take over. One that this program plays itself answers to every name. */
export async function wrongFallback(name: string | undefined, first: string): Promise<string | undefined> {
  if (name === undefined || isOffline(first)) return undefined;
  const chosen = await chooseModel(name, modelKinds);
  return chosen.ok ? undefined : `--fallback-model: ${chosen.message}`;
}

async function recorded(port: ModelPort, model: string, file: string | undefined): Promise<RecordedModel> {
  return file === undefined
    ? { ok: true, port }
    : (await import('../replay/record.ts')).record(port, model, file);
}

/** Prices and windows come from one list that is loaded while the first answer streams; until then a common window is assumed. */
function knowledge(
  offline: boolean,
  local: (Chosen & { ok: true })['local'],
): Pick<AgentOptions, 'loadPrice' | 'context'> {
  if (offline) return { loadPrice: () => Promise.resolve(() => 0) };
  let list: Prices | undefined;
  let window = local === undefined ? USUAL_WINDOW : USUAL_LOCAL_WINDOW;
  void local?.window.then((said) => (window = said ?? window));
  return {
    loadPrice: async () => {
      list = await loadPrices();
      return list.priceOf;
    },
    context: { windowOf: (model) => list?.windowOf(model) ?? window },
  };
}

const USUAL_WINDOW = 200_000;
/** Local servers read less than their models could, for want of memory. */
const USUAL_LOCAL_WINDOW = 32_768;

/** The models that this program plays itself cost nothing. */
function isOffline(name: string): boolean {
  return Object.keys(modelKinds).some((kind) => name === kind || name.startsWith(`${kind}:`));
}
