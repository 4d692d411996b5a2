/**
 * The settings that Heddle uses. One row gives the type, the check, the JSON schema and the reference of a key. Other keys of a file
 * belong to other programs and are kept.
 */
import { EFFORTS, type Json, type JsonObject } from '@heddle/core';
import { GATE_SETTINGS, LIMIT_SETTINGS, readSwitch } from './loop-settings.ts';
import { valueAt } from './merge-settings.ts';
import { isModelSettings, modelSettingsSchema, usableModelSettings } from './model-settings.ts';
import {
  count,
  environment,
  flag,
  forbiddenTexts,
  object,
  oneOf,
  port,
  ruleExamples,
  serverEntries,
  type SettingKind,
  statusCommand,
  text,
  textOrTexts,
  texts,
} from './setting-kinds.ts';

export interface KnownSetting<T extends Json = Json> extends SettingKind<T> {
  readonly meaning: string;
  /** The environment variable that wins over the setting. */
  readonly variable?: string;
  readonly byDefault?: Json;
  /**
   * - `protects`: if the value or a part of it is invalid, no `grants` setting of the same file counts.
   * - `grants`: gives the model more freedom.
   */
  readonly role?: 'protects' | 'grants';
}

const protects = { role: 'protects' } as const;
const grants = { role: 'grants' } as const;

