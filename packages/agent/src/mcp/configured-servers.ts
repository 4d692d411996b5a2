/**
 * The MCP servers that are configured: in `.mcp.json`, settings, the state file, flags, and by the administrator. The files
 * are read at the start, and the names are part of the first request. The entries are examined later.
 */
import { type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode, errorMessage, isJsonObject, isRecord } from '@heddle/core';
import {
  type ConfiguredServer,
  isOpenPolicy,
  namesOfUsable,
  readServers,
  type ServerPolicy,
  serverPolicyOf,
  type ServerScope,
  type ServersRead,
} from '@heddle/mcp/config';
import { untrustedNote } from '../settings/effective-settings.ts';
import {
  isTooDeep,
  LARGEST_PROJECT_FILE,
  readFileOrPipe,
  readRegularFile,
  TOO_DEEP,
} from '../settings/json-file.ts';
import type { LoadedSettings } from '../settings/load-settings.ts';
import { mergeSettings } from '../settings/merge-settings.ts';
import { managedDir, acceptedRepositoryTop, type Scope, type SettingsPlaces } from '../settings/scopes.ts';
import { readState, stateFile, trustIn, trustKey } from '../settings/trust.ts';

export interface ServersRequest extends SettingsPlaces {
  readonly loaded: LoadedSettings;
  /** The scopes to read. Undefined for all. */
  readonly sources?: readonly Scope[] | undefined;
  /** `--mcp-config`: files or JSON. */
  readonly configs: readonly string[];
  /** Only servers of the command line and of the administrator count. */
  readonly strict: boolean;
  /** Returns the variables that entries may contain. */
  readonly variables: () => Variables;
  /** Servers of plugins. */
  readonly plugins?: readonly ConfiguredServer[];
  /** Servers that the agent of the main conversation describes. They count although `strict` is set. */
  readonly described?: readonly ConfiguredServer[];
}

export interface ConfiguredServers extends ServersRead {
  /** The entries that may start are selected by this policy. */
  readonly policy: ServerPolicy;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** The content of a place with servers. Its entries have not been examined. */
interface RawServers {
  readonly value: unknown;
  readonly origin: { readonly scope: ServerScope; readonly source?: string | undefined };
}

const NONE: ServersRead = { servers: [], notes: [] };

/** The servers of all places. Their files have been read. */
export class FoundServers {
  readonly policy: ServerPolicy;
  /** The state of each file when it was read. Undefined for a missing file. */
  readonly files: ReadonlyMap<string, Stats | undefined>;
  /** A sentence about a `--mcp-config` that cannot be read. It is one of the notes, too. */
  readonly wrongFlag: string | undefined;
  readonly #parts: readonly (RawServers | ServersRead)[];
  readonly #variables: () => Variables;
  #examined: ConfiguredServers | undefined;
  #names: readonly string[] | undefined;

