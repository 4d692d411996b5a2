/** Lists the effects of trust in a folder: the parts of its settings and servers that do not count without trust. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describeHandler, readHooks } from '@heddle/agent/hooks';
import { findServers } from '@heddle/agent/mcp';
import { loadSettings, permissionSettings, PROJECT_FOLDERS, trustedPart } from '@heddle/agent/settings';
import { isJsonObject, isRecord, type Json, type JsonObject } from '@heddle/core';
import { readServers, serverAddress } from '@heddle/mcp/config';
import { commandEnvironment } from '../keys.ts';
import { shortened } from '../terminal/amounts.ts';
import { escapeLine } from '../terminal/escape-controls.ts';
import { HELPERS } from './named-files.ts';

/** Texts by kind. They come from files of the project. */
export type TrustedParts = Readonly<Record<(typeof KINDS)[number][0], readonly string[]>>;

/** The kinds, with the names of one and of several parts. */
const KINDS = [
  ['modes', 'mode', 'modes'],
  ['allowRules', 'allow rule', 'allow rules'],
  ['folders', 'additional folder', 'additional folders'],
  ['hooks', 'hook', 'hooks'],
  ['servers', 'MCP server', 'MCP servers'],
  ['variables', 'variable', 'variables'],
  ['helpers', 'helper command', 'helper commands'],
  ['settings', 'other setting', 'other settings'],
  ['extensions', 'folder of agents, skills or commands', 'folders of agents, skills or commands'],
] as const;

interface TrustPlaces {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The same before and after the folder is trusted. Settings of subfolders are not included. */
export async function trustedParts(folders: readonly string[], places: TrustPlaces): Promise<TrustedParts> {
  const found = await Promise.all([...new Set(folders)].map((cwd) => partsOf({ ...places, cwd })));
  const joined = (kind: keyof TrustedParts): readonly string[] => [
    ...new Set(found.flatMap((parts) => parts[kind])),
  ];
  return {
    modes: joined('modes'),
    allowRules: joined('allowRules'),
    folders: joined('folders'),
    hooks: joined('hooks'),
    servers: joined('servers'),
    variables: joined('variables'),
    helpers: joined('helpers'),
    settings: joined('settings'),
    extensions: joined('extensions'),
  };
}

async function partsOf(places: TrustPlaces & { readonly cwd: string }): Promise<TrustedParts> {
  const loaded = loadSettings(places);
  const { defaultMode } = await permissionSettings(asTrusted(loaded), places.home);
  const ofProject = loaded.files.filter(({ source }) => source === 'project' || source === 'local');
  const parts = ofProject.map((file) => ({ part: trustedPart(file), source: file.file ?? file.source }));
  const from = (take: (part: JsonObject, source: string) => readonly string[]): readonly string[] =>
    parts.flatMap(({ part, source }) => take(part, source));
  const permissions = (key: string): readonly string[] =>
    from((part) => (isJsonObject(part['permissions']) ? texts(part['permissions'][key]) : []));
  return {
    // A project cannot raise its mode in every file.
    modes: permissions('defaultMode').filter((mode) => mode === defaultMode),
    allowRules: permissions('allow'),
    folders: permissions('additionalDirectories'),
    hooks: from(hooksIn),
    servers: [...from(serversIn), ...serversOfProject(places)],
    variables: from(variablesIn),
    helpers: from(helpersIn),
    settings: from((part) => Object.keys(part).filter((key) => !SHOWN_APART.has(key))),
    extensions: PROJECT_FOLDERS.flatMap((name) =>
      ['agents', 'skills', 'commands'].map((kind) => path.join(places.cwd, name, kind)),
    ).filter((folder) => existsSync(folder)),
  };
}

type Loaded = ReturnType<typeof loadSettings>;

function asTrusted({ files, ...others }: Loaded): Loaded {
  const all = files.map((file) => (file.target === undefined ? { ...file, counting: file.settings } : file));
  return { ...others, files: all };
}

const SHOWN_APART: ReadonlySet<string> = new Set(
  ['permissions', 'hooks', 'mcpServers', 'env', 'statusLine'].concat(HELPERS),
);

const SECRET = /key|token|secret|passw|credential/i;

/** Values show where a project sends requests. Those that are secret by their name are hidden. */
function variablesIn({ env }: JsonObject): readonly string[] {
  if (!isJsonObject(env)) return [];
  return Object.entries(env).map(([name, value]) => {
    if (SECRET.test(name)) return `${name}=(hidden)`;
    return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
  });
}

function texts(value: Json | undefined): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string');
}

function hooksIn({ hooks }: JsonObject, source: string): readonly string[] {
  return readHooks(hooks, { source }).hooks.map(
    ({ event, handler }) => `${event}: ${describeHandler(handler)}`,
  );
}

function serversIn({ mcpServers }: JsonObject, source: string): readonly string[] {
  if (mcpServers === undefined) return [];
  const { servers } = readServers(mcpServers, { scope: 'project', source }, commandEnvironment());
  return servers.map(({ name, config }) => `${name}: ${serverAddress(config)}`);
}

function serversOfProject(places: TrustPlaces & { readonly cwd: string }): readonly string[] {
  const request = { ...places, configs: [], strict: false, variables: commandEnvironment };
  const found = findServers({ ...request, loaded: { files: [], problems: [] }, sources: ['project'] });
  return found
    .examine()
    .servers.filter(({ scope }) => scope === 'project')
    .map(({ name, config }) => `${name}: ${serverAddress(config)}`);
}

function helpersIn(part: JsonObject): readonly string[] {
  const { statusLine } = part;
  const status = isRecord(statusLine) ? statusLine['command'] : undefined;
  const commands: readonly (readonly [string, unknown])[] = [
    ['statusLine', status],
    ...HELPERS.map((key): [string, unknown] => [key, part[key]]),
  ];
  return commands.flatMap(([key, command]) => (typeof command === 'string' ? [`${key}: ${command}`] : []));
}

const MOST_SHOWN = 5;
const MOST_COLUMNS = 100;

/** One line for each part, with the number of those that are not shown. */
export function trustedPartsText(parts: TrustedParts): string {
  const sections = KINDS.flatMap(([kind, one, many]) => {
    const found = parts[kind];
    if (found.length === 0) return [];
    const shown = found
      .slice(0, MOST_SHOWN)
      .map((text) => `    ${escapeLine(shortened(text, MOST_COLUMNS))}`);
    const rest = found.length - shown.length;
    const more = rest === 0 ? [] : [`    and ${rest} more`];
    return [[`  ${found.length} ${found.length === 1 ? one : many}:`], shown, more].flat();
  });
  return sections.length === 0
    ? 'Its settings contain nothing that needs trust.'
    : ['Trust switches on:', ...sections].join('\n');
}