const OWN_SETTINGS = {
  model: { ...text, meaning: 'the model that is used when none is named' },
  fallbackModel: { ...textOrTexts, meaning: 'the models that take over when the first one is overloaded' },
  smallModel: {
    ...text,
    variable: 'HEDDLE_SMALL_MODEL',
    meaning: 'a fast and cheap model for short texts beside the conversation; Haiku beside a Claude model',
  },
  agent: { ...text, meaning: 'the agent that the conversation runs as; see subagents.md' },
  maxSubagentDepth: {
    ...count,
    variable: 'HEDDLE_MAX_SUBAGENT_SPAWN_DEPTH',
    byDefault: 1,
    meaning: 'levels of subagents, up to 5; with 1, a subagent cannot start others; see subagents.md',
  },
  promptSuggestionEnabled: {
    ...flag,
    variable: 'HEDDLE_PROMPT_SUGGESTIONS',
    byDefault: false,
    meaning: 'whether the next prompt is suggested after a turn; costs one request',
  },
  autoMemoryEnabled: {
    ...flag,
    variable: 'HEDDLE_AUTO_MEMORY',
    byDefault: false,
    meaning:
      'whether the project has a memory folder that is read and written beside the work; costs requests',
  },
  theme: {
    ...text,
    byDefault: 'auto',
    meaning:
      'the colors of the terminal: auto, dark, light, dark-colorblind, light-colorblind, or a file in the folder themes',
  },
  editorMode: {
    ...oneOf('normal', 'vim'),
    byDefault: 'normal',
    meaning: 'the keys of the input line in the terminal; vim has an insert and a normal mode',
  },
  statusLine: {
    ...statusCommand,
    meaning: 'a command whose first line of output replaces the facts in the status line',
  },
  effortLevel: {
    ...oneOf(...EFFORTS),
    meaning: 'how much work the model puts into an answer',
  },
  alwaysThinkingEnabled: {
    ...flag,
    variable: 'MAX_THINKING_TOKENS',
    meaning: 'whether models that can think do so; true unless it is set',
  },
  models: {
    expects: 'an object of models, each with contextWindow, maxOutputTokens, thinking or prices',
    accepts: isModelSettings,
    schema: modelSettingsSchema(),
    salvage: usableModelSettings,
    meaning: 'the window, output, thinking and prices of models',
  },
  env: { ...environment, meaning: 'variables for the session and its commands' },
  claudeMdExcludes: { ...texts, meaning: 'patterns of instruction files that are not read' },
  autoCompactWindow: {
    ...count,
    variable: 'HEDDLE_AUTO_COMPACT_WINDOW',
    meaning: 'the window, in tokens, that compaction assumes',
  },
  hooks: { ...object, meaning: 'programs that run at events of a conversation; see hooks.md' },
  disableAllHooks: { ...flag, ...protects, meaning: 'switches all hooks off' },
  allowManagedHooksOnly: {
    ...flag,
    ...protects,
    meaning: 'in managed settings: only hooks of managed settings run',
  },
  allowedMcpServers: {
    ...serverEntries,
    ...protects,
    meaning: 'the only MCP servers that may start; an empty list allows none; see mcp.md',
  },
  deniedMcpServers: { ...serverEntries, ...protects, meaning: 'MCP servers that never start; see mcp.md' },
  disabledMcpServers: {
    ...forbiddenTexts,
    ...protects,
    meaning: 'names of MCP servers that are switched off',
  },
  disabledMcpjsonServers: {
    ...forbiddenTexts,
    ...protects,
    meaning: 'names of servers in .mcp.json that do not start',
  },
  allowManagedMcpServersOnly: {
    ...flag,
    ...protects,
    meaning: 'in managed settings: only allowedMcpServers of managed settings counts',
  },
  'permissions.allow': { ...texts, ...grants, meaning: 'what may run unasked' },
  'permissions.ask': { ...forbiddenTexts, ...protects, meaning: 'what is always asked about' },
  'permissions.deny': { ...forbiddenTexts, ...protects, meaning: 'what never runs' },
  'permissions.defaultMode': {
    ...oneOf('default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'manual'),
    ...grants,
    meaning: 'the permission mode a session starts in',
  },
  'permissions.additionalDirectories': {
    ...texts,
    ...grants,
    meaning: 'folders beside the working directory',
  },
  'permissions.disableBypassPermissionsMode': {
    ...oneOf('disable'),
    ...protects,
    meaning: 'forbids the mode bypassPermissions',
  },
  'permissions.examples': {
    ...ruleExamples,
    ...protects,
    meaning: 'by rule: the inputs that it must match (match), and those that it must not (not_match)',
  },
  'sandbox.enabled': { ...flag, ...protects, meaning: 'whether commands run in the sandbox' },
  'sandbox.failIfUnavailable': {
    ...flag,
    ...protects,
    meaning: 'whether a start without the sandbox is refused',
  },
  'sandbox.autoAllowBashIfSandboxed': {
    ...flag,
    ...protects,
    meaning: 'whether sandboxed commands run unasked',
  },
  'sandbox.allowUnsandboxedCommands': {
    ...flag,
    ...protects,
    meaning: 'whether the model may ask to leave the sandbox',
  },
  'sandbox.excludedCommands': { ...texts, ...grants, meaning: 'commands that run outside the sandbox' },
  'sandbox.filesystem.allowWrite': {
    ...texts,
    ...grants,
    meaning: 'more places that sandboxed commands may write',
  },
  'sandbox.filesystem.denyWrite': {
    ...forbiddenTexts,
    ...protects,
    meaning: 'places that sandboxed commands may not write',
  },
  'sandbox.filesystem.denyRead': {
    ...forbiddenTexts,
    ...protects,
    meaning: 'places that sandboxed commands may not read',
  },
  'sandbox.filesystem.allowRead': { ...texts, ...grants, meaning: 'exceptions from what may not be read' },
  'sandbox.readOnlyView': {
    ...oneOf('auto', 'off'),
    meaning:
      'whether commands proven to only read run in a read-only view, and permitted edits by commands in a view for edits',
  },
  'sandbox.enableWeakerNestedSandbox': {
    ...flag,
    ...grants,
    meaning: 'a weaker sandbox, for containers that do not allow mounting /proc',
  },
  'sandbox.network.allowedDomains': {
    ...texts,
    ...grants,
    meaning: 'hosts that sandboxed commands may reach',
  },
  'sandbox.network.deniedDomains': {
    ...forbiddenTexts,
    ...protects,
    meaning: 'hosts that sandboxed commands may never reach',
  },
  'sandbox.network.allowUnixSockets': {
    ...texts,
    ...grants,
    meaning: 'sockets that sandboxed commands may use',
  },
  'sandbox.network.allowLocalBinding': {
    ...flag,
    ...grants,
    meaning: 'whether sandboxed commands may listen on local ports',
  },
  'sandbox.network.httpProxyPort': { ...port, meaning: 'the port of your own HTTP proxy for the sandbox' },
  'sandbox.network.socksProxyPort': { ...port, meaning: 'the port of your own SOCKS proxy for the sandbox' },
} satisfies Readonly<Record<string, KnownSetting>>;

/** The value of a setting, by its key. */
type SettingValue<Key extends keyof typeof OWN_SETTINGS> =
  (typeof OWN_SETTINGS)[Key] extends SettingKind<infer T> ? T : never;

const LOOP_SETTINGS = [...GATE_SETTINGS.values(), ...LIMIT_SETTINGS.values()].map(
  ({ key, kind, ...row }): [string, KnownSetting] => [key, { ...kind, ...row }],
);

export const KNOWN_SETTINGS: Readonly<Record<string, KnownSetting>> = {
  ...OWN_SETTINGS,
  ...Object.fromEntries(LOOP_SETTINGS),
};

/** Whether a mode permits more than the default. */
export function raisesMode(mode: Json | undefined): boolean {
  return mode === 'acceptEdits' || mode === 'bypassPermissions';
}

/** Returns whether a feature is on: its variable counts before its setting. It is off by default. */
export function isSwitchedOn(
  merged: JsonObject,
  key: 'promptSuggestionEnabled' | 'autoMemoryEnabled',
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const given = readSwitch(env[OWN_SETTINGS[key].variable] ?? '');
  return typeof given === 'boolean' ? given : readSetting(merged, key) === true;
}

/** Returns the typed value of a key in merged settings. An invalid value counts as absent. */
export function readSetting<Key extends keyof typeof OWN_SETTINGS>(
  merged: JsonObject,
  key: Key,
): SettingValue<Key> | undefined {
  const kind: SettingKind = OWN_SETTINGS[key];
  const value = valueAt(merged, key.split('.'));
  return isValue<Key>(kind, value) ? value : undefined;
}

function isValue<Key extends keyof typeof OWN_SETTINGS>(
  kind: SettingKind,
  value: Json | undefined,
): value is SettingValue<Key> & Json {
  return value !== undefined && kind.accepts(value);
}
