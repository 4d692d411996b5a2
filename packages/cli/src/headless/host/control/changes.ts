/** Control requests that change the session: mode, model, thinking, settings, title. */
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { Agent, LivePermissions, SdkMessage } from '@heddle/agent';
import { isJsonObject, type JsonObject, type PermissionMode, type RequestOptions } from '@heddle/core';
import type { ModelOptions, ModelRead } from '../../../start/model-options.ts';
import { type HostLine, textIn } from '../json.ts';
import { controlFailure, type ControlHandlers, type ControlReply, controlSuccess } from './reply.ts';

export interface ChangeDeps {
  readonly agent: Agent;
  /** The model that the program was started with. */
  readonly firstModel: ModelOptions;
  readonly model: (name: string) => Promise<ModelRead>;
  readonly requestOptions: RequestOptions | undefined;
  readonly permissions: LivePermissions | undefined;
  readonly write: (line: SdkMessage) => Promise<void>;
  readonly entitle: (title: string) => void;
}

export function changeHandlers(deps: ChangeDeps): ControlHandlers {
  return {
    set_permission_mode: ({ mode }) => setMode(textIn(mode), deps),
    set_model: ({ model }) => setModel(textIn(model), deps),
    set_max_thinking_tokens: (request) => setThinking(request['max_thinking_tokens'] ?? null, deps),
    apply_flag_settings: ({ settings }) => applySettings(settings, deps),
    update_settings: (request) => updateSettings(request),
    rename_session: (request) => rename(request, deps),
  };
}

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];

async function setMode(wanted: string | undefined, { agent, write }: ChangeDeps): Promise<ControlReply> {
  const mode = MODES.find((known) => known === wanted);
  if (!mode) return controlFailure(`There is no permission mode ${wanted}; there are ${MODES.join(', ')}.`);
  if (!agent.setPermissionMode(mode))
    return controlFailure(
      `${mode} can only be switched on where the program was started with permission for it.`,
    );
  await write({
    type: 'system',
    subtype: 'status',
    uuid: randomUUID(),
    session_id: agent.sessionId,
    status: null,
    permissionMode: mode,
  });
  return controlSuccess({ mode });
}

async function setModel(
  wanted: string | undefined,
  { agent, firstModel, model }: ChangeDeps,
): Promise<ControlReply> {
  const isFirst = wanted === undefined || wanted === 'default';
  const found: ModelRead = isFirst ? { ok: true, options: firstModel } : await model(wanted);
  if (!found.ok) return controlFailure(found.message);
  agent.change(found.options);
  return controlSuccess({ model: found.options.modelName });
}

/** Null: the value that the program was started with. */
function setThinking(tokens: unknown, { agent, requestOptions }: ChangeDeps): ControlReply {
  if (tokens !== null && (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens < 0))
    return controlFailure('max_thinking_tokens takes a whole number, or null.');
  const given =
    tokens === null
      ? {}
      : { thinking: tokens === 0 ? DISABLED : ({ type: 'enabled', budget_tokens: tokens } as const) };
  agent.change({ requestOptions: { ...requestOptions, ...given } });
  return controlSuccess();
}

const DISABLED = { type: 'disabled' } as const;
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const;

/** A change of one setting that can be made while the session runs. Returns the reason if the value is invalid. */
type LiveSetting = (value: unknown, deps: ChangeDeps) => string | undefined | Promise<string | undefined>;

const LIVE_SETTINGS: Readonly<Record<string, LiveSetting>> = {
  model: async (value, deps) => {
    const reply = await setModel(textIn(value), deps);
    return reply.subtype === 'error' ? reply.error : undefined;
  },
  effortLevel: (value, { agent, requestOptions = {} }) => {
    const effort = EFFORTS.find((known) => known === value);
    if (value !== null && effort === undefined)
      return `effortLevel is one of ${EFFORTS.join(', ')}, or null.`;
    const { effort: _, ...rest } = requestOptions;
    agent.change({ requestOptions: effort === undefined ? rest : { ...rest, effort } });
    return undefined;
  },
  permissions: (value, { permissions, agent }) => {
    if (value !== null && !isJsonObject(value)) return 'permissions is an object, or null.';
    if (!permissions) return 'The permissions of this session cannot be changed.';
    return applyPermissions(value ?? {}, permissions, agent);
  },
};

