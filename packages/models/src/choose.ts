/** Which model a name means. Each kind is loaded only when it is chosen. */
import type { ModelPort } from '@heddle/core';
import { aliasesIn, fullModelName } from './aliases.ts';
import type { KeySource } from './anthropic/credentials.ts';
import type { AnthropicOptions } from './anthropic/options.ts';

/** What a kind of model needs to be built from the part of the name behind the colon or slash. */
export type ModelMaker = (rest: string) => Promise<ModelPort>;

export type Chosen =
  | {
      readonly ok: true;
      readonly port: ModelPort;
      /** As requests and bills call it. */
      readonly name: string;
      /** Opens a connection ahead of the first request, where there is one to open. */
      readonly preconnect?: () => void;
      /** Where its key comes from. */
      readonly keySource?: KeySource;
    }
  | { readonly ok: false; readonly message: string };

/**
 * `kind`, `kind:rest` or `kind/rest` for the kinds that the caller brings; `anthropic/claude-…`, a bare `claude-…` or an alias
 * for the Messages API.
 */
export async function chooseModel(
  name: string,
  kinds: Readonly<Record<string, ModelMaker>>,
  anthropic: AnthropicOptions = {},
): Promise<Chosen> {
  const [, kind = '', rest = ''] = /^([^:/]+)[:/]?(.*)$/s.exec(name) ?? [];
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  try {
    if (make) return { ok: true, port: await make(rest), name };
    const environment = anthropic.environment ?? process.env;
    const model = anthropicModel(fullModelName(name, environment), environment);
    if (model !== undefined) return await chooseAnthropic(model, anthropic);
    return {
      ok: false,
      message: unknown(
        name,
        Object.keys(kinds),
        aliasesIn(environment).map(({ alias }) => alias),
      ),
    };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, message: `The model ${name} could not be loaded: ${why}` };
  }
}

/** The id in a name of ours: with its provider before it, any id will do, since gateways have models of their own. */
function anthropicModel(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const [, id] = /^anthropic[/:](.+)$/s.exec(name) ?? [];
  if (id !== undefined) return fullModelName(id, environment);
  return name.startsWith('claude-') ? name : undefined;
}

async function chooseAnthropic(name: string, options: AnthropicOptions): Promise<Chosen> {
  const { createAnthropicPort } = await import('./anthropic/port.ts');
  const port = createAnthropicPort(options);
  return { ok: true, port, name, preconnect: () => port.preconnect(), keySource: port.keySource };
}

function unknown(name: string, kinds: readonly string[], aliases: readonly string[]): string {
  return `There is no model named ${name}. Known: ${[...aliases, 'claude-…', 'anthropic/…', ...kinds].join(', ')}.`;
}
