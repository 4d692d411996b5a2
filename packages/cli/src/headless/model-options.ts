/** The model that was asked for, with what is known of its price and its window. */
import type { AgentOptions } from '@heddle/agent';
import type { ModelPort } from '@heddle/core';
import { chooseModel, type Chosen, loadPrices, type Prices } from '@heddle/models';
import { modelKinds } from '../models/kinds.ts';
import type { RecordedModel } from '../replay/record.ts';

export type ModelOptions = Pick<
  AgentOptions,
  'model' | 'modelName' | 'apiKeySource' | 'loadPrice' | 'context'
> & {
  /** The recording that is played in place of asking the model it names. */
  readonly plays?: string | undefined;
};

export type ModelRead =
  | { readonly ok: true; readonly options: ModelOptions }
  | { readonly ok: false; readonly message: string };

/** A session that is recorded stays so when it changes its model. */
let recording: string | undefined;

/** `record`: where the exchange with it is kept. */
export async function modelSetup(wanted: string, record?: string): Promise<ModelRead> {
  const model = await chooseModel(wanted, modelKinds);
  if (!model.ok) return model;
  // The connection is opened while the rest of the program still starts.
  model.preconnect?.();
  const { window, ...known } = knowledge(isOffline(model.name), model);
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

/** What is wrong with the model that would take over. One that this program plays itself answers to every name. */
export async function wrongFallback(name: string | undefined, first: string): Promise<string | undefined> {
  if (name === undefined || isOffline(first)) return undefined;
  const chosen = await chooseModel(name, modelKinds);
  return chosen.ok ? undefined : `--fallback-model: ${chosen.message}`;
}

async function recorded(
  { port, name }: { readonly port: ModelPort; readonly name: string },
  window: () => number | undefined,
  file: string | undefined,
): Promise<RecordedModel> {
  if (file === undefined) return { ok: true, port };
  return (await import('../replay/record.ts')).record(port, { model: name, file, window });
}

/** Prices and windows come from one list that is loaded while the first answer streams; until then a common window is assumed. */
function knowledge(
  offline: boolean,
  { local, window: own }: Pick<Chosen & { ok: true }, 'local' | 'window'>,
): Pick<AgentOptions, 'loadPrice' | 'context'> & {
  /** What the model says of itself, once it has. */
  readonly window: () => number | undefined;
} {
  let said = own;
  void local?.window.then((window) => (said ??= window));
  const usual = local === undefined ? USUAL_WINDOW : USUAL_LOCAL_WINDOW;
  if (offline)
    return {
      loadPrice: () => Promise.resolve(() => 0),
      context: { windowOf: () => said ?? usual },
      window: () => said,
    };
  let list: Prices | undefined;
  return {
    loadPrice: async () => {
      list = await loadPrices();
      return list.priceOf;
    },
    context: { windowOf: (model) => own ?? list?.windowOf(model) ?? said ?? usual },
    window: () => said,
  };
}

const USUAL_WINDOW = 200_000;
/** Local servers read less than their models could, for want of memory. */
const USUAL_LOCAL_WINDOW = 32_768;

/** The models that this program plays itself cost nothing. */
function isOffline(name: string): boolean {
  return Object.keys(modelKinds).some((kind) => name === kind || name.startsWith(`${kind}:`));
}
