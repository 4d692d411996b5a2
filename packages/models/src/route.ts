/** One port for all the models that a run may ask: the one that was chosen, and others that it falls back to. */
import type { ModelPort, ModelRecord, ModelRecords, ModelRequest } from '@heddle/core';
import type { Chosen } from './choose.ts';

type Choose = (name: string) => Promise<Chosen>;

export function routed(own: { readonly port: ModelPort; readonly name: string }, choose: Choose): ModelPort {
  const others = new Map<string, Promise<Chosen>>();
  return (request, signal) => {
    if (isOwn(request.model, own.name)) return own.port(request, signal);
    const other = others.get(request.model) ?? choose(request.model);
    others.set(request.model, other);
    return askOther(other, own.port, request, signal);
  };
}

/** Two models of the Messages API go through one door; so do all names that a gateway may have for its own. */
function isOwn(asked: string, chosen: string): boolean {
  return asked === chosen || (asked.startsWith('claude-') && chosen.startsWith('claude-'));
}

async function* askOther(
  other: Promise<Chosen>,
  own: ModelPort,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelRecord, void> {
  const chosen = await other;
  // A name that means nothing here may mean something to the server that was chosen.
  const records: ModelRecords = chosen.ok ? chosen.port(request, signal) : own(request, signal);
  yield* { [Symbol.asyncIterator]: () => records[Symbol.asyncIterator]() };
}
