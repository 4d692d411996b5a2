/** What the command line asks of the agent. */
import os from 'node:os';
import { type AgentOptions, compactionOverrides, isToolDenied, LivePermissions } from '@heddle/agent';
import { appliedSettings, type SandboxSettings, sandboxSettings } from '@heddle/agent/settings';
import type { GivenOptions, Thinking } from '@heddle/core';
import { findModel } from '@heddle/models';
import { builtinTools } from '@heddle/tools';
import type { RunOptions } from '../arguments.ts';
import { modelEnvironment, setVariables } from '../keys.ts';
import { knownSecrets, learnSecrets } from '../known-secrets.ts';
import { GET_A_MODEL, NO_MODEL, TRY_WITHOUT_KEY } from '../models/no-model.ts';
import { permissionSetup } from '../permissions/setup.ts';
import { promptTexts } from './prompt-texts.ts';
import { harmless } from '../terminal/harmless.ts';
import { type ModelOptions, modelSetup, type ModelSetupOptions, readFallbacks } from './model-options.ts';
import { wrongPlace } from './named/places.ts';
import { wrongRule } from './named/rules.ts';
import { isNamed, namedTools } from './named/tools.ts';

/** What an agent is started with. */
export interface AgentSetup extends Omit<AgentOptions, 'tools' | 'sandbox'> {
  readonly sandboxSettings?: SandboxSettings;
  readonly plays?: ModelOptions['plays'];
  /** What the settings state about models: a model that is chosen later needs it, too. */
  readonly stated?: ModelSetupOptions['stated'];
}

export type OptionsRead =
  | {
      readonly ok: true;
      readonly options: AgentSetup;
      /** The part of it that speaks of the model. */
      readonly model: ModelOptions;
    }
  | { readonly ok: false; readonly message: string };

export async function agentOptions(command: RunOptions): Promise<OptionsRead> {
  const wrong = wrongPlace(command) ?? wrongRule(command);
  if (wrong !== undefined) return { ok: false, message: wrong };
  const permission = await permissionSetup(command);
  const settings = appliedSettings(permission.loaded);
  // Before a model is looked for: keys and addresses may stand there.
  setVariables(settings.env);
  learnSecrets();
  const wanted =
    command.model ?? (await findModel(modelEnvironment(), settings.model)) ?? (await modelSoFar(command));
  if (wanted === undefined) return { ok: false, message: `${NO_MODEL}: ${GET_A_MODEL};\n${TRY_WITHOUT_KEY}` };
  const { models: stated } = settings;
  const model = await modelSetup(wanted, { record: command.record, stated });
  if (!model.ok) return model;
  const fallbacks = await readFallbacks(command.fallbackModel ?? settings.fallbackModel, {
    first: wanted,
    from: command.fallbackModel === undefined ? 'fallbackModel in the settings' : '--fallback-model',
  });
  if (!fallbacks.ok) return fallbacks;
  const tools = builtinTools({
    web: { search: { model: model.options.model, modelName: model.options.modelName } },
  });
  const named = namedTools(
    command.tools ?? [],
    tools.map(({ name }) => name),
  );
  if (!named.ok) return named;
  const prompts = await promptTexts(command);
  if (!prompts.ok) return prompts;
  for (const note of [...command.notes, ...named.notes, ...permission.notes])
    process.stderr.write(`heddle: ${harmless(note)}\n`);
  return {
    ok: true,
    model: model.options,
    options: {
      ...model.options,
      stated,
      ...compactionOverrides(settings, process.env),
      cwd: process.cwd(),
      redact: (value) => knownSecrets.redactValue(value),
      defaultPermissionMode: permission.mode,
      rules: new LivePermissions(permission.rules, permission.directories, { mayBypass: command.mayBypass }),
      configDirs: permission.configDirs,
      sandboxSettings: sandboxSettings(permission.loaded, os.homedir()),
      includePartialMessages: command.partialMessages,
      bare: command.bare,
      requestOptions: requestOptions({
        ...command,
        thinking: thinkingWanted(command.thinking, settings.alwaysThinkingEnabled, process.env),
        effort: command.effort ?? settings.effort,
      }),
      ...present({
        fallbackModel: fallbacks.models.length === 0 ? undefined : fallbacks.models,
        permissionMode: command.permissionMode === undefined ? undefined : permission.mode,
        maxTurns: command.maxTurns,
        maxBudgetUsd: command.maxBudgetUsd,
        taskBudget: command.taskBudget === undefined ? undefined : { total: command.taskBudget },
        outputSchema: command.jsonSchema,
        systemPrompt: prompts.own === undefined ? undefined : [prompts.own],
        appendSystemPrompt: prompts.appended,
      }),
    },
  };
}

/** Nobody names a model: a session that goes on has one. */
async function modelSoFar({ session }: RunOptions): Promise<string | undefined> {
  if (session.from.kind === 'new') return undefined;
  return (await import('./session-model.ts')).sessionModel(session);
}

/** A tool that is denied as a whole is not even shown to the model. */
export function offered(name: string, { tools }: RunOptions, rules: AgentOptions['rules']): boolean {
  if (tools !== undefined && !isNamed(name, tools)) return false;
  return !rules || !isToolDenied(name, rules instanceof LivePermissions ? rules.rules : rules);
}

function requestOptions({ thinking, effort, betas }: RunOptions): GivenOptions {
  return present({ thinking, effort, betas: betas.length === 0 ? undefined : betas });
}

/**
 * What is said about thinking, the nearest word first: flag, environment, settings. Undefined: a model that can think does.
 * A number of tokens is a budget; 0 switches thinking off.
 */
function thinkingWanted(
  flag: Thinking | undefined,
  isEnabled: boolean | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Thinking | undefined {
  if (flag !== undefined) return flag;
  const text = env['MAX_THINKING_TOKENS'];
  const tokens = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(tokens) && tokens >= 0)
    return tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: tokens };
  return isEnabled === false ? { type: 'disabled' } : undefined;
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that have a value. */
function present<T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, fewer of them
  return Object.fromEntries(entries) as Present<T>;
}
