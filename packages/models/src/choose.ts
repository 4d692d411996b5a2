/** Resolves a model name to a port. Each adapter is loaded only when it is chosen. */
import { errorMessage, type ModelPort } from '@heddle/core';
import { aliasesIn, fullModelName, hasMillionMark } from './aliases.ts';
import { type AnthropicOptions, sendsToolReferences } from './anthropic/options.ts';
import { factsOf, plainModelName, type StatedModels } from './known-models.ts';
import { routeByModel, type ChosenModel } from './route.ts';
import { type Environment, readVariable } from './secrets/environment.ts';

/** Builds a model of the caller's own kind from the part of the name after the colon or slash. */
export type ModelMaker = (
  rest: string,
) => Promise<ModelPort & { readonly modelName?: string; readonly window?: number | undefined }>;

/** Inputs of a choice besides the name. */
export interface ChooseOptions extends AnthropicOptions {
  /** The user's own facts about models: window, output and thinking. */
  readonly models?: StatedModels;
}

/**
 * Chooses a model by name:
 * - `kind`, `kind:rest` or `kind/rest` for the caller's own kinds
 * - `anthropic/claude-…`, a bare `claude-…` or an alias for the Messages API
 * - `provider/model`, or a name with an unambiguous family, for every other provider
 *
 * The port also accepts other models, in any spelling, because a run may fall back to them.
 */
export async function chooseModel(
  name: string,
  kinds: Readonly<Record<string, ModelMaker>> = {},
  options: ChooseOptions = {},
): Promise<ChosenModel> {
  const chosen = await chooseOne(name, kinds, options);
  if (!chosen.ok) return chosen;
  const environment = options.environment ?? process.env;
  const referencesTools = sendsToolReferences(options);
  const known = (model: string) => {
    const facts = factsOf(model, { environment, stated: options.models ?? {} });
    return facts?.referencesTools && !referencesTools ? { ...facts, referencesTools } : facts;
  };
  const choose = (other: string) => chooseOne(other, kinds, options);
  const isKind = (model: string) => kindOf(model, kinds) !== undefined;
  const isConfigured = async (model: string) => isKind(model) || (await receivesRequests(model, environment));
  if (isKind(name)) {
    // A model that replays another one answers to every name and has the facts of that other model.
    if (chosen.name !== name) return { ...chosen, port: Object.assign(chosen.port, { factsOf: known }) };
    // Any other model of the caller answers to every name that is not such a kind itself.
    return {
      ...chosen,
      port: routeByModel(chosen, { choose, isOwn: (model) => !isKind(model), isConfigured }),
    };
  }
  const port = routeByModel(chosen, {
    choose,
    // All models of the Messages API share one port.
    isOwn: (model) => model.startsWith('claude-') && chosen.name.startsWith('claude-'),
    plainName: (model) => plainModelName(model, environment),
    factsOf: known,
    isConfigured,
  });
  return { ...chosen, port };
}

/** Returns the port of one model. It is not asked for any other model. */
async function chooseOne(
  name: string,
  kinds: Readonly<Record<string, ModelMaker>>,
  options: AnthropicOptions,
): Promise<ChosenModel> {
  const kind = kindOf(name, kinds);
  try {
    if (kind) {
      const port = await kind.make(kind.rest);
      // A model that replays another one uses the name of that other model.
      return { ok: true, port, name: port.modelName ?? name, window: port.window };
    }
    const environment = options.environment ?? process.env;
    const model = anthropicModel(fullModelName(name, environment), environment);
    if (model !== undefined) {
      const tooSmall = hasMillionMark(name) ? smallerWindow(model, environment) : undefined;
      return tooSmall ?? (await chooseAnthropic(model, options));
    }
    const { chooseProvider } = await import('./providers/choose-provider.ts');
    const chosen = await chooseProvider(name, options);
    return chosen ?? { ok: false, message: await unknownName(name, Object.keys(kinds), environment) };
  } catch (thrown) {
    const why = errorMessage(thrown);
    return { ok: false, message: `The model ${name} could not be loaded: ${why}` };
  }
}

/** Returns false if each request with this model fails before it is sent. Loads no package of a provider. */
async function receivesRequests(name: string, environment: Environment): Promise<boolean> {
  const model = anthropicModel(fullModelName(name, environment), environment);
  if (model !== undefined) return !hasMillionMark(name) || smallerWindow(model, environment) === undefined;
  const [{ readModelName }, { readinessOf }] = await Promise.all([
    import('./providers/providers.ts'),
    import('./providers/settings.ts'),
  ]);
  const named = readModelName(name);
  return named !== undefined && readinessOf(named.provider, environment).is !== 'missing';
}

/** Returns an error if the name asks for a window of a million tokens, and the model has a smaller one. */
function smallerWindow(model: string, environment: Environment): ChosenModel | undefined {
  const window = factsOf(model, { environment })?.contextWindow;
  if (window === undefined || window >= 1_000_000) return undefined;
  const has = `${model} has a window of ${window.toLocaleString('en-US')} tokens`;
  const message = `${has}, so [1m] does not apply. Write ${model}, or sonnet for a window of a million tokens.`;
  return { ok: false, message };
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
  const { findNearestName, findServedModel } = await import('./choose-nearest.ts');
  const near = findNearestName(name, [...aliases, ...kinds]) ?? (await findServedModel(name, environment));
  const known = [...aliases, 'claude-…', 'PROVIDER/MODEL', ...kinds].join(', ');
  const hint = near === undefined ? `Known: ${known}.` : `Did you mean ${near}?`;
  // Names the variable, because a user who did not type the name would search for it in vain.
  const from = ['HEDDLE_MODEL', 'ANTHROPIC_MODEL'].find((one) => readVariable(environment, one) === name);
  const named = from === undefined ? name : `${name} (${from} says so)`;
  return `There is no model named ${named}. ${hint} See: heddle models`;
}

/**
 * Returns the id in a name of an Anthropic model. After the provider prefix any id is accepted, because
 * gateways have their own models.
 */
function anthropicModel(name: string, environment: Environment): string | undefined {
  const [isOurs, id = ''] = /^anthropic(?:[/:](.*))?$/is.exec(name) ?? [];
  if (isOurs !== undefined) return fullModelName(id === '' ? USUAL : id, environment);
  return name.startsWith('claude-') ? name : undefined;
}

/** The model that the bare provider name means. Also used if only its key is set. */
const USUAL = 'sonnet';
