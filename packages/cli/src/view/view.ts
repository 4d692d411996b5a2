/**
 * `heddle view`: serves a page that shows sessions, on loopback, until it is stopped. With `--export` it writes one session as
 * a file instead.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { errorMessage } from '@heddle/core';
import type { Prices } from '@heddle/models';
import { UsageError } from '../arguments/list-flags.ts';
import { sessionPlace } from '../config-dir.ts';
import { knownSecrets, learnSecrets } from '../known-secrets.ts';
import { findLog } from '../replay/replay.ts';
import { writePrivateFile } from '../sessions/export/write-private-file.ts';
import { fail, misuse, warn, writeMessage } from '../terminal/write-message.ts';
import manifest from '../../package.json' with { type: 'json' };

const USAGE = `heddle view [SESSION] [--port PORT] [--allow-fork] [--export FILE]

Opens a page that shows sessions, running or past: timeline, context window, money, decisions, transcript. SESSION is an id, its
beginning, a title, or a .jsonl file; without it the page lists all sessions. The server answers only on this machine, and
the printed link works once. The page reads files and changes nothing. Control-C stops the server.

  --port PORT    the port; without it a free one is used
  --allow-fork   the page may start a new session from a message of another one
  --export FILE  writes the session as one HTML file that opens from disk, and ends
`;

interface ViewCommand {
  readonly session: string | undefined;
  readonly port: number;
  readonly canFork: boolean;
  readonly output: string | undefined;
}

export async function viewCommand(argv: readonly string[]): Promise<number> {
  if (argv.join(' ') === 'help') {
    writeMessage(USAGE);
    return 0;
  }
  let command: ViewCommand;
  try {
    command = readWords(argv);
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    return misuse(thrown.message);
  }
  learnSecrets();
  const found = command.session === undefined ? undefined : findLog(command.session);
  if (found?.ok === false) return fail(found.message);
  return command.output !== undefined && found
    ? writeExport(found.file, command.output)
    : serve(found?.file, command);
}

function readWords(argv: readonly string[]): ViewCommand {
  const words: string[] = [];
  const values = new Map<string, string>();
  let canFork = false;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const [, name, inline] = /^(--[a-z]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (word === '--allow-fork') canFork = true;
    else if (name === '--port' || name === '--export') {
      const value = inline ?? argv[++at];
      if (value === undefined || value === '') throw new UsageError(`${name} needs a value`);
      values.set(name, value);
    } else if (word.startsWith('-')) throw new UsageError(`unknown flag ${word}. See heddle view --help.`);
    else words.push(word);
  }
  const [session, ...more] = words;
  if (more.length > 0)
    throw new UsageError('usage: heddle view [SESSION] [--port PORT] [--allow-fork] [--export FILE]');
  const port = values.get('--port') ?? '0';
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port takes a port, not ${port}`);
  const output = values.get('--export');
  if (output !== undefined && session === undefined) throw new UsageError('--export needs a session');
  return { session, port: Number(port), canFork, output };
}

async function writeExport(file: string, output: string): Promise<number> {
  const { exportSession, loadPage } = await import('@heddle/viewer');
  try {
    const html = exportSession({
      file,
      page: await loadPage(),
      version: manifest.version,
      price: await loadPrice(),
      redact: (value) => knownSecrets.redactValue(value),
    });
    const isThere = existsSync(output);
    writePrivateFile(output, html);
    warn(`${output} was ${isThere ? 'replaced' : 'written'}`);
    return 0;
  } catch (thrown) {
    return fail(`${output} cannot be written: ${errorMessage(thrown)}`);
  }
}

async function serve(file: string | undefined, { port, canFork }: ViewCommand): Promise<number> {
  const { loadPage, startViewer } = await import('@heddle/viewer');
  const { cwd: _here, ...place } = sessionPlace(process.env, process.cwd());
  const id = file === undefined ? undefined : path.basename(file, '.jsonl');
  try {
    const viewer = await startViewer({
      place,
      page: await loadPage(),
      info: { version: manifest.version, session: id, canFork },
      ...(canFork ? { fork: (await import('./start-fork.ts')).startFork } : {}),
      files: new Map(file === undefined || id === undefined ? [] : [[id, path.resolve(file)]]),
      port,
      loadPrice,
      redact: (text) => knownSecrets.redactOutput(text),
    });
    writeMessage(`${viewer.link()}\n`);
    warn('Open the link in a browser. It works once. Control-C stops the server.');
    await untilStopped(() => writeMessage(`${viewer.link()}\n`));
    await viewer.close();
    return 0;
  } catch (thrown) {
    if (isTaken(thrown)) return fail(`Port ${port} is in use. Choose another one with --port.`);
    throw thrown;
  }
}

async function loadPrice(): Promise<Prices['priceOf']> {
  const { loadPrices } = await import('@heddle/models');
  return (await loadPrices()).priceOf;
}

/** Waits for an interrupt. In a terminal, each Enter prints a new link. */
async function untilStopped(printLink: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  const lines = process.stdin.isTTY ? createInterface({ input: process.stdin }) : undefined;
  lines?.on('line', printLink).on('SIGINT', () => resolve());
  await promise;
  lines?.close();
}

function isTaken(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'EADDRINUSE';
}
