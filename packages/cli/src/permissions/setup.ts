/** The rules, the mode and the folders that a run or an explanation starts from: settings of all scopes, then flags. */
import type { Rule, Rules } from '@heddle/agent';
import {
  configDirs,
  type LoadedSettings,
  loadSettings,
  permissionSettings,
  type Scope,
  unknownTool,
} from '@heddle/agent/settings';
import type { PermissionMode } from '@heddle/core';
import os from 'node:os';
import path from 'node:path';

export interface PermissionFlags {
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly permissionMode: PermissionMode | undefined;
  readonly addDirs: readonly string[];
  readonly settings: string | undefined;
  readonly managedSettings: string | undefined;
  /** Undefined: all. */
  readonly settingSources: readonly Scope[] | undefined;
}

export const NO_FLAGS: PermissionFlags = {
  allowedTools: [],
  disallowedTools: [],
  permissionMode: undefined,
  addDirs: [],
  settings: undefined,
  managedSettings: undefined,
  settingSources: undefined,
};

export interface PermissionSetup {
  readonly rules: Rules;
  readonly mode: PermissionMode;
  readonly directories: readonly string[];
  readonly configDirs: readonly string[];
  /** What the user should know: skipped files, rules that never match, what an untrusted folder may not do. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Rules for tools that nobody knows. */
  readonly doubts: readonly string[];
  readonly leftOut: readonly string[];
  readonly notRun: readonly string[];
  /** That the settings forbid the mode that was asked for. */
  readonly modeRefused: readonly string[];
  readonly loaded: LoadedSettings;
}

export async function permissionSetup(
  flags: PermissionFlags,
  cwd: string = process.cwd(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<PermissionSetup> {
  const home = os.homedir();
  const loaded = loadSettings({
    cwd,
    home,
    env,
    settings: flags.settings,
    managed: flags.managedSettings,
    sources: flags.settingSources,
  });
  const said = await permissionSettings(loaded, home);
  const rule = (text: string): Rule => ({ text, source: 'command line', base: cwd });
  const doubts = [
    ...flags.disallowedTools.flatMap((text) => unknownTool(text, 'deny') ?? []),
    ...flags.allowedTools.flatMap((text) => unknownTool(text, 'allow') ?? []),
    ...said.doubts,
  ];
  const notRun = hooksNotRun(loaded);
  const wanted = flags.permissionMode ?? said.defaultMode ?? 'default';
  const refused = wanted === 'bypassPermissions' && said.bypassDisabled;
  const modeRefused = refused
    ? ['The settings switch the mode bypassPermissions off; the mode is default.']
    : [];
  return {
    rules: {
      deny: [...flags.disallowedTools.map(rule), ...said.rules.deny],
      ask: said.rules.ask,
      allow: [...flags.allowedTools.map(rule), ...said.rules.allow],
    },
    mode: refused ? 'default' : wanted,
    directories: [...flags.addDirs.map((folder) => path.resolve(cwd, folder)), ...said.directories],
    configDirs: configDirs({ env, home }),
    problems: said.problems,
    doubts,
    leftOut: said.leftOut,
    notRun,
    modeRefused,
    notes: [...said.problems, ...doubts, ...said.leftOut, ...notRun, ...modeRefused],
    loaded,
  };
}

// Reports hooks in settings, which are not run yet. A user may rely on one as a guard, so every file with hooks is named,
// whether or not the rest of it counts.

function hooksNotRun({ files }: LoadedSettings): string[] {
  const places = files
    .filter(({ settings: { hooks } }) => isFilled(hooks))
    .map(({ file, source }) => file ?? `the ${source} settings`);
  if (places.length === 0) return [];
  return [`Hooks in settings are not run yet; what they guard must be a rule: ${places.join(', ')}.`];
}

function isFilled(hooks: unknown): boolean {
  return typeof hooks === 'object' && hooks !== null && Object.keys(hooks).length > 0;
}
