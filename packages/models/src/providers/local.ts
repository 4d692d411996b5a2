/** Asks servers on this machine for their models. They respond at once or are not running. */
import { isRecord } from '@heddle/core';
import { type Environment, readMilliseconds, readVariable } from '../secrets/environment.ts';
import type { Provider } from '../provider.ts';
import { providerAddress, providerKey } from './settings.ts';

export interface ServedModel {
  readonly id: string;
  /** The context window in tokens, if the server reports it. */
  readonly window: number | undefined;
}

/** A closed port fails at once. The deadline is for other programs that listen there. */
const DEADLINE_MS = 1_000;

function deadlineIn(environment: Environment): number {
  return readMilliseconds(environment, 'HEDDLE_LOCAL_TIMEOUT_MS') ?? DEADLINE_MS;
}

/** Returns undefined if no such server listens. */
export async function modelsOnServer(
  provider: Provider,
  environment: Environment,
): Promise<readonly ServedModel[] | undefined> {
  const address = providerAddress(provider, environment);
  if (address === undefined || provider.local === undefined) return undefined;
  const isOllama = provider.local.howToList === 'ollama';
  const url = isOllama ? address.replace(/\/v1$/, '/api/tags') : `${address}/models`;
  const answer = fieldsOf(await ask(provider, environment, url));
  const listed = isOllama ? answer['models'] : answer['data'];
  if (!Array.isArray(listed)) return undefined;
  return listed.map(fieldsOf).flatMap((model): ServedModel[] => {
    const id = model['id'] ?? model['name'];
    return typeof id === 'string' ? [{ id, window: windowIn(model) }] : [];
  });
}

/**
 * Returns the context window of one model. Ollama reports it if the model is loaded or its window was set.
 */
export async function localWindow(
  provider: Provider,
  model: string,
  environment: Environment,
): Promise<number | undefined> {
  if (provider.local?.howToList !== 'ollama') {
    const served = await modelsOnServer(provider, environment);
    return (served?.find(({ id }) => id === model) ?? (served?.length === 1 ? served[0] : undefined))?.window;
  }
  const address = providerAddress(provider, environment)?.replace(/\/v1$/, '');
  const loaded = fieldsOf(await ask(provider, environment, `${address}/api/ps`))['models'];
  const own = (Array.isArray(loaded) ? loaded.map(fieldsOf) : []).find(({ name }) => name === model);
  return windowIn(own ?? {}) ?? tokens(Number(readVariable(environment, 'OLLAMA_CONTEXT_LENGTH')));
}

/** The active window precedes the possible one. */
function windowIn(model: Fields): number | undefined {
  const meta = fieldsOf(model['meta']);
  return (
    tokens(model['loaded_context_length']) ??
    tokens(model['max_model_len']) ??
    tokens(model['context_length']) ??
    tokens(meta['n_ctx']) ??
    tokens(meta['n_ctx_train']) ??
    tokens(model['max_context_length'])
  );
}

function tokens(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

async function ask(provider: Provider, environment: Environment, url: string): Promise<unknown> {
  const key = providerKey(provider, environment)?.value;
  try {
    const answer = await fetch(url, {
      signal: AbortSignal.timeout(deadlineIn(environment)),
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
