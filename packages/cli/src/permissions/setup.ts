/** Combines settings of all scopes and flags to the rules, the mode and the folders of a run or an explanation. */
import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AskPermission, Rule, Rules } from '@heddle/agent';
import {
  configDirs,
  type LoadedSettings,
  loadSettings,
  permissionSettings,
  persistUpdates,
  type Scope,
  type SettingsRequest,
  findRuleDoubt,
} from '@heddle/agent/settings';
import type { PermissionMode } from '@heddle/core';
import { filesOfCommands, settingsCommands } from './named-files.ts';
import { warn } from '../terminal/write-message.ts';

export interface PermissionFlags {
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly permissionMode: PermissionMode | undefined;
  readonly addDirs: readonly string[];
  readonly settings: string | undefined;
  readonly managedSettings: string | undefined;
  /** Undefined: all. */
  readonly settingSources: readonly Scope[] | undefined;
  /** The checkout with the settings of the project. Undefined: the project around the working folder. */
  readonly projectConfigRoot?: string | undefined;
  readonly keptSettings?: SettingsRequest['kept'];
  readonly settingsFiles?: SettingsRequest['found'];
  /** The folder of the run, if it is not the working directory of the process. */
  readonly folder?: string | undefined;
  readonly mcpConfig?: readonly string[] | undefined;
  readonly pluginDirs?: readonly string[] | undefined;
  readonly pluginDirsNoMcp?: readonly string[] | undefined;
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
  /** The mode bypassPermissions cannot be switched on. */
  readonly forbidsBypass: boolean;
  readonly directories: readonly string[];
  readonly configDirs: readonly string[];
  /** The files and folders of settings, servers and plugins that flags name, and the files that commands of settings name. */
  readonly configFiles: () => readonly string[];
  /** Notes for the user: skipped files, rules that never match, and settings that an untrusted folder may not use. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Warnings about rules for unknown tools, and about patterns that may match nothing. */
  readonly doubts: readonly string[];
  readonly leftOut: readonly string[];
  /** A message if the settings forbid the requested mode. */
  readonly modeRefused: readonly string[];
  readonly loaded: LoadedSettings;
}

export async function permissionSetup(
  flags: PermissionFlags,
  cwd: string = flags.folder ?? process.cwd(),
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
    projectRoot: flags.projectConfigRoot,
    kept: flags.keptSettings,
    found: flags.settingsFiles,
  });
  const configured = await permissionSettings(loaded, home);
  const rule = (text: string): Rule => ({ text, source: 'command line', base: cwd });
  const doubts = [
    ...flags.disallowedTools.flatMap((text) => findRuleDoubt(text, 'deny') ?? []),
    ...flags.allowedTools.flatMap((text) => findRuleDoubt(text, 'allow') ?? []),
    ...configured.doubts,
  ];
  const wanted = flags.permissionMode ?? configured.defaultMode ?? 'default';
  const refused = wanted === 'bypassPermissions' && configured.bypassDisabled;
  const { defaultMode } = configured;
  const mode = !refused
    ? wanted
    : defaultMode === 'plan' || defaultMode === 'dontAsk'
      ? defaultMode
      : 'default';
  const modeRefused = refused ? [`The settings forbid the mode bypassPermissions. The mode is ${mode}.`] : [];
  const directories = [
    ...flags.addDirs.map((folder) => path.resolve(cwd, folder)),
    ...configured.directories,
  ];
  return {
    rules: {
      deny: [...flags.disallowedTools.map(rule), ...configured.rules.deny],
      ask: configured.rules.ask,
      allow: [...flags.allowedTools.map(rule), ...configured.rules.allow],
    },
    mode,
    forbidsBypass: configured.bypassDisabled,
    directories,
    configDirs: configDirs({ env, home }),
    configFiles: () => [
      ...configFiles(flags, cwd),
      ...filesOfCommands(settingsCommands(loaded), { cwd, projectDir: flags.projectConfigRoot, directories }),
    ],
    problems: configured.problems,
    doubts,
    leftOut: configured.leftOut,
    modeRefused,
    notes: [...configured.problems, ...doubts, ...configured.leftOut, ...modeRefused],
    loaded,
  };
}

function configFiles(
  { settings, managedSettings, mcpConfig = [], pluginDirs = [], pluginDirsNoMcp = [] }: PermissionFlags,
  cwd: string,
): readonly string[] {
  const isFile = (value: string): boolean => !value.trimStart().startsWith('{');
  const named = [settings, managedSettings].filter((value) => value !== undefined);
  const files = [...named, ...mcpConfig].filter(isFile);
  return [
    ...files.map((file) => path.resolve(file)),
    ...[...pluginDirs, ...pluginDirsNoMcp].flatMap((folder) => pluginPlaces(path.resolve(folder), cwd)),
  ];
}

/** The parts of a plugin that start programs or permit calls. */
const PLUGIN_PARTS = ['.claude-plugin', 'hooks', 'commands', 'agents', 'skills'];

/** Returns the places that change what a plugin does. In a project that is a plugin itself, other files are ordinary. */
export function pluginPlaces(folder: string, cwd: string): readonly string[] {
  const isAround = !path.relative(realFolder(folder), realFolder(cwd)).startsWith('..');
  return isAround ? PLUGIN_PARTS.map((name) => path.join(folder, name)) : [folder];
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** Wraps a permission prompt: stores the rules of an answer in the settings file of their scope. `projectRoot`: see `SettingsPlaces`. */
export function remembering(ask: AskPermission, projectRoot?: string): AskPermission {
  return async (question, signal) => {
    const answer = await ask(question, signal);
    if (answer.allow && answer.updates) {
      const places = { cwd: process.cwd(), home: os.homedir(), env: process.env, projectRoot };
      for (const problem of persistUpdates(answer.updates, places)) warn(problem);
    }
    return answer;
  };
}
