/**
 * Reads the output of a command, both streams in their true order, with one buffer of fixed size: while a
 * chunk is stored, the command waits. It is a real pipe: Node's own are sockets, and a command that opens
 * /dev/stderr fails on those.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { closeSync, constants, openSync, readSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../programs.ts';

/** The capacity of a pipe. */
const BUFFER_BYTES = 65_536;
/** At the end a pipe is drained. A process that continues to write is not waited for. */
const LAST_READS = 16;

/** Stores a chunk before it returns, or before its promise resolves. The buffer is reused after that. */
export type Take = (chunk: Buffer) => Promise<void> | undefined;

export interface Channel {
  /** For the child's standard output and standard error. */
  readonly stdio: number | 'pipe';
  /** Starts reading. Call it right after the child was started. */
  attach(child: ChildProcess): void;
  /** Reads the rest of the pipe and closes it. */
  close(): Promise<void>;
}

export async function openChannel(folder: string, id: string, take: Take): Promise<Channel> {
  const fifo = path.join(folder, `${id}.pipe`);
  const mkfifo =
    findProgram('/usr/bin:/bin', 'mkfifo') ?? findProgram(process.env['PATH'], 'mkfifo', [folder]);
  if (mkfifo === undefined) return new SocketChannel(take);
  try {
    await promisify(execFile)(mkfifo, ['-m', '600', fifo], { env: {} });
  } catch {
    return new SocketChannel(take);
  }
  return new PipeChannel(fifo, take);
}

class PipeChannel implements Channel {
  readonly stdio: number;
  readonly #reader: number;
  readonly #socket: Socket;
  readonly #take: Take;
  #storing: Promise<void> | undefined;
  #isAttached = false;

  constructor(fifo: string, take: Take) {
    this.#take = take;
    try {
      // Opened for reading and writing, so that it has no end before the first writer came or after the
      // last one left.
      this.#reader = openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK);
      this.stdio = openSync(fifo, constants.O_WRONLY);
    } finally {
      unlinkSync(fifo);
    }
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    const callback = (count: number): boolean => this.#read(buffer.subarray(0, count));
    this.#socket = new Socket({
      fd: this.#reader,
      readable: true,
      writable: false,
      onread: { buffer, callback },
    });
    this.#socket.on('error', () => this.#socket.destroy());
  }

  attach(): void {
    this.#isAttached = true;
    closeSync(this.stdio);
    this.#socket.resume();
  }

  async close(): Promise<void> {
    if (!this.#isAttached) closeSync(this.stdio);
    this.#socket.pause();
    await this.#storing;
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    for (let reads = 0; reads < LAST_READS; reads++) {
      const count = this.#leftover(buffer);
      if (count === 0) break;
      await this.#take(buffer.subarray(0, count));
    }
    this.#socket.destroy();
  }

  #read(chunk: Buffer): boolean {
    const storing = this.#take(chunk);
    if (storing === undefined) return true;
    this.#storing = storing.finally(() => {
      this.#storing = undefined;
      if (!this.#socket.destroyed) this.#socket.resume();
    });
    return false;
  }

  #leftover(buffer: Buffer): number {
    try {
      return this.#socket.destroyed ? 0 : readSync(this.#reader, buffer);
    } catch {
      // The pipe is empty, and no writer is left.
      return 0;
    }
  }
}

/** Used if the system has no named pipes. */
class SocketChannel implements Channel {
  readonly stdio = 'pipe';
  readonly #take: Take;
  #child: ChildProcess | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor(take: Take) {
    this.#take = take;
  }

  attach(child: ChildProcess): void {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        stream.pause();
        this.#storing = this.#storing.then(() => this.#take(chunk)).finally(() => stream.resume());
      });
    }
  }

  async close(): Promise<void> {
    for (const stream of [this.#child?.stdout, this.#child?.stderr]) {
      for (let chunk: unknown; (chunk = stream?.read()) instanceof Buffer; ) await this.#take(chunk);
      stream?.destroy();
    }
    await this.#storing;
  }
}
