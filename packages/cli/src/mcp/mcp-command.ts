/** `heddle mcp`: lists, adds, removes and tests the MCP servers that are configured. */
import { addServer, type EditableScope, removeServer } from '@heddle/agent/mcp';
import type { JsonObject } from '@heddle/core';
import { openCallback, readConfig, type ServerConfig } from '@heddle/mcp';
import { findProgram, ownEnvironment } from '@heddle/tools';
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { type FlagValues, jsonObjectIn, printResult, readSubcommand } from '../arguments/subcommand.ts';
import { NO_FLAGS, permissionSetup } from '../permissions/setup.ts';
import { escapeControls, jsonText } from '../terminal/escape-controls.ts';
import { fail, misuse, warn, writeMessage } from '../terminal/write-message.ts';
import { configuredList, serverDetails, stateList, withoutSecrets } from './list-servers.ts';
import { openProgramServers } from './open-servers.ts';
import type { ProgramServers } from './program-servers.ts';

const HELP = `heddle mcp list [--json]                    the servers that are configured here
heddle mcp get NAME [--json]                one server in full
heddle mcp add NAME -- COMMAND [ARGS]       adds a server that runs as a program
heddle mcp add NAME URL --transport http    adds a server with an address (http or sse)
heddle mcp add-json NAME JSON               adds a server as .mcp.json would contain it
heddle mcp remove NAME                      removes a server
heddle mcp test [NAME] [--json]             connects, and shows the state, the tools and the errors
heddle mcp login NAME                       logs in to a server with an address, in the browser
heddle mcp logout NAME                      forgets the tokens of a server
heddle mcp serve [FLAGS]                    offers Heddle's tools to other clients, on standard input and output

add takes --env KEY=VALUE and --header "Name: value", each any number of times.
serve takes the flags of heddle -p for tools, rules and settings. Calls that no rule allows are refused.
--scope local (you, in this project; the default), user (you, everywhere) or project (.mcp.json, for everyone).
`;

const TEST_LIMIT_MS = 60_000;

const SCOPES: readonly EditableScope[] = ['local', 'user', 'project'];

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  scope: { type: 'string', short: 's' },
  transport: { type: 'string', short: 't' },
  env: { type: 'string', short: 'e', multiple: true },
  header: { type: 'string', short: 'H', multiple: true },
  'mcp-config': { type: 'string', multiple: true },
} as const;

type McpValues = FlagValues<typeof OPTIONS>;

export async function mcpCommand(argv: readonly string[]): Promise<number> {
  const read = readSubcommand(argv, OPTIONS);
  if (!read.ok) return misuse(`${read.message}. Put -- before a command with flags of its own.`);
  const { values, positionals } = read;
  const [verb = 'list', name, ...rest] = positionals;
  if (values.help || verb === 'help') return printResult(HELP);
  switch (verb) {
    case 'list':
      return list(values);
    case 'get':
      return name === undefined ? misuse('mcp get takes a NAME') : show(name, values);
    case 'add':
      return name === undefined || rest.length === 0
        ? misuse('mcp add takes a NAME, and a command or an address')
        : add(name, entryOf(rest, values), values);
    case 'add-json':
      return name === undefined || rest.length !== 1
        ? misuse('mcp add-json takes a NAME and JSON')
        : add(name, jsonObjectIn(rest[0] ?? '') ?? 'The JSON is not an object.', values);
    case 'remove':
      return name === undefined ? misuse('mcp remove takes a NAME') : remove(name, values);
    case 'test':
      return test(name, values);
    case 'login':
    case 'logout':
      if (name === undefined) return misuse(`mcp ${verb} takes a NAME`);
      return verb === 'login' ? logIn(name, values) : logOut(name, values);
    default:
      return misuse(`mcp ${verb} is not a command. See heddle mcp help.`);
  }
}

async function servers(values: McpValues): Promise<ProgramServers | undefined> {
  const { loaded, notes } = await permissionSetup(NO_FLAGS);
  const flags = {
    mcpConfig: values['mcp-config'] ?? [],
    strictMcpConfig: false,
    bare: false,
    settingSources: undefined,
    projectConfigRoot: undefined,
  };
  const opened = openProgramServers(flags, loaded, undefined, { plugins: [], described: [] });
  for (const note of [...notes, ...opened.notes]) warn(note);
  return opened.servers;
}

async function list(values: McpValues): Promise<number> {
  const opened = await servers(values);
  const configured = opened?.view.all.map(({ configured: server }) => server) ?? [];
  if (!values.json) return printResult(`${configuredList(configured)}\n`);
  return printResult(`${jsonText(configured.map(withoutSecrets), 2)}\n`);
}

async function show(name: string, values: McpValues): Promise<number> {
  const opened = await servers(values);
  const report = (await opened?.load())?.report().find((server) => server.name === name);
  if (!report) return missing(name, opened);
  return printResult(values.json ? `${jsonText(withoutSecrets(report), 2)}\n` : `${serverDetails(report)}\n`);
}

