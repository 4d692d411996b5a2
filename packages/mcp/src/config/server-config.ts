/** The configuration of one server, as `.mcp.json`, settings, flags and hosts write it. Reading never throws. */
import { isRecord, omitUndefined } from '@heddle/core';

interface CommonConfig {
  /** The time limit of one call, in milliseconds. */
  readonly timeout?: number;
  /** Its tools are part of every request, however many there are. */
  readonly alwaysLoad?: boolean;
}

export interface StdioConfig extends CommonConfig {
  readonly type: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export interface RemoteConfig extends CommonConfig {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A command that prints further headers as a JSON object. */
  readonly headersHelper?: string;
  readonly oauth?: OAuthConfig;
}

interface OAuthConfig {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly callbackPort?: number;
  readonly scope?: string;
}

/** A server in the process of the host. Messages travel through the host's control channel. */
interface HostConfig extends CommonConfig {
  readonly type: 'sdk';
}

export type ServerConfig = StdioConfig | RemoteConfig | HostConfig;

/** The command or the address of a server. */
export function serverAddress(config: ServerConfig): string {
  switch (config.type) {
    case 'stdio':
      return [config.command, ...config.args].join(' ');
    case 'http':
    case 'sse':
      return `${config.type} ${config.url}`;
    case 'sdk':
      return 'in the process of the host';
  }
}

export type ServerScope = 'managed' | 'command line' | 'local' | 'project' | 'user' | 'plugin' | 'host';

/** An entry of a server, with its place. Several entries may have the same name. */
export interface ConfiguredServer {
  readonly name: string;
  readonly config: ServerConfig;
  readonly scope: ServerScope;
  /** The file that contains the entry. */
  readonly source?: string;
  /** The reason why it is not started. */
  readonly disabled?: string;
}

export interface ServersRead {
  readonly servers: readonly ConfiguredServer[];
  /** Problems and warnings, one sentence each. */
  readonly notes: readonly string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

interface Origin {
  readonly scope: ServerScope;
  readonly source?: string | undefined;
}

/** Reads an object of servers by name. A bad entry is reported, and the others load. */
export function readServers(value: unknown, origin: Origin, env: Variables): ServersRead {
  const place = origin.source ?? origin.scope;
  if (!isRecord(value)) return { servers: [], notes: [`${place}: mcpServers is not an object.`] };
  const servers: ConfiguredServer[] = [];
  const notes: string[] = [];
  const hasVariables = JSON.stringify(value).includes('${');
  for (const [name, entry] of Object.entries(value)) {
    const unset = new Set<string>();
    const config = readConfig(hasVariables ? expandVariables(entry, env, unset) : entry);
    for (const variable of isPlainName(name) ? unset : [])
      notes.push(`${place}: ${name}: the variable ${variable} is not set, and has no default.`);
    if (name === '') notes.push(`${place}: a server has an empty name.`);
    else if (!isPlainName(name)) notes.push(`${place}: a server has control characters in its name.`);
    else if (typeof config === 'string') notes.push(`${place}: ${name}: ${config}`);
    else
      servers.push({
        name,
        config,
        scope: origin.scope,
        ...omitUndefined({ source: origin.source }),
      });
  }
  return { servers, notes };
}

/**
 * Returns the names in an object of servers. It is undefined if an entry lacks a command or an address. Other mistakes are
 * found when the entries are read.
 */
export function namesOfUsable(value: unknown): readonly string[] | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value);
  return names.every((name) => name !== '' && isPlainName(name) && mayBeUsable(value[name]))
    ? names
    : undefined;
}

/** Lists and questions contain the name. Line breaks, and marks that change the direction of a text, could form other lines. */
function isPlainName(name: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u.test(name);
}

function mayBeUsable(entry: unknown): boolean {
  if (!isRecord(entry)) return false;
  const { type, command, url } = entry;
  return type === undefined || type === 'stdio'
    ? typeof command === 'string' && command !== ''
    : type === 'sdk' || typeof url === 'string';
}

