/**
 * A server as a child process: one JSON message a line on standard input and output. The process has its own group, so
 * that the programs it starts end with it. Its standard error is kept for reports, and only its end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { environmentIn, errorMessage } from '@heddle/core';
import type { StdioConfig } from '../config/server-config.ts';
import { OrderedMessages } from './ordered-messages.ts';

/** A longer message ends the connection, because it would fill the memory. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

const STDERR_KEPT = 4_000;

/** A server that gets no more input ends by itself, or is ended after this time. */
const GRACE_MS = 500;

/** They end a process, one after the other. */
const SIGNALS = ['SIGTERM', 'SIGKILL'] as const;

export interface StdioDeps {
  /** The environment of the process. The configured variables are added to it. */
  readonly environment: Readonly<Record<string, string>>;
  /** An entry may have its own folder. If that is relative, it is in this one. */
  readonly cwd: string;
  /** The files of the process after its input and output. */
  readonly files?: (() => readonly (number | 'ignore')[]) | undefined;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #config: StdioConfig;
  readonly #deps: StdioDeps;
  #child: ChildProcess | undefined;
  #chunks: Buffer[] = [];
  #buffered = 0;
  readonly #received = new OrderedMessages();
  #hasSentMessage = false;
  #errors = '';
  #closing: Promise<void> | undefined;
  #hasClosed = false;
  /** The reason why the connection was closed from this side. */
  #reason: string | undefined;

  constructor(config: StdioConfig, deps: StdioDeps) {
    this.#config = config;
    this.#deps = deps;
  }

  /** The end of what the process wrote to standard error. The library recognizes a child process by this and `pid`. */
  get stderr(): string {
    return this.#errors;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** How the process ended, if it did. */
  get ending(): string | undefined {
    if (this.#reason !== undefined) return this.#reason;
    const { exitCode, signalCode } = this.#child ?? {};
    if (signalCode) return `The process was ended by ${signalCode}.`;
    return typeof exitCode === 'number' ? `The process ended with exit code ${exitCode}.` : undefined;
  }

  start(): Promise<void> {
    const { command, args, env } = this.#config;
    const cwd = path.resolve(this.#deps.cwd, this.#config.cwd ?? '');
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        cwd,
        env: { ...environmentIn(cwd, this.#deps.environment), ...env },
        stdio: ['pipe', 'pipe', 'pipe', ...(this.#deps.files?.() ?? [])],
        detached: process.platform !== 'win32',
        windowsHide: true,
      });
      this.#child = child;
      child.once('spawn', resolve);
      child.once('error', (error) => {
        this.#reason = `The program ${command} cannot be started: ${error.message}.`;
        reject(error);
        this.#closed();
      });
      child.once('close', () => this.#closed());
      // A process may write its last message and end. `close` follows when its pipes are read to their ends.
      // If this process was delayed, pending output is read first.
      child.once('exit', () => setTimeout(() => setImmediate(() => this.#closed()), GRACE_MS).unref());
      child.stdin?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
      child.stdout?.on('error', (error) => this.onerror?.(error));
      child.stderr?.on('data', (chunk: Buffer) => {
        this.#errors = (this.#errors + chunk.toString('utf8')).slice(-STDERR_KEPT);
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (this.#hasClosed || !stdin?.writable) throw new Error('The server is not running.');
    try {
      await new Promise<void>((resolve, reject) => {
        stdin.write(`${JSON.stringify(message)}\n`, (error) => {
          if (error) reject(error);
          else resolve();
        });
      });
    } catch (thrown) {
      await this.#untilExit();
      throw this.ending === undefined ? thrown : new Error(this.ending, { cause: thrown });
    }
  }

  /** A pipe breaks shortly before the end of its process is reported, and the end is the better explanation. */
  async #untilExit(): Promise<void> {
    const child = this.#child;
    if (!child || this.ending !== undefined) return;
    await settlesWithin(exitOf(child), GRACE_MS);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** Ends the process at once, with the processes that it started. For the end of the program. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      this.#signal('SIGTERM');
      return this.#closed();
    }
    const exited = exitOf(child);
    child.stdin?.end();
    // A program that is still starting does not read its input yet, and has nothing to finish.
    const steps = this.#hasSentMessage ? [undefined, ...SIGNALS] : SIGNALS;
    for (const signal of steps) {
      if (signal !== undefined) this.#signal(signal);
      if (await settlesWithin(exited, GRACE_MS)) break;
    }
    // Processes that the server started may outlive it.
    this.#signal('SIGTERM');
    this.#closed();
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child?.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // The group has ended.
    }
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#chunks.push(chunk.subarray(from, at));
      this.#take(Buffer.concat(this.#chunks).toString('utf8'));
      this.#chunks = [];
      this.#buffered = 0;
      from = at + 1;
    }
    if (from >= chunk.length) return;
    this.#chunks.push(chunk.subarray(from));
    this.#buffered += chunk.length - from;
    if (this.#buffered <= MAX_MESSAGE_BYTES) return;
    this.#chunks = [];
    this.#buffered = 0;
    this.#reason = `The server sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB.`;
    this.#child?.stdout?.destroy();
    this.onerror?.(new Error(this.#reason));
    this.#signal('SIGTERM');
    void this.close();
  }

  /** Lines that are not messages are ignored: some servers print a greeting. */
  #take(line: string): void {
    if (!line.trimStart().startsWith('{')) return;
    this.#unlessInvalid(() => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the protocol layer checks every message
      const message = JSON.parse(line) as JSONRPCMessage;
      this.#hasSentMessage = true;
      this.#received.add(message, () => this.#unlessInvalid(() => this.onmessage?.(message)));
    });
  }

  #unlessInvalid(take: () => void): void {
    try {
      take();
    } catch (thrown) {
      this.onerror?.(new Error(`A line of the server is not a valid message: ${errorMessage(thrown)}`));
    }
  }

  #closed(): void {
    if (this.#hasClosed) return;
    this.#hasClosed = true;
    this.onclose?.();
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
  });
}

async function settlesWithin(work: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
