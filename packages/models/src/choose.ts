/** Which model a name means. Each kind is loaded only when it is chosen. */
import type { ModelPort } from '@heddle/core';
import { aliasesIn, fullModelName } from './aliases.ts';
import type { AnthropicOptions } from './anthropic/options.ts';
import { factsOf, plainModelName, type StatedModels } from './known-models.ts';
import { routeByModel } from './route.ts';
import { type Environment, variable } from './secrets/environment.ts';

/** What a kind of model needs to be built from the part of the name behind the colon or slash. */
export type ModelMaker = (
  rest: string,
) => Promise<ModelPort & { readonly modelName?: string; readonly window?: number | undefined }>;

export type ChosenModel =
  | {
      readonly ok: true;
      readonly port: ModelPort;
      /** As requests and bills call it. */
      readonly name: string;
      /** Opens a connection ahead of the first request, where there is one to open. */
      readonly preconnect?: () => void;
      /** Where its key comes from: the name of a variable, `apiKeyHelper` or `none`. */
      readonly keySource?: string;
      /** Runs on this machine: it costs nothing. What it can read at once is what it says, if it says so. */
      readonly local?: { readonly window: Promise<number | undefined> };
      /** What it can read at once, where it says so itself and no list needs to be asked. */
      readonly window?: number | undefined;
    }
  | { readonly ok: false; readonly message: string };

/** What a choice may take into account beside the name. */
export interface ChooseOptions extends AnthropicOptions {
  /** What the user states about models: window, output and thinking. */
  readonly models?: StatedModels;
}

/**
 * `kind`, `kind:rest` or `kind/rest` for the kinds that the caller brings; `anthropic/claude-…`, a bare `claude-…` or an alias
 * for the Messages API; `provider/model`, or a name whose family gives it away, for every other provider.
 * The port may also be asked for other models, in any spelling: a run falls back to them.
 */
export async function chooseModel(
  name: string,
  kinds: Readonly<Record<string, ModelMaker>> = {},
  options: ChooseOptions = {},
): Promise<ChosenModel> {
  const chosen = await chooseOne(name, kinds, options);
  if (!chosen.ok) return chosen;
  const environment = options.environment ?? process.env;
  const known = (model: string) => factsOf(model, { environment, stated: options.models ?? {} });
  const choose = (other: string) => chooseOne(other, kinds, options);
  const isKind = (model: string) => kindOf(model, kinds) !== undefined;
  if (isKind(name)) {
    // A model that plays another answers under every name, and has the facts of that other.
    if (chosen.name !== name) return { ...chosen, port: Object.assign(chosen.port, { factsOf: known }) };
    // Any other model that the caller brings answers under every name that is not such a model itself.
    return { ...chosen, port: routeByModel(chosen, { choose, isOwn: (model) => !isKind(model) }) };
  }
  const port = routeByModel(chosen, {
    choose,
    // All models of the Messages API have the same port.
    isOwn: (model) => model.startsWith('claude-') && chosen.name.startsWith('claude-'),
    plainName: (model) => plainModelName(model, environment),
    factsOf: known,
  });
  return { ...chosen, port };
}

/** The port of one model, which is asked for no other. */
async function chooseOne(
  name: string,
  kinds: Readonly<Record<string, ModelMaker>>,
  options: AnthropicOptions,
): Promise<ChosenModel> {
  const kind = kindOf(name, kinds);
  try {
    if (kind) {
      const port = await kind.make(kind.rest);
      // One that plays another is called as that other.
      return { ok: true, port, name: port.modelName ?? name, window: port.window };
    }
    const environment = options.environment ?? process.env;
    const model = anthropicModel(fullModelName(name, environment), environment);
    if (model !== undefined) return await chooseAnthropic(model, options);
    const { chooseProvider } = await import('./providers/choose-provider.ts');
    const chosen = await chooseProvider(name, options);
    return chosen ?? { ok: false, message: await unknownName(name, Object.keys(kinds), environment) };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { ok: false, message: `The model ${name} could not be loaded: ${why}` };
  }
}

async function chooseAnthropic(model: string, options: AnthropicOptions): Promise<ChosenModel> {
  const { createAnthropicPort } = await import('./anthropic/port.ts');
  const port = createAnthropicPort(options);
  return { ok: true, port, name: model, keySource: port.keySource, preconnect: () => port.preconnect() };
}

interface Kind {
  readonly make: ModelMaker;
  readonly rest: string;
}

function kindOf(name: string, kinds: Readonly<Record<string, ModelMaker>>): Kind | undefined {
  const [, kind = '', rest = ''] = /^([^:/]+)[:/]?(.*)$/s.exec(name) ?? [];
  const make = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  return make && { make, rest };
}

async function unknownName(
  name: string,
  kinds: readonly string[],
  environment: Environment,
): Promise<string> {
  const aliases = aliasesIn(environment).map(({ alias }) => alias);
  const { nearestName, servedHere } = await import('./choose-nearest.ts');
  const near = nearestName(name, [...aliases, ...kinds]) ?? (await servedHere(name, environment));
  const known = [...aliases, 'claude-…', 'PROVIDER/MODEL', ...kinds].join(', ');
  const hint = near === undefined ? `Known: ${known}.` : `Did you mean ${near}?`;
  // Whoever typed nothing of the kind looks for it in vain.
  const from = ['HEDDLE_MODEL', 'ANTHROPIC_MODEL'].find((one) => variable(environment, one) === name);
  const named = from === undefined ? name : `${name} (${from} says so)`;
  return `There is no model named ${named}. ${hint} See: heddle models`;
}

/** The id in a name of ours: with its provider before it, any id will do, since gateways have models of their own. */
function anthropicModel(name: string, environment: Environment): string | undefined {
  const [isOurs, id = ''] = /^anthropic(?:[/:](.*))?$/is.exec(name) ?? [];
  if (isOurs !== undefined) return fullModelName(id === '' ? USUAL : id, environment);
  return name.startsWith('claude-') ? name : undefined;
}

/** What the provider alone means, and what is used where only its key is known. */
const USUAL = 'sonnet';