const LISTS = ['allow', 'ask', 'deny'] as const;

/** Flag settings have the rank of the command line. The rules of an earlier request are replaced. */
function applyPermissions(
  settings: JsonObject,
  permissions: LivePermissions,
  agent: Agent,
): string | undefined {
  const lists = LISTS.map((behavior) => ({ behavior, rules: rulesIn(settings[behavior]) }));
  const invalid = lists.find(({ rules }) => rules === undefined);
  if (invalid) return `permissions.${invalid.behavior} is a list of rules.`;
  const { defaultMode } = settings;
  const mode = MODES.find((known) => known === defaultMode);
  if (defaultMode !== undefined && mode === undefined)
    return `permissions.defaultMode is one of ${MODES.join(', ')}.`;
  if (mode !== undefined && !agent.setPermissionMode(mode)) return `The mode ${mode} is not permitted.`;
  for (const { behavior, rules = [] } of lists)
    permissions.apply([{ type: 'replaceRules', behavior, rules, destination: 'cliArg' }]);
  return undefined;
}

type RuleParts = ReturnType<typeof ruleOf>;

/** Undefined if the value is not a list of rules. */
function rulesIn(value: unknown = []): readonly RuleParts[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((rule) => typeof rule === 'string');
  return texts.length === value.length ? texts.map(ruleOf) : undefined;
}

function ruleOf(text: string): { readonly toolName: string; readonly ruleContent?: string } {
  const [, toolName = text, ruleContent] = /^([^(]+)\(([\s\S]*)\)$/.exec(text.trim()) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}

/** Either every key is applied or none: a host must not believe that a rule is in force. */
async function applySettings(settings: unknown, deps: ChangeDeps): Promise<ControlReply> {
  if (!isJsonObject(settings)) return controlFailure('apply_flag_settings needs an object of settings.');
  const fixed = Object.keys(settings).filter((key) => !Object.hasOwn(LIVE_SETTINGS, key));
  if (fixed.length > 0)
    return controlFailure(`These settings cannot change while a session runs: ${fixed.join(', ')}.`);
  for (const [key, value] of Object.entries(settings)) {
    const problem = await LIVE_SETTINGS[key]?.(value, deps);
    if (problem !== undefined) return controlFailure(problem);
  }
  return controlSuccess();
}

const SCOPES = { userSettings: 'user', localSettings: 'local' } as const;

/** Writes to a settings file. The values count from the next start. */
async function updateSettings({ source, settings }: HostLine): Promise<ControlReply> {
  if (source !== 'userSettings' && source !== 'localSettings')
    return controlFailure('update_settings needs the source userSettings or localSettings.');
  if (!isJsonObject(settings)) return controlFailure('update_settings needs an object of settings.');
  const { setSettingIn } = await import('@heddle/agent/settings');
  const places = { cwd: process.cwd(), home: os.homedir(), env: process.env };
  for (const [key, value] of Object.entries(settings)) {
    const changed = setSettingIn(SCOPES[source], [key], value ?? undefined, places);
    if (!changed.ok) return controlFailure(changed.message);
  }
  return controlSuccess();
}

function rename({ title, session_id: id }: HostLine, { agent, entitle }: ChangeDeps): ControlReply {
  if (typeof title !== 'string' || title.trim() === '')
    return controlFailure('rename_session needs a title.');
  if (typeof id === 'string' && id !== agent.sessionId)
    return controlFailure(`This process runs the session ${agent.sessionId}, not ${id}.`);
  entitle(title);
  return controlSuccess();
}