/** Returns the configuration, or a sentence on why it cannot be used. */
export function readConfig(entry: unknown): ServerConfig | string {
  if (!isRecord(entry)) return 'The entry is not an object.';
  const { type, command, url } = entry;
  const common = commonOf(entry);
  switch (type) {
    case 'sdk':
      return { ...common, type };
    case undefined:
    case 'stdio':
      if (typeof command === 'string' && command !== '') return stdioOf(command, entry, common);
      return type === undefined && typeof url === 'string'
        ? 'The entry has a url and no type. Add "type": "http" or "sse".'
        : 'The entry has no command.';
    case 'http':
    case 'streamable-http':
    case 'sse':
      if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url))
        return 'The entry has no valid url.';
      return remoteOf(type === 'sse' ? 'sse' : 'http', url, entry, common);
    default:
      return `The type ${JSON.stringify(type)} is not supported. Use stdio, http or sse.`;
  }
}

type Entry = Readonly<Record<string, unknown>>;

function commonOf({ timeout, alwaysLoad }: Entry): CommonConfig {
  if (timeout === undefined && alwaysLoad === undefined) return {};
  return {
    ...(typeof timeout === 'number' && timeout > 0 ? { timeout } : {}),
    ...(alwaysLoad === true ? { alwaysLoad } : {}),
  };
}

function stdioOf(command: string, entry: Entry, common: CommonConfig): StdioConfig | string {
  const { args = [], cwd } = entry;
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string'))
    return 'args is not a list of texts.';
  return {
    ...common,
    type: 'stdio',
    command,
    args,
    env: textsOf(entry['env']),
    ...(typeof cwd === 'string' ? { cwd } : {}),
  };
}

function remoteOf(type: 'http' | 'sse', url: string, entry: Entry, common: CommonConfig): RemoteConfig {
  const { headersHelper, oauth } = entry;
  return {
    ...common,
    type,
    url,
    headers: textsOf(entry['headers']),
    ...(typeof headersHelper === 'string' ? { headersHelper } : {}),
    ...(isRecord(oauth) ? { oauth: oauthOf(oauth) } : {}),
  };
}

function oauthOf({ clientId, clientSecret, callbackPort, scope }: Entry): OAuthConfig {
  return {
    ...(typeof clientId === 'string' ? { clientId } : {}),
    ...(typeof clientSecret === 'string' ? { clientSecret } : {}),
    ...(typeof callbackPort === 'number' ? { callbackPort } : {}),
    ...(typeof scope === 'string' ? { scope } : {}),
  };
}

function textsOf(value: unknown): Record<string, string> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([name, text]): [string, string][] =>
    typeof text === 'string' || typeof text === 'number' || typeof text === 'boolean'
      ? [[name, String(text)]]
      : [],
  );
  return Object.fromEntries(entries);
}

/** The fields in which variables are replaced. */
const EXPANDED: ReadonlySet<string> = new Set(['command', 'args', 'env', 'url', 'headers', 'cwd']);

/** Replaces `${NAME}` and `${NAME:-default}`. An unset variable without a default stays as it is, and is reported. */
function expandVariables(entry: unknown, env: Variables, unset: Set<string>): unknown {
  if (!isRecord(entry)) return entry;
  const expand = (value: unknown): unknown => {
    if (typeof value === 'string') return expandText(value, env, unset);
    if (Array.isArray(value)) return value.map(expand);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, expand(inner)]));
  };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, EXPANDED.has(key) ? expand(value) : value]),
  );
}

function expandText(text: string, env: Variables, unset: Set<string>): string {
  if (!text.includes('${')) return text;
  return text.replaceAll(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (written: string, name: string, fallback?: string) => {
      const value = env[name] ?? fallback;
      if (value === undefined) unset.add(name);
      return value ?? written;
    },
  );
}
