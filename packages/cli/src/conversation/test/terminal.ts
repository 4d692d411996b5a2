/** A terminal for tests: runs the real program in a pty, and reads its screen from a terminal emulator. */
import path from 'node:path';
import { EVENT_DEADLINE_MS } from '@heddle/testing';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface TestTerminal {
  /** Waits until the screen shows this text after the text of the last wait. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits until the screen shows this text anywhere. */
  shows(text: string | RegExp): Promise<void>;
  /** The text of the screen, including the scrollback. */
  readonly text: string;
  /** The output of the program, including escape sequences. */
  readonly raw: string;
  type(keys: string): void;
  resize(columns: number, rows?: number): void;
  /** The color number and the style of the first cell of a text on the screen. Undefined if the text is not there. */
  lookOf(text: string): CellLook | undefined;
  kill(signal: string): void;
  /** Closes the terminal window. */
  close(): void;
  /** The exit code or the signal number of the program. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal?: number | undefined }>;
}

interface CellLook {
  /** The number in the palette. Undefined for the default color. */
  readonly color: number | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

const ROWS = 40;

export function openTerminal(
  program: string,
  argv: readonly string[],
  { cwd, env = {}, columns = 100, rows = ROWS }: TerminalOptions,
): TestTerminal {
  const emulator = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  const home = {
    PATH: process.env['PATH'] ?? '',
    HOME: cwd,
    HEDDLE_CONFIG_DIR: path.join(cwd, 'config'),
    TERM: 'xterm-256color',
    // The emulator is xterm.js, too.
    TERM_PROGRAM: 'vscode',
    LANG: 'C.UTF-8',
  };
  const pty = spawn(program, [...argv], { cols: columns, rows, cwd, env: { ...home, ...env } });
  const lookers = new Set<() => void>();
  let raw = '';
  let seenTo = 0;
  let isOver = false;
  const ended = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    pty.onExit((end) => {
      // The emulator may not have processed the last output yet.
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

  // The emulator answers questions about the position of its cursor.
  emulator.onData((reply) => {
    if (!isOver) pty.write(reply);
  });

  function text(): string {
    const { active } = emulator.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index++) {
      const line = active.getLine(index);
      const content = line?.translateToString(true) ?? '';
      // Joins rows that the terminal wrapped.
      if (line?.isWrapped && lines.length > 0) lines.push((lines.pop() ?? '') + content);
      else lines.push(content);
    }
    return lines.join('\n').trimEnd();
  }

  /** Returns the end of the text on the screen, or undefined if it is not there yet. */
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

  /**
   * Waits for a text, and returns where the next wait starts: at the end of the text, or at the start of the region if the
   * text is in the region. The screen is checked after every change, but not while a frame is only partly drawn: then the
   * region may be erased.
   */
  function waitFor(wanted: string | RegExp, start: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const fail = (why: string): void =>
      reject(new Error(`${why} ${String(wanted)} on the screen:\n${text()}`));
    const look = (): void => {
      if (emulator.modes.synchronizedOutputMode && !isOver) return;
      const end = find(wanted, start);
      if (end !== undefined) resolve(Math.min(end, startOfRegion(text())));
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
      seenTo = await waitFor(wanted, seenTo);
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
    resize(columns, height = rows) {
      emulator.resize(columns, height);
      pty.resize(columns, height);
    },
    lookOf(wanted) {
      const { active } = emulator.buffer;
      for (let index = active.length - 1; index >= 0; index--) {
        const line = active.getLine(index);
        const column = line?.translateToString(true).indexOf(wanted) ?? -1;
        const cell = column < 0 ? undefined : line?.getCell(column);
        if (cell)
          return {
            color: cell.isFgDefault() ? undefined : cell.getFgColor(),
            isBold: cell.isBold() !== 0,
            isDim: cell.isDim() !== 0,
          };
      }
      return undefined;
    },
    kill: (signal) => pty.kill(signal),
    close() {
      // The method exists, but its type does not declare it.
      const destroy: unknown = Reflect.get(pty, 'destroy');
      if (typeof destroy === 'function') destroy.call(pty);
    },
    ended,
  };
}

/** Returns the start of the part that is redrawn: the activity, the rule and everything below it, or the last line. */
function startOfRegion(text: string): number {
  const rule = text.lastIndexOf('\n──');
  if (rule < 0) return text.lastIndexOf('\n') + 1;
  const activity = /\n[\u2800-\u28ff·] [^\n]*\(\d+ s[^]*$/.exec(text.slice(0, rule));
  return (activity ? activity.index : rule) + 1;
}

export const ENTER = '\r';
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
export const UP = '\u001b[A';
export const SHIFT_TAB = '\u001b[Z';
