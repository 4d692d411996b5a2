/** Plugins: folders that bundle skills, commands, hooks and MCP servers. A plugin counts if the user names or enables it. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, errorMessage, isRecord } from '@heddle/core';
import { type FileLimits, GuardedFiles } from '../extensions/guarded-files.ts';
import { type HookDefinition, readHooks } from '../hooks/definition.ts';
import { findLine, type JsonPath } from '../settings/find-line.ts';
import { describeJsonError } from '../settings/json-error.ts';
import { readRegularFile } from '../settings/json-file.ts';

export interface Plugin {
  readonly name: string;
  readonly path: string;
  readonly version: string | undefined;
  readonly hooks: readonly HookDefinition[];
  /** The entries of its MCP servers, by name. */
  readonly servers: Readonly<Record<string, unknown>>;
}

export interface PluginRequest {
  /** Folders of plugins that the user names, absolute. */
  readonly folders: readonly string[];
  /** `enabledPlugins` of the settings that count: `name@marketplace` with true or false. */
  readonly enabled: unknown;
  /** `extraKnownMarketplaces` of the settings that count. */
  readonly marketplaces: unknown;
  /** The user's settings folders. Installed plugins are below `plugins`. */
  readonly configDirs: readonly string[];
  /** Whether a rule forbids reading a file. Such a file is not read through a link. */
  readonly isDenied?: FileLimits['isDenied'];
}

export interface PluginsRead {
  readonly plugins: readonly Plugin[];
  readonly problems: readonly string[];
  /** The problems because of which hooks of a plugin may be missing. They are among `problems`. */
  readonly missingHooks: readonly string[];
  /** Lists, manifests and files of parts, also those that are absent. */
  readonly files: readonly string[];
  /** Folders in which a plugin was looked for. */
  readonly folders: readonly string[];
}

/** Collected while plugins are read. */
interface Reading {
  readonly problems: string[];
  readonly missingHooks: string[];
  readonly files: string[];
  readonly folders: string[];
}

/** Never throws. A plugin that cannot be read is reported, and the others load. */
export function readPlugins(request: PluginRequest): PluginsRead {
  const reading: Reading = { problems: [], missingHooks: [], files: [], folders: [...request.folders] };
  const { problems } = reading;
  const enabled = isRecord(request.enabled)
    ? Object.keys(request.enabled).filter((key) => isRecord(request.enabled) && request.enabled[key] === true)
    : [];
  const folders = [...request.folders];
  for (const key of enabled) {
    const folder = installedFolder(key, request, reading);
    if (folder === undefined) problems.push(`The plugin ${key} is enabled, but is not installed.`);
    else folders.push(folder);
  }
  const plugins = new Map<string, Plugin>();
  for (const folder of folders) {
    const plugin = readPlugin(folder, reading, request.isDenied);
    if (plugin !== undefined && !plugins.has(plugin.name)) plugins.set(plugin.name, plugin);
  }
  return { ...reading, plugins: [...plugins.values()] };
}

/** The variables that commands of a plugin find in their environment. */
export function variablesOf({ path: folder }: Pick<Plugin, 'path'>): Readonly<Record<string, string>> {
  return { CLAUDE_PLUGIN_ROOT: folder, HEDDLE_PLUGIN_ROOT: folder };
}

function readPlugin(folder: string, reading: Reading, isDenied: FileLimits['isDenied']): Plugin | undefined {
  const { problems, missingHooks } = reading;
  if (!isFolder(folder)) {
    const problem = `${folder}: there is no such folder, so no plugin was loaded from it.`;
    problems.push(problem);
    missingHooks.push(problem);
    return undefined;
  }
  const manifestFile = path.join(folder, '.claude-plugin/plugin.json');
  const files = new GuardedFiles({ within: folder, owner: 'plugin', isDenied });
  // The manifest may contain hooks, or name their file.
  const unread: string[] = [];
  const noting = { problems: unread, files: reading.files };
  const { value: manifest, placeOf } = readJson(manifestFile, noting, files);
  for (const key of ['commands', 'skills', 'agents'])
    if (manifest[key] !== undefined)
      problems.push(`${placeOf([key])}: ${key} is ignored; the folder ${key} of the plugin is read.`);
  const name = typeof manifest['name'] === 'string' ? manifest['name'] : path.basename(folder);
  const declared = partOf(folder, { key: 'hooks', manifest, placeOf, files }, noting);
  missingHooks.push(...unread, ...files.problems);
  const environment = variablesOf({ path: folder });
  const source = path.join(folder, USUAL_FILES.hooks);
  const { hooks, ...inHooks } = readHooks(declared.value['hooks'] ?? undefined, {
    source,
    environment,
    placeOf: declared.placeOf,
  });
  problems.push(...unread, ...inHooks.problems);
  missingHooks.push(...inHooks.missing);
  const { value: servers } = partOf(folder, { key: 'mcpServers', manifest, placeOf, files }, reading);
  problems.push(...files.problems);
  return {
    name,
    path: folder,
    version: typeof manifest['version'] === 'string' ? manifest['version'] : undefined,
    hooks,
    servers: isRecord(servers['mcpServers']) ? servers['mcpServers'] : servers,
  };
}

