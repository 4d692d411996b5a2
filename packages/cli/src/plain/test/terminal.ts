/** A terminal for tests: the real program in a pty, its screen read back from a terminal emulator. */
import path from 'node:path';
import { EVENT_DEADLINE_MS } from '@heddle/testing';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface TestTerminal {
  /** Waits until this stands on the screen, after whatever was last waited for. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits until this stands anywhere on the screen. */
  shows(text: string | RegExp): Promise<void>;
  /** Everything on the screen and above it. */
  readonly text: string;
  /** What the program has sent, escape sequences and all. */
  readonly raw: string;
  type(keys: string): void;
  resize(columns: number): void;
  kill(signal: string): void;
  /** Closes the window, as its user would: the terminal is gone. */
  close(): void;
  /** The exit code, or the number of the signal that ended it. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

const ROWS = 40;

export function openTerminal(
  program: string,
  argv: readonly string[],
  { cwd, env = {}, columns = 100 }: TerminalOptions,
): TestTerminal {
  const emulator = new xterm.Terminal({
    cols: columns,
    rows: ROWS,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  const home = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    HEDDLE_CONFIG_DIR: path.join(cwd, 'config'),
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  };
  const pty = spawn(program, [...argv], { cols: columns, rows: ROWS, cwd, env: { ...home, ...env } });
  const lookers = new Set<() => void>();
  let raw = '';
  let seenTo = 0;
  let isOver = false;
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    pty.onExit((end) => {
      // What it wrote last has come, but the emulator may not have read it yet.
      emulator.write('', () => {
        isOver = true;
        for (const look of lookers) look();
        resolve(end);
      });
    });
  });
  pty.onData((data) => {
    raw += data;
    emulator.write(data, () => {
      for (const look of lookers) look();
    });
  });

  function text(): string {
    const { active } = emulator.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index++) {
      const line = active.getLine(index);
      const content = line?.translateToString(true) ?? '';
      // What the terminal broke because it was too long is one line.
      if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + content);
      else lines.push(content);
    }
    return lines.join('\n').trimEnd();
  }

  /** Where it ends on the screen; undefined: it is not there yet. */
  function find(wanted: string | RegExp, start: number): number | undefined {
    const shown = text();
    const from = Math.min(start, shown.length);
    if (typeof wanted === 'string') {
      const at = shown.indexOf(wanted, from);
      return at < 0 ? undefined : at + wanted.length;
    }
    const match = wanted.exec(shown.slice(from));
    return match ? from + match.index + match[0].length : undefined;
  }

  /** Looks whenever something has changed. Answers with the place where it ends. */
  function waitFor(wanted: string | RegExp, start: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const fail = (why: string): void =>
      reject(new Error(`${why} ${String(wanted)} on the screen:\n${text()}`));
    const look = (): void => {
      const end = find(wanted, start);
      if (end !== undefined) resolve(end);
      else if (isOver) fail('The program ended without');
    };
    const timer = setTimeout(() => fail('There was no'), EVENT_DEADLINE_MS);
    lookers.add(look);
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      lookers.delete(look);
    });
  }

  return {
    async sees(wanted) {
      const end = await waitFor(wanted, seenTo);
      // The last line is being typed: it is drawn again and again.
      seenTo = Math.min(end, text().lastIndexOf('\n') + 1);
    },
    async shows(wanted) {
      await waitFor(wanted, 0);
    },
    get text() {
      return text();
    },
    get raw() {
      return raw;
    },
    type: (keys) => pty.write(keys),
    resize(columns) {
      emulator.resize(columns, ROWS);
      pty.resize(columns, ROWS);
    },
    kill: (signal) => pty.kill(signal),
    close() {
      // Every terminal here has it, though its type does not say so.
      const destroy: unknown = Reflect.get(pty, 'destroy');
      if (typeof destroy === 'function') destroy.call(pty);
    },
    ended,
  };
}

export const ENTER = '\r';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const UP = '\u001b[A';
export const SHIFT_TAB = '\u001b[Z';
