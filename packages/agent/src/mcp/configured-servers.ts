/** The MCP servers that are configured: in `.mcp.json`, settings, the state file, flags, and by the administrator. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, errorMessage, isJsonObject, isRecord } from '@heddle/core';
import {
  type ConfiguredServer,
  readServers,
  type ServerPolicy,
  serverPolicyOf,
  type ServerScope,
  type ServersRead,
} from '@heddle/mcp/config';
import { untrustedNote } from '../settings/effective-settings.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { mergeSettings } from '../settings/merge-settings.ts';
import { managedDir, repositoryTop, type Scope, type SettingsPlaces } from '../settings/scopes.ts';
import { readState, stateFile, trustIn, trustKey } from '../settings/trust.ts';

export interface ServersRequest extends SettingsPlaces {
  readonly loaded: LoadedSettings;
  /** The scopes to read. Undefined for all. */
  readonly sources?: readonly Scope[] | undefined;
  /** `--mcp-config`: files or JSON. */
  readonly configs: readonly string[];
  /** Only servers of the command line and of the administrator count. */
  readonly strict: boolean;
  /** The variables that entries may contain. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Servers of plugins. */
  readonly plugins?: readonly ConfiguredServer[];
  /** Servers that the agent of the main conversation describes. They count although `strict` is set. */
  readonly described?: readonly ConfiguredServer[];
}

export interface ConfiguredServers extends ServersRead {
  /** The entries that may start are selected by this policy. */
  readonly policy: ServerPolicy;
}

/** Never throws. An unreadable file is reported and skipped. */
export function configuredServers(request: ServersRequest): ConfiguredServers {
  const { sources, strict, variables, loaded } = request;
  const wants = (scope: Scope): boolean => !strict && (sources === undefined || sources.includes(scope));
  const managedServers = managedFile(request);
  const managed = readServersFile(managedServers);
  const parts: ServersRead[] = [
    serversOf(managed, { scope: 'managed', source: managedServers }, variables),
    ...request.configs.map((config) => flagPart(config, request)),
    ...settingsPart(wants),
    ...(wants('local') ? [statePart('local', request)] : []),
    ...(wants('project') ? [projectPart(request)] : []),
    ...(wants('user') ? [statePart('user', request)] : []),
    ...(strict ? [] : [{ servers: request.plugins ?? [], notes: [] }]),
    { servers: request.described ?? [], notes: [] },
  ];
  const managedSettings = loaded.files.filter(({ source }) => source === 'managed');
  return {
    servers: parts.flatMap(({ servers }) => servers),
    notes: parts.flatMap(({ notes }) => notes),
    policy: serverPolicyOf(
      mergeSettings(loaded.files),
      mergeSettings(managedSettings),
      managed.kind !== 'missing',
    ),
  };

  function settingsPart(isWanted: (scope: Scope) => boolean): ServersRead[] {
    return loaded.files.flatMap(({ source, file, counting }) => {
      if (counting['mcpServers'] === undefined || source === 'session') return [];
      if (source !== 'managed' && source !== 'command line' && !isWanted(source)) return [];
      return [readServers(counting['mcpServers'], { scope: source, source: file }, variables)];
    });
  }
}

/** The files that servers are read from, except settings files and those of plugins. */
export function serverFiles(request: SettingsPlaces & Pick<ServersRequest, 'configs'>): readonly string[] {
  const configs = request.configs.filter((config) => !isJsonText(config));
  return [
    managedFile(request),
    projectFile(request.projectRoot ?? request.cwd),
    stateFile(request),
    ...configs.map((file) => path.resolve(request.cwd, file)),
  ];
}

function isJsonText(config: string): boolean {
  return config.trimStart().startsWith('{');
}

const PROJECT_FILE = '.mcp.json';

/** Returns the nearest `.mcp.json`, up to the top of the repository. Without one, its place in the top folder. */
export function projectFile(cwd: string): string {
  const top = repositoryTop(cwd) ?? cwd;
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const file = path.join(folder, PROJECT_FILE);
    if (folder === top || folder === path.dirname(folder)) return path.join(top, PROJECT_FILE);
    if (readServersFile(file).kind !== 'missing') return file;
  }
}

/** Servers of a folder that is not trusted are shown, not started, and hide no other server. */
function projectPart(request: ServersRequest): ServersRead {
  const file = projectFile(request.projectRoot ?? request.cwd);
  const read = serversOf(readServersFile(file), { scope: 'project', source: file }, request.variables);
  if (read.servers.length === 0 || trustIn(request)(path.dirname(file))) return read;
  const disabled = 'The folder is not trusted. If you trust it: heddle permissions trust';
  const names = read.servers.map(({ name }) => name).join(', ');
  return {
    servers: read.servers.map((server) => withReason(server, disabled)),
    notes: [untrustedNote([`${file}: ${names}`])],
  };
}

function withReason(server: ConfiguredServer, disabled: string): ConfiguredServer {
  return { ...server, disabled };
}

/** Servers in the state file: of the user, or of the user in this project. */
function statePart(scope: 'local' | 'user', request: ServersRequest): ServersRead {
  const file = stateFile(request);
  const state = readState(file);
  const projects = isJsonObject(state?.['projects']) ? state['projects'] : {};
  const project = projects[trustKey(request)];
  const holder = scope === 'user' ? state : isJsonObject(project) ? project : undefined;
  const servers = holder?.['mcpServers'];
  if (servers === undefined) return { servers: [], notes: [] };
  return readServers(servers, { scope, source: file }, request.variables);
}

function managedFile(request: SettingsPlaces): string {
  return path.join(request.managedDir ?? managedDir(), 'managed-mcp.json');
}

/** A file or JSON. A missing file is an error of the user. */
function flagPart(config: string, { cwd, variables }: ServersRequest): ServersRead {
  if (isJsonText(config)) {
    try {
      return readServers(serversIn(JSON.parse(config)), { scope: 'command line' }, variables);
    } catch (thrown) {
      return { servers: [], notes: [`--mcp-config: ${errorMessage(thrown)}`] };
    }
  }
  const file = path.resolve(cwd, config);
  const read = readServersFile(file);
  if (read.kind === 'missing') return { servers: [], notes: [`--mcp-config: there is no file ${file}.`] };
  return serversOf(read, { scope: 'command line', source: file }, variables);
}

/** The servers of a file. A missing file has none. */
function serversOf(
  read: ServersFile,
  origin: { readonly scope: ServerScope; readonly source: string },
  variables: ServersRequest['variables'],
): ServersRead {
  switch (read.kind) {
    case 'missing':
      return { servers: [], notes: [] };
    case 'unreadable':
      return { servers: [], notes: [`${origin.source} was skipped: ${read.message}`] };
    case 'read':
      return readServers(serversIn(read.content), origin, variables);
  }
}

type ServersFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'read'; readonly content: unknown };

function readServersFile(file: string): ServersFile {
  try {
    // Most of these files are missing, and an exception for each of them would delay the start.
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return { kind: 'missing' };
    return { kind: 'read', content: JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, '')) };
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT' || errorCode(thrown) === 'ENOTDIR') return { kind: 'missing' };
    return { kind: 'unreadable', message: errorMessage(thrown) };
  }
}

/** Some files contain the servers without the outer key. */
function serversIn(content: unknown): unknown {
  if (!isRecord(content)) return content;
  return content['mcpServers'] ?? content;
}