/** The files of parts that a manifest does not contain. */
const USUAL_FILES = { hooks: 'hooks/hooks.json', mcpServers: '.mcp.json' } as const;

interface ReadJson {
  /** Empty if the file is absent or invalid. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Names the file and the line of a value. */
  readonly placeOf: (path: JsonPath) => string;
}

interface PartRequest {
  readonly key: keyof typeof USUAL_FILES;
  readonly manifest: ReadJson['value'];
  readonly placeOf: ReadJson['placeOf'];
  readonly files: GuardedFiles;
}

/** A part of a plugin: in its manifest, in a file that the manifest names, or in the usual file. */
function partOf(
  folder: string,
  { key, manifest, placeOf, files }: PartRequest,
  reading: Pick<Reading, 'problems' | 'files'>,
): ReadJson {
  const inManifest = manifest[key];
  // The path of a value starts with the key of its part, as in a file of the part.
  if (isRecord(inManifest)) return { value: inManifest, placeOf: (path) => placeOf([key, ...path]) };
  const file = typeof inManifest === 'string' ? inManifest : USUAL_FILES[key];
  return readJson(path.resolve(folder, file), reading, files);
}

/** A file that is absent, or may not be read, is empty. One that is invalid is reported. */
function readJson(
  file: string,
  { problems, files: looked }: Pick<Reading, 'problems' | 'files'>,
  files: GuardedFiles,
): ReadJson {
  looked.push(file);
  const at = files.resolve(file);
  if (at === undefined) return { value: {}, placeOf: () => file };
  let text: string;
  try {
    text = readRegularFile(at.real).replace(/^\uFEFF/, '');
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') problems.push(`${file}: ignored: ${errorMessage(thrown)}`);
    return { value: {}, placeOf: () => file };
  }
  const placeOf = (path: JsonPath): string => `${file}:${findLine(text, path)}`;
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return { value, placeOf };
    problems.push(`${file}:1: not an object, ignored.`);
  } catch {
    problems.push(`${file}: ignored: it is not JSON: ${describeJsonError(text)}.`);
  }
  return { value: {}, placeOf };
}

/** The folder of `name@marketplace`: in a known marketplace, or among the installed plugins. The newest version wins. */
function installedFolder(
  key: string,
  { marketplaces, configDirs, isDenied }: PluginRequest,
  { files, folders }: Reading,
): string | undefined {
  const [name = '', market = ''] = key.split('@');
  if (!/^[\w.-]+$/.test(name) || (market !== '' && !/^[\w.-]+$/.test(market))) return undefined;
  const inMarkets = [
    ...knownMarketplace(marketplaces, market),
    ...configDirs.map((folder) => path.join(folder, 'plugins/marketplaces', market)),
  ].flatMap((folder) => listedIn(folder, name, files, isDenied));
  const installed = configDirs.flatMap((folder) => [
    ...versionsIn(path.join(folder, 'plugins/cache', market, name)),
    path.join(folder, 'plugins', market, name),
    path.join(folder, 'plugins', name),
  ]);
  return [...inMarkets, ...installed].find((folder) => {
    // One that appears in an earlier folder would take the place of the present one.
    folders.push(folder);
    return isPlugin(folder);
  });
}

function knownMarketplace(marketplaces: unknown, market: string): readonly string[] {
  const entry = isRecord(marketplaces) ? marketplaces[market] : undefined;
  const source = isRecord(entry) ? entry['source'] : undefined;
  const folder = isRecord(source) ? source['path'] : undefined;
  return typeof folder === 'string' && path.isAbsolute(folder) ? [folder] : [];
}

/** The folder that the list of a marketplace names for a plugin, and the usual one. */
function listedIn(
  market: string,
  name: string,
  files: string[],
  isDenied: FileLimits['isDenied'],
): readonly string[] {
  const list = readJson(
    path.join(market, '.claude-plugin/marketplace.json'),
    { problems: [], files },
    new GuardedFiles({ isDenied }),
  ).value['plugins'];
  const entry: unknown = Array.isArray(list)
    ? list.find((one) => isRecord(one) && one['name'] === name)
    : undefined;
  const source = isRecord(entry) ? entry['source'] : undefined;
  return [
    ...(typeof source === 'string' ? [path.resolve(market, source)] : []),
    path.join(market, 'plugins', name),
  ];
}

function versionsIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).sort((a, b) => b.localeCompare(a, undefined, { numeric: true }));
    return names.map((name) => path.join(folder, name));
  } catch {
    return [];
  }
}

/** A folder without a manifest is a plugin if it has one of the usual parts. */
function isPlugin(folder: string): boolean {
  return ['.claude-plugin', 'skills', 'commands', 'hooks', 'agents'].some((part) =>
    isFolder(path.join(folder, part)),
  );
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}
