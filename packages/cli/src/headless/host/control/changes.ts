/** Control requests that change the session: mode, model, thinking, settings, title. */
import os from 'node:os';
import { newUuid } from '@heddle/agent';
import type { Agent, LivePermissions, Rule, SdkMessage } from '@heddle/agent';
import { parseRule } from '@heddle/agent/settings';
import {
  EFFORTS,
  isJsonObject,
  type JsonObject,
  type PermissionMode,
  type RequestOptions,
} from '@heddle/core';
import type { PermissionFlags } from '../../../permissions/setup.ts';
import type { ModelOptions, ModelRead } from '../../../start/model-options.ts';
import { askToSwitch, type ModelHooks } from '../../../start/session-events.ts';
import { type HostLine, textIn } from '../json.ts';
import { controlFailure, type ControlHandlers, type ControlReply, controlSuccess } from './reply.ts';

export interface ChangeDeps {
  readonly agent: Agent;
  readonly started: { readonly hooks: ModelHooks };
  /** The model that the program was started with. */
  readonly firstModel: ModelOptions;
  readonly model: (name: string) => Promise<ModelRead>;
  readonly requestOptions: RequestOptions | undefined;
  readonly permissions: LivePermissions;
  readonly write: (line: SdkMessage) => Promise<void>;
  readonly entitle: (title: string) => void;
  readonly flags: Pick<PermissionFlags, 'projectConfigRoot'>;
}

export function changeHandlers(deps: ChangeDeps): ControlHandlers {
  return {
    set_permission_mode: ({ mode }) => setMode(textIn(mode), deps),
    set_model: ({ model }) => setModel(textIn(model), deps),
    set_max_thinking_tokens: (request) => setThinking(request['max_thinking_tokens'] ?? null, deps),
    apply_flag_settings: ({ settings }) => applySettings(settings, deps),
    update_settings: (request) => updateSettings(request, deps),
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
    uuid: newUuid(),
    session_id: agent.sessionId,
    status: null,
    permissionMode: mode,
  });
  return controlSuccess({ mode });
}

async function setModel(wanted: string | undefined, deps: ChangeDeps): Promise<ControlReply> {
  const checked = await checkModel(wanted, deps);
  if (!checked.ok) return controlFailure(checked.message);
  checked.apply();
  return controlSuccess({ model: deps.agent.modelName });
}

async function checkModel(wanted: string | undefined, deps: ChangeDeps): Promise<CheckedSetting> {
  const found = await findModel(wanted, deps);
  if (!found.ok) return found;
  const { agent, started } = deps;
  const requested = wanted ?? 'default';
  const change = { from: agent.modelName, to: found.options, requested, source: 'host' } as const;
  const asked = await askToSwitch(started.hooks, change, () => agent.change(found.options));
  return asked.ok ? asked : { ok: false, message: `A hook prevents this model: ${asked.reason}` };
}