  constructor(
    parts: readonly (RawServers | ServersRead)[],
    policy: ServerPolicy,
    {
      variables,
      files,
      wrongFlag,
    }: Pick<FoundServers, 'files' | 'wrongFlag'> & Pick<ServersRequest, 'variables'>,
  ) {
    this.wrongFlag = wrongFlag;
    this.#parts = parts;
    this.policy = policy;
    this.#variables = variables;
    this.files = files;
    this.#names = isOpenPolicy(policy) ? namesIn(parts) : undefined;
    if (this.#names === undefined) this.examine();
  }

  /**
   * The names of all servers while each of them may start, as far as a look at the entries shows. Undefined if some may not,
   * and when the entries have been examined.
   */
  get names(): readonly string[] | undefined {
    return this.#names;
  }

  /** Examines the entries. Later calls return the same. Never throws. */
  examine(): ConfiguredServers {
    this.#names = undefined;
    return (this.#examined ??= this.#examine());
  }

  #examine(): ConfiguredServers {
    const read = this.#parts.map((part) =>
      'servers' in part ? part : readServers(part.value, part.origin, this.#variables()),
    );
    return {
      servers: read.flatMap(({ servers }) => servers),
      notes: read.flatMap(({ notes }) => notes),
      policy: this.policy,
    };
  }
}

/** Undefined if an entry has to be examined or reported. */
function namesIn(parts: readonly (RawServers | ServersRead)[]): readonly string[] | undefined {
  const names = new Set<string>();
  for (const part of parts) {
    if ('servers' in part) {
      if (part.notes.length > 0 || part.servers.some(({ disabled }) => disabled !== undefined))
        return undefined;
      for (const { name } of part.servers) names.add(name);
      continue;
    }
    const found = namesOfUsable(part.value);
    if (found === undefined) return undefined;
    for (const name of found) names.add(name);
  }
  return [...names];
}

/** Never throws. An unreadable file is reported and skipped. */
export function findServers(request: ServersRequest): FoundServers {
  const { sources, strict, variables, loaded } = request;
  const wants = (scope: Scope): boolean => !strict && (sources === undefined || sources.includes(scope));
  const files = new Map<string, Stats | undefined>();
  const managedServers = managedFile(request);
  const managed = readServersFile(managedServers, files);
  const flags = request.configs.map((config) => flagPart(config, request, files));
  const parts: (RawServers | ServersRead)[] = [
    rawServers(managed, { scope: 'managed', source: managedServers }),
    ...flags.map((part) => (typeof part === 'string' ? { servers: [], notes: [part] } : part)),
    ...settingsPart(wants),
    ...(wants('local') || wants('user') ? stateParts(request, wants, files) : []),
    ...(wants('project') ? [projectPart(request, files)] : []),
    ...(strict ? [] : [{ servers: request.plugins ?? [], notes: [] }]),
    { servers: request.described ?? [], notes: [] },
  ];
  if (!wants('project') || !(wants('local') || wants('user')))
    for (const file of serverFiles(request)) if (!files.has(file)) files.set(file, statsOf(file));
  const managedSettings = loaded.files.filter(({ source }) => source === 'managed');
  const policy = serverPolicyOf(
    mergeSettings(loaded.files),
    mergeSettings(managedSettings),
    managed.kind !== 'missing',
  );
  const wrongFlag = flags.find((part) => typeof part === 'string');
  return new FoundServers(parts, policy, { variables, files, wrongFlag });

  function settingsPart(isWanted: (scope: Scope) => boolean): RawServers[] {
    return loaded.files.flatMap(({ source, file, counting }) => {
      if (counting['mcpServers'] === undefined || source === 'session') return [];
      if (source !== 'managed' && source !== 'command line' && !isWanted(source)) return [];
      return [{ value: counting['mcpServers'], origin: { scope: source, source: file } }];
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
  const top = acceptedRepositoryTop(cwd) ?? cwd;
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    const file = path.join(folder, PROJECT_FILE);
    if (folder === top || folder === path.dirname(folder)) return path.join(top, PROJECT_FILE);
    if (readServersFile(file).kind !== 'missing') return file;
  }
}

/** The servers that a note names. */
const MOST_NAMED = 20;

/** Servers of a folder that is not trusted are shown, not started, and hide no other server. */
function projectPart(request: ServersRequest, files: FileStates): RawServers | ServersRead {
  const file = projectFile(request.projectRoot ?? request.cwd);
  const raw = rawServers(readServersFile(file, files), { scope: 'project', source: file });
  if ('servers' in raw || trustIn(request)(path.dirname(file))) return raw;
  const read = readServers(raw.value, raw.origin, request.variables());
  if (read.servers.length === 0) return read;
  const disabled = 'The folder is not trusted. If you trust it: heddle permissions trust';
  const names = read.servers.slice(0, MOST_NAMED).map(({ name }) => name);
  const others = read.servers.length - names.length;
  const shown = [...names, ...(others > 0 ? [`${others} others`] : [])].join(', ');
  return {
    servers: read.servers.map((server) => withReason(server, disabled)),
    notes: [untrustedNote([`${file}: ${shown}`])],
  };
}

function withReason(server: ConfiguredServer, disabled: string): ConfiguredServer {
  return { ...server, disabled };
}

/** Servers in the state file: of the user in this project, and of the user. */
function stateParts(
  request: ServersRequest,
  isWanted: (scope: Scope) => boolean,
  files: FileStates,
): readonly RawServers[] {
  const file = stateFile(request);
  files.set(file, statsOf(file));
  const state = readState(file);
  const projects = isWanted('local') ? state?.['projects'] : undefined;
  const project = isJsonObject(projects) ? projects[trustKey(request)] : undefined;
  const holders = {
    local: isJsonObject(project) ? project : undefined,
    user: isWanted('user') ? state : undefined,
  };
  return (['local', 'user'] as const).flatMap((scope) => {
    const value = holders[scope]?.['mcpServers'];
    return value === undefined ? [] : [{ value, origin: { scope, source: file } }];
  });
}

function managedFile(request: SettingsPlaces): string {
  return path.join(request.managedDir ?? managedDir(), 'managed-mcp.json');
}

/** A file or JSON. The sentence about one that cannot be read is an error of the user. */
function flagPart(config: string, { cwd }: ServersRequest, files: FileStates): RawServers | string {
  if (isJsonText(config)) {
    try {
      return { value: serversIn(JSON.parse(config)), origin: { scope: 'command line' } };
    } catch (thrown) {
      return `--mcp-config: it cannot be used: ${errorMessage(thrown)}`;
    }
  }
  const file = path.resolve(cwd, config);
  const read = readServersFile(file, files);
  switch (read.kind) {
    case 'missing':
      return `--mcp-config: there is no file ${config}`;
    case 'unreadable':
      return `--mcp-config: ${config} cannot be used: ${read.message}`;
    case 'read':
      return { value: serversIn(read.content), origin: { scope: 'command line', source: file } };
  }
}

/** The servers of a file. A missing file has none. */
function rawServers(
  read: ServersFile,
  origin: { readonly scope: ServerScope; readonly source: string },
): RawServers | ServersRead {
  switch (read.kind) {
    case 'missing':
      return NONE;
    case 'unreadable':
      return { servers: [], notes: [`${origin.source} was skipped: ${read.message}`] };
    case 'read':
      return { value: serversIn(read.content), origin };
  }
}

type ServersFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'read'; readonly content: unknown };

type FileStates = Map<string, Stats | undefined>;

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function readServersFile(file: string, files?: FileStates): ServersFile {
  try {
    // Most of these files are missing, and an exception for each of them would delay the start.
    const stats = statSync(file, { throwIfNoEntry: false });
    files?.set(file, stats);
    if (stats === undefined) return { kind: 'missing' };
    // Files of flags can be pipes.
    const text =
      path.basename(file) === PROJECT_FILE
        ? readRegularFile(file, LARGEST_PROJECT_FILE)
        : readFileOrPipe(file);
    if (isTooDeep(text)) return { kind: 'unreadable', message: TOO_DEEP };
    return { kind: 'read', content: JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) };
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