/** Connects to one server, or to all. The exit code is 1 if one of them is not connected. */
async function test(name: string | undefined, values: McpValues): Promise<number> {
  const opened = await servers(values);
  if (!opened) return printResult(`${stateList([])}\n`);
  const connections = await opened.load();
  if (name !== undefined && !connections.get(name)) return missing(name, opened);
  try {
    if (name === undefined) await connections.settle(TEST_LIMIT_MS);
    else await connections.get(name)?.reconnect();
    const reports = connections.report().filter((server) => name === undefined || server.name === name);
    const text =
      name === undefined ? stateList(reports) : reports.map((report) => serverDetails(report)).join('\n');
    printResult(`${values.json ? jsonText(reports.map(withoutSecrets), 2) : text}\n`);
    return reports.every(({ status }) => status === 'connected' || status === 'disabled') ? 0 : 1;
  } finally {
    await opened.close();
  }
}

async function logIn(name: string, values: McpValues): Promise<number> {
  const opened = await servers(values);
  const config = configOf(name, opened);
  if (!opened || !config) return missing(name, opened);
  if (!('url' in config)) return misuse(`${name} has no address, so there is no login.`);
  const callback = await openCallback(config.oauth?.callbackPort);
  try {
    const state = await opened.login(name, { callback, open: openBrowser });
    if (state?.status !== 'connected') return fail(`${name}: ${state?.error ?? 'not connected'}`);
    return printResult(`${escapeControls(`${name} is connected.`)}\n`);
  } finally {
    callback.close();
    await opened.close();
  }
}

async function logOut(name: string, values: McpValues): Promise<number> {
  const opened = await servers(values);
  if (!opened || !configOf(name, opened)) return missing(name, opened);
  const text = (await opened.logout(name))
    ? `The tokens of ${name} are removed.`
    : `There are no tokens of ${name}.`;
  return printResult(`${escapeControls(text)}\n`);
}

function configOf(name: string, opened: ProgramServers | undefined): ServerConfig | undefined {
  return opened?.view.all.find((server) => server.name === name)?.configured.config;
}

/** Shows the address, because the browser may be on another machine. */
function openBrowser(url: string): void {
  writeMessage(`Log in at this address:\n${escapeControls(url)}\n`);
  // The server chose the address. Other schemes would open files and programs.
  if (!/^https?:$/.test(new URL(url).protocol)) return;
  const names = new Map([
    ['darwin', 'open'],
    ['win32', 'explorer.exe'],
  ]);
  const name = names.get(process.platform) ?? process.env['BROWSER'] ?? 'xdg-open';
  const program = path.isAbsolute(name) ? name : findProgram(process.env['PATH'], name);
  if (program !== undefined)
    spawn(program, [url], { env: ownEnvironment(), stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref();
}

function add(name: string, entry: JsonObject | string, values: McpValues): number {
  const scope = scopeOf(values);
  if (scope === undefined) return misuse(`--scope is one of ${SCOPES.join(', ')}`);
  if (typeof entry === 'string') return misuse(entry);
  const config = readConfig(entry);
  if (typeof config === 'string') return misuse(config);
  const added = addServer(scope, name, entry, { cwd: process.cwd(), home: os.homedir(), env: process.env });
  if (!added.ok) return fail(added.message);
  return printResult(
    `${escapeControls(`Added ${name} to ${added.file} (${scope}). Try it: heddle mcp test ${name}`)}\n`,
  );
}

function remove(name: string, values: McpValues): number {
  const scope = values.scope === undefined ? undefined : scopeOf(values);
  const places = { cwd: process.cwd(), home: os.homedir(), env: process.env };
  for (const each of scope === undefined ? SCOPES : [scope]) {
    const removed = removeServer(each, name, places);
    if (!removed.ok) return fail(removed.message);
    if (removed.changed)
      return printResult(`${escapeControls(`Removed ${name} from ${removed.file} (${each}).`)}\n`);
  }
  return misuse(`There is no server ${name} that can be removed. heddle mcp list shows the files.`);
}

/** Returns the entry, or a sentence on why there is none. */
function entryOf([first = '', ...rest]: readonly string[], values: McpValues): JsonObject | string {
  const isAddress = /^https?:\/\//i.test(first);
  const type = values.transport ?? (isAddress ? 'http' : 'stdio');
  if (type === 'stdio') return { type, command: first, args: rest, env: pairsOf(values.env ?? [], '=') };
  if (rest.length > 0) return `A server with an address takes no arguments: ${rest.join(' ')}`;
  return { type, url: first, headers: pairsOf(values.header ?? [], ':') };
}

function pairsOf(texts: readonly string[], separator: string): Record<string, string> {
  const pairs = texts.map((text): [string, string] => {
    const at = text.indexOf(separator);
    return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  });
  return Object.fromEntries(pairs);
}

function scopeOf({ scope = 'local' }: McpValues): EditableScope | undefined {
  return SCOPES.find((known) => known === scope);
}

function missing(name: string, opened: ProgramServers | undefined): number {
  const names = opened?.view.all.map((server) => server.name).join(', ');
  return misuse(
    names
      ? `There is no server ${name}. There are ${names}.`
      : `There is no server ${name}. No server is configured.`,
  );
}
