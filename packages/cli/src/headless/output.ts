/** Standard output. Every line is out before the next step is taken; a reader that went away ends the run, not the program. */
import { writeSync } from 'node:fs';
import type { SdkMessage } from '@heddle/agent';
import type { OutputFormat } from '../arguments.ts';
import { harmless } from '../terminal/harmless.ts';

export interface Output {
  write(line: SdkMessage): void;
  /** A line of the control protocol. */
  writeControl(line: object): void;
  /** Called once, when nobody reads any more. */
  onClosed(listener: () => void): void;
  readonly closed: boolean;
}

export function createOutput(format: OutputFormat): Output {
  let closed = false;
  let tell = (): void => undefined;

  function writeLine(line: string): void {
    if (closed) return;
    try {
      writeAll(Buffer.from(`${line}\n`));
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      closed = true;
      tell();
    }
  }

  return {
    write(line) {
      switch (format) {
        case 'stream-json':
          return writeLine(JSON.stringify(line));
        case 'json':
          return line.type === 'result' ? writeLine(JSON.stringify(line)) : undefined;
        case 'text':
          if (line.type !== 'result') return;
          if (line.result === undefined)
            process.stderr.write(`heddle: ${harmless((line.errors ?? []).join('\n'))}\n`);
          else writeLine(harmless(line.result));
      }
    },
    writeControl: (line) => writeLine(JSON.stringify(line)),
    onClosed(listener) {
      tell = listener;
    },
    get closed() {
      return closed;
    },
  };
}

/** How long to wait for a slow reader before trying again, in milliseconds. */
const FULL_PIPE_WAIT_MS = 2;

function writeAll(bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(1, bytes, written);
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) throw thrown;
      // The pipe is full for now: the loop has to wait for its reader anyway.
      Atomics.wait(PAUSE, 0, 0, FULL_PIPE_WAIT_MS);
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));
