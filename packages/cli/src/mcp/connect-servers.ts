/** Makes the MCP servers of the program, with what their connections need. It loads when a server is used. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { admitMedia, isToolDenied, type LivePermissions, newUuid, VERSION } from '@heddle/agent';
import type { ConfiguredServers } from '@heddle/agent/mcp';
import { isReallyWithin } from '@heddle/agent/settings';
import { environmentIn, isRecord, type ResultContent, text } from '@heddle/core';
import {
  type BrowserLogin,
  type ClientServices,
  McpServers,
  type SendToHost,
  StoredOAuth,
  TokenStore,
} from '@heddle/mcp';
import type { ConfiguredServer } from '@heddle/mcp/config';
import { emptyFilesFrom } from '@heddle/tools';
import { makeTemporaryFolder } from '@heddle/tools/files';
import { configDir } from '../config-dir.ts';
import { commandEnvironment } from '../keys.ts';
import { mayStartIn, startFolder } from '../start-folder.ts';

/** The features of a surface that servers may use. */
export interface ServerServices extends Pick<ClientServices, 'elicit' | 'sample'> {
  readonly sendToHost?: SendToHost | undefined;
  /** Returns why the programs of a server must not start now. */
  readonly whyWaiting?: ((server: ConfiguredServer) => string | undefined) | undefined;
  /** The span of a call. Undefined: telemetry is off. */
  readonly traceparentOf?: ((toolUseId: string | undefined) => string | undefined) | undefined;
}

/** The parts of the current session that servers use. */
export interface ServerSession {
  readonly services: ServerServices;
  /** For the files of results. Undefined for a session that leaves nothing behind. */
  readonly folder: string | undefined;
  /** The login that the user has asked for. */
  readonly login?: BrowserLogin | undefined;
}

export interface ConnectSetup {
  readonly read: Pick<ConfiguredServers, 'servers' | 'policy'>;
  readonly rules: LivePermissions | undefined;
  readonly cwd: string;
  readonly session: () => ServerSession;
}

export function connectServers({ read, rules, cwd, session }: ConnectSetup): McpServers {
  const tokens = new TokenStore(tokenFile());
  let ownFolder: string | undefined;
  return new McpServers(read.servers, {
    version: VERSION,
    environment: commandEnvironment(),
    files: () => emptyFilesFrom(3),
    variables: process.env,
    cwd,
    whyWaiting: (server) => session().services.whyWaiting?.(server),
    startsElsewhere: (server) => otherFolderOf(server, cwd),
    services: servicesOf(
      () => session().services,
      () => [cwd, ...(rules?.directories ?? [])],
    ),
    policy: read.policy,
    isDenied: (tool) => rules !== undefined && isToolDenied(tool, rules.rules),
    sendToHost: async (server, message, signal) => {
      const { sendToHost } = session().services;
      if (!sendToHost) throw new Error('There is no host.');
      return sendToHost(server, message, signal);
    },
    traceparentOf: (toolUseId) => session().services.traceparentOf?.(toolUseId),
    runHeadersHelper,
    oauth: (server) =>
      server.config.type === 'http' || server.config.type === 'sse'
        ? new StoredOAuth(server, server.config, tokens, session().login)
        : undefined,
    admitImages: (content, signal) => admitImages(content, signal),
    storeFile: async (data, extension) => {
      const folder = session().folder ?? (ownFolder ??= makeTemporaryFolder('mcp'));
      return storeFile(folder, data, extension);
    },
  });
}

/** Servers that the user or a host states for this run, or that a file of the folder states, may be programs of the folder. */
function otherFolderOf(
  { scope, source }: ConfiguredServer,
  folder: string,
): { readonly cwd: string; readonly reason: string } | undefined {
  const isStatedHere = source === undefined || isReallyWithin(source, folder);
  if (scope === 'host' || (scope === 'command line' && isStatedHere) || mayStartIn(folder)) return undefined;
  const cwd = startFolder(folder);
  const reason = `It was started in ${cwd}, because this folder is not trusted. If you trust it: heddle permissions trust`;
  return { cwd, reason };
}

/** Removes the stored tokens of a server. Returns false if there are none. */
export function removeTokens(name: string, url: string): boolean {
  return new TokenStore(tokenFile()).remove(TokenStore.keyOf(name, url));
}

function tokenFile(): string {
  return path.join(configDir(process.env), 'mcp-auth.json');
}

async function storeFile(folder: string, data: Buffer, extension: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${newUuid()}.${extension}`);
  await writeFile(file, data, { mode: 0o600 });
  return file;
}

/** Advertised are the features of the surface at the time of the connection. */
function servicesOf(current: () => ServerServices, roots: () => readonly string[]): ClientServices {
  return {
    roots,
    get elicit() {
      return current().elicit;
    },
    get sample() {
      return current().sample;
    },
  };
}

async function admitImages(
  content: readonly ResultContent[],
  signal: AbortSignal,
): Promise<readonly ResultContent[]> {
  const admitted = await admitMedia(content, signal);
  if (typeof admitted === 'string') return [text(admitted)];
  // Blocks are kept, scaled, or replaced by text.
  return admitted.filter(
    (block) => block.type === 'text' || block.type === 'image' || block.type === 'document',
  );
}

const HEADERS_LIMIT_MS = 10_000;

/**
 * Runs the `headersHelper` of a server: a command that prints a JSON object of headers.
 * Throws if the command fails or prints something else.
 */
async function runHeadersHelper(command: string, cwd: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], {
    cwd,
    env: { ...environmentIn(cwd, commandEnvironment()) },
    timeout: HEADERS_LIMIT_MS,
  });
  const printed: unknown = JSON.parse(stdout);
  if (!isRecord(printed)) throw new Error('The headersHelper did not print a JSON object.');
  const texts = Object.entries(printed).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}
