/** Routes requests of one run to several models: the chosen one and its fallbacks. */
import type { ModelFacts, ModelPort, ModelRecord, ModelRecords, ModelRequest } from '@heddle/core';
/** Chooses a port for a single model. Such a port does not route, so no chain of ports can form. */
type Choose = (name: string) => Promise<ChosenModel>;

export interface RouteOptions {
  readonly choose: Choose;
  /** Returns true if the chosen port also serves this other model. */
  readonly isOwn: (model: string) => boolean;
  /** Returns a model's name as requests contain it, for any spelling. */
  readonly plainName?: (name: string) => string;
  readonly factsOf?: (model: string) => ModelFacts | undefined;
  /** Whether a server other than the chosen one would receive requests with this model. Loads no package. */
  readonly isConfigured: (model: string) => Promise<boolean>;
}

export function routeByModel(
  own: { readonly port: ModelPort; readonly name: string },
  { choose, isOwn, plainName = (name) => name, factsOf, isConfigured }: RouteOptions,
): ModelPort {
  const others = new Map<string, Promise<ChosenModel>>();
  const isServed = (model: string): boolean => model === own.name || isOwn(model);
  const otherFor = (model: string): Promise<ChosenModel> => {
    const other = others.get(model) ?? choose(model);
    others.set(model, other);
    return other;
  };
  const port: ModelPort = (request, signal) => {
    const model = plainName(request.model);
    if (isServed(model)) return own.port(named(request, model), signal);
    return askOther(otherFor(model), own.port, request, signal);
  };
  // This is part of a decision about a call. An answer that loads a package would run code before it.
  const sendsElsewhere = async (name: string): Promise<boolean> => {
    const model = plainName(name);
    return !isServed(model) && (await isConfigured(model));
  };
  return Object.assign(port, own.port, { sendsElsewhere }, factsOf === undefined ? {} : { factsOf });
}

function named(request: ModelRequest, model: string): ModelRequest {
  return request.model === model ? request : { ...request, model };
}

async function* askOther(
  other: Promise<ChosenModel>,
  own: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelRecord, void> {
  const chosen = await other;
  // A name that is unknown here may be known to the chosen server.
  const records: ModelRecords = chosen.ok
    ? chosen.port(named(request, chosen.name), signal)
    : own(request, signal);
  yield* { [Symbol.asyncIterator]: () => records[Symbol.asyncIterator]() };
}

export type ChosenModel =
  | {
      readonly ok: true;
      readonly port: ModelPort;
      /** The name in requests and bills. */
      readonly name: string;
      /** Opens a connection before the first request, if the adapter uses one. */
      readonly preconnect?: () => void;
      /** The source of its key: the name of a variable, `apiKeyHelper` or `none`. */
      readonly keySource?: string;
      /**
       * Set for a model on this machine, which costs nothing. Its window is known only if the server
       * reports it.
       */
      readonly local?: { readonly window: Promise<number | undefined> };
      /** The context window, if the model reports it itself and no list is needed. */
      readonly window?: number | undefined;
    }
  | { readonly ok: false; readonly message: string };