/** Without a name: the model that the program was started with. */
async function findModel(wanted: string | undefined, { firstModel, model }: ChangeDeps): Promise<ModelRead> {
  const isFirst = wanted === undefined || wanted === 'default';
  return isFirst ? { ok: true, options: firstModel } : model(wanted);
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

/** Checks a setting that can change while the session runs. Nothing changes before `apply` is called. */
type LiveSetting = (value: unknown, deps: ChangeDeps) => CheckedSetting | Promise<CheckedSetting>;

type CheckedSetting =
  | { readonly ok: true; readonly apply: () => void }
  | { readonly ok: false; readonly message: string };

const LIVE_SETTINGS: Readonly<Record<string, LiveSetting>> = {
  model: (value, deps) => checkModel(textIn(value), deps),
  effortLevel: (value, { agent, requestOptions = {} }) => {
    const effort = EFFORTS.find((known) => known === value);
    if (value !== null && effort === undefined)
      return { ok: false, message: `effortLevel is one of ${EFFORTS.join(', ')}, or null.` };
    const { effort: _, ...rest } = requestOptions;
    const changed = effort === undefined ? rest : { ...rest, effort };
    return { ok: true, apply: () => agent.change({ requestOptions: changed }) };
  },
  permissions: (value, { permissions, agent }) => {
    if (value !== null && !isJsonObject(value))
      return { ok: false, message: 'permissions is an object, or null.' };
    return checkPermissions(value ?? {}, permissions, agent);
  },
};

const LISTS = ['allow', 'ask', 'deny'] as const;

/** The rules of the last request, by their session. The next request replaces them. */
const flagRules = new WeakMap<LivePermissions, () => void>();

/** Flag settings have the rank of the command line. Its own rules stay. */
function checkPermissions(settings: JsonObject, permissions: LivePermissions, agent: Agent): CheckedSetting {
  const rules: Record<(typeof LISTS)[number], readonly Rule[]> = { allow: [], ask: [], deny: [] };
  for (const list of LISTS) {
    const read = rulesIn(settings[list], list);
    if (!read.ok) return { ok: false, message: `permissions.${list} ${read.message}` };
    rules[list] = read.rules;
  }
  const { defaultMode } = settings;
  const mode = MODES.find((known) => known === defaultMode);
  if (defaultMode !== undefined && mode === undefined)
    return { ok: false, message: `permissions.defaultMode is one of ${MODES.join(', ')}.` };
  if (mode !== undefined && !permissions.mayEnter(mode))
    return { ok: false, message: `The mode ${mode} is not permitted.` };
  const apply = (): void => {
    if (mode !== undefined) agent.setPermissionMode(mode);
    flagRules.get(permissions)?.();
    flagRules.set(permissions, permissions.grant(rules));
  };
  return { ok: true, apply };
}

type RulesRead =
  | { readonly ok: true; readonly rules: readonly Rule[] }
  | { readonly ok: false; readonly message: string };

function rulesIn(value: unknown = [], list: (typeof LISTS)[number]): RulesRead {
  if (!Array.isArray(value)) return { ok: false, message: 'is a list of rules.' };
  const rules: Rule[] = [];
  for (const text of value) {
    if (typeof text !== 'string') return { ok: false, message: 'is a list of texts.' };
    const parsed = parseRule(text, list);
    if (!parsed.ok) return { ok: false, message: `has an invalid rule: ${parsed.message}` };
    rules.push({ text, source: 'command line' });
  }
  return { ok: true, rules };
}

/** Either every key is applied or none: a host must not believe that a rule is in force. */
async function applySettings(settings: unknown, deps: ChangeDeps): Promise<ControlReply> {
  if (!isJsonObject(settings)) return controlFailure('apply_flag_settings needs an object of settings.');
  const fixed = Object.keys(settings).filter((key) => !Object.hasOwn(LIVE_SETTINGS, key));
  if (fixed.length > 0)
    return controlFailure(`These settings cannot change while a session runs: ${fixed.join(', ')}.`);
  const checked: CheckedSetting[] = [];
  for (const [key, value] of Object.entries(settings)) {
    const setting = await LIVE_SETTINGS[key]?.(value, deps);
    if (setting) checked.push(setting);
  }
  const invalid = checked.find((setting) => !setting.ok);
  if (invalid) return controlFailure(invalid.message);
  for (const setting of checked) if (setting.ok) setting.apply();
  return controlSuccess();
}

const SCOPES = { userSettings: 'user', localSettings: 'local' } as const;

/** Writes to a settings file. The values count from the next start. */
async function updateSettings(
  { source, settings }: HostLine,
  { flags }: Pick<ChangeDeps, 'flags'>,
): Promise<ControlReply> {
  if (source !== 'userSettings' && source !== 'localSettings')
    return controlFailure('update_settings needs the source userSettings or localSettings.');
  if (!isJsonObject(settings)) return controlFailure('update_settings needs an object of settings.');
  const { setSettingsIn } = await import('@heddle/agent/settings');
  const { projectConfigRoot: projectRoot } = flags;
  const places = { cwd: process.cwd(), home: os.homedir(), env: process.env, projectRoot };
  const changes = Object.entries(settings).map(([key, value]) => [[key], value ?? undefined] as const);
  const changed = setSettingsIn(SCOPES[source], changes, places);
  return changed.ok ? controlSuccess() : controlFailure(changed.message);
}

function rename({ title, session_id: id }: HostLine, { agent, entitle }: ChangeDeps): ControlReply {
  if (typeof title !== 'string' || title.trim() === '')
    return controlFailure('rename_session needs a title.');
  if (typeof id === 'string' && id !== agent.sessionId)
    return controlFailure(`This process runs the session ${agent.sessionId}, not ${id}.`);
  entitle(title);
  return controlSuccess();
}
