/** The plugins of a session: those that flags name and settings enable, with their hooks and MCP servers. */
import path from 'node:path';
import { unaskedOwnFilesOf } from '@heddle/agent';
import type { Plugin } from '@heddle/agent/plugins';
import type { DeclaredHook } from '@heddle/agent/hooks';
import type { LoadedSettings } from '@heddle/agent/settings';
import { isRecord, type JsonObject } from '@heddle/core';
import { type ConfiguredServer, readServers } from '@heddle/mcp/config';
import type { RunOptions } from '../arguments/arguments.ts';
import { type PermissionSetup, pluginPlaces } from '../permissions/setup.ts';
import { commandEnvironment } from '../keys.ts';

export interface OpenPlugins {
  readonly plugins: readonly Plugin[];
  readonly hooks: readonly DeclaredHook[];
  readonly servers: readonly ConfiguredServer[];
  /** The places that change what the plugins do. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** The notes about hooks that would run, but cannot be read. */
  readonly missingHooks: readonly string[];
}

const NONE: OpenPlugins = { plugins: [], hooks: [], servers: [], files: [], notes: [], missingHooks: [] };

/** The code of plugins loads only if there may be some. Never rejects. */
export async function openPlugins(
  {
    pluginDirs,
    pluginDirsNoMcp,
    bare,
    folder: cwd = process.cwd(),
  }: Pick<RunOptions, 'pluginDirs' | 'pluginDirsNoMcp' | 'bare' | 'folder'>,
  { files }: LoadedSettings,
  merged: JsonObject,
  { configDirs, rules }: Pick<PermissionSetup, 'configDirs' | 'rules'>,
): Promise<OpenPlugins> {
  const { enabledPlugins: enabled, extraKnownMarketplaces: marketplaces } = merged;
  const folders = [...pluginDirs, ...pluginDirsNoMcp].map((folder) => path.resolve(folder));
  const isEnabled = isRecord(enabled) && Object.values(enabled).includes(true);
  if (bare || (folders.length === 0 && !isEnabled)) return NONE;
  const isDenied = await unaskedOwnFilesOf({ cwd, configDirs, rules }, cwd)();
  const { readPlugins, variablesOf } = await import('@heddle/agent/plugins');
  const found = readPlugins({ folders, enabled, marketplaces, configDirs, isDenied });
  const { plugins, problems } = found;
  const managedOnly = files.some(
    ({ source, counting }) => source === 'managed' && counting['allowManagedHooksOnly'] === true,
  );
  const inactive =
    merged['disableAllHooks'] === true
      ? ('disableAllHooks' as const)
      : managedOnly
        ? ('allowManagedHooksOnly' as const)
        : undefined;
  const withoutServers = new Set(pluginDirsNoMcp.map((folder) => path.resolve(folder)));
  const read = plugins
    .filter((plugin) => !withoutServers.has(plugin.path))
    .map((plugin) => {
      const origin = { scope: 'plugin' as const, source: path.join(plugin.path, '.mcp.json') };
      return readServers(plugin.servers, origin, { ...commandEnvironment(), ...variablesOf(plugin) });
    });
  return {
    plugins,
    hooks: plugins.flatMap(({ hooks }) =>
      hooks.map((hook) => ({ hook, scope: 'plugin' as const, inactive })),
    ),
    servers: read.flatMap(({ servers }) => servers),
    files: [...found.files, ...found.folders.flatMap((folder) => pluginPlaces(folder, cwd))],
    notes: [...problems, ...read.flatMap(({ notes }) => notes)],
    missingHooks: inactive === undefined ? found.missingHooks : [],
  };
}
