/** What the command line asks of the agent. */
import { type AgentOptions, isToolDenied, LivePermissions } from '@heddle/agent';
import type { GivenOptions } from '@heddle/core';
import { chooseModel, fullModelName, loadPrices, modelFromEnvironment, type Prices } from '@heddle/models';
import { builtinTools } from '@heddle/tools';
import type { RunOptions } from '../arguments.ts';
import { modelKinds } from '../models/kinds.ts';
import { permissionSetup } from '../permissions/setup.ts';
import { harmless } from '../terminal/harmless.ts';

export type OptionsRead =
  | { readonly ok: true; readonly options: Omit<AgentOptions, 'tools'> }
  | { readonly ok: false; readonly message: string };

export async function agentOptions(command: RunOptions): Promise<OptionsRead> {
  const wanted = command.model ?? defaultModel(process.env);
  if (wanted === undefined) return { ok: false, message: NO_MODEL };
  const model = await chooseModel(wanted, modelKinds);
  if (!model.ok) return model;
  // The connection is opened while the rest of the program still starts.
  model.preconnect?.();
  const tools = builtinTools();
  const unknown = command.tools?.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined) {
    return {
      ok: false,
      message: `--tools: there is no tool named ${unknown}; there are ${tools.map(({ name }) => name).join(', ')}`,
    };
  }
  const permission = await permissionSetup(command);
  for (const note of permission.notes) process.stderr.write(`heddle: ${harmless(note)}\n`);
  return {
    ok: true,
    options: {
      model: model.port,
      modelName: model.name,
      cwd: process.cwd(),
      permissionMode: permission.mode,
      rules: new LivePermissions(permission.rules, permission.directories, { mayBypass: command.mayBypass }),
      configDirs: permission.configDirs,
      includePartialMessages: command.partialMessages,
      bare: command.bare,
      apiKeySource: model.keySource ?? 'none',
      ...knowledge(isOffline(wanted)),
      requestOptions: requestOptions(command),
      ...present({
        fallbackModel:
          command.fallbackModel === undefined ? undefined : fullModelName(command.fallbackModel, process.env),
        maxTurns: command.maxTurns,
        maxBudgetUsd: command.maxBudgetUsd,
        taskBudget: command.taskBudget === undefined ? undefined : { total: command.taskBudget },
        outputSchema: command.jsonSchema,
        systemPrompt: command.systemPrompt === undefined ? undefined : [command.systemPrompt],
        appendSystemPrompt: command.appendSystemPrompt,
      }),
    },
  };
}

const NO_MODEL =
  'no model is configured: set ANTHROPIC_API_KEY, or name one with --model.\n' +
  'Try one without network or key: heddle -p --model rehearsal "…"';

/** Prices and windows come from one list that is loaded while the first answer streams; until then a common window is assumed. */
function knowledge(offline: boolean): Pick<AgentOptions, 'loadPrice' | 'context'> {
  if (offline) return { loadPrice: () => Promise.resolve(() => 0) };
  let list: Prices | undefined;
  return {
    loadPrice: async () => {
      list = await loadPrices();
      return list.priceOf;
    },
    context: { windowOf: (model) => list?.windowOf(model) ?? USUAL_WINDOW },
  };
}

const USUAL_WINDOW = 200_000;

/** The models that this program plays itself cost nothing. */
function isOffline(name: string): boolean {
  return Object.keys(modelKinds).some((kind) => name === kind || name.startsWith(`${kind}:`));
}

/** The one that was named, else the usual one where there is a key for it. */
function defaultModel(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const named = env['HEDDLE_MODEL'] ?? modelFromEnvironment(env);
  return named ?? (env['ANTHROPIC_API_KEY'] || env['ANTHROPIC_AUTH_TOKEN'] ? 'sonnet' : undefined);
}

/** A tool that is denied as a whole is not even shown to the model. */
export function offered(name: string, { tools }: RunOptions, rules: AgentOptions['rules']): boolean {
  if (tools !== undefined && !tools.includes(name)) return false;
  return !rules || !isToolDenied(name, rules instanceof LivePermissions ? rules.rules : rules);
}

function requestOptions({ thinking, effort, betas }: RunOptions): GivenOptions {
  return present({ thinking, effort, betas: betas.length === 0 ? undefined : betas });
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value. */
function present<T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, fewer of them
  return Object.fromEntries(entries) as Present<T>;
}
