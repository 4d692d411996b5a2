/** The file with the user's own keys. It is read at the start, and again whenever it changes. */
import { type FSWatcher, readFileSync, watch } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '@heddle/core';
import {
  type KeybindingProblem,
  type Keybindings,
  NO_KEYBINDINGS,
  readKeybindings,
  type ReadKeybindings,
} from './keybindings.ts';

const FILE_NAME = 'keybindings.json';
/** Editors write a file in several steps. */
const SETTLE_MS = 100;

export class KeybindingFile {
  readonly path: string;
  readonly #folder: string;
  #text: string | undefined;
  #bindings: Keybindings = NO_KEYBINDINGS;
  #problems: readonly KeybindingProblem[] = [];
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(configDir: string) {
    this.#folder = configDir;
    this.path = path.join(configDir, FILE_NAME);
    this.#read();
  }

  get bindings(): Keybindings {
    return this.#bindings;
  }

  /** One message for each problem, with its line. */
  get problems(): readonly string[] {
    return this.#problems.map(({ line, message }) => `${FILE_NAME}, line ${line}: ${message}`);
  }

  /** Calls the listener after each change of the file. The watcher does not keep the process alive. */
  watch(onChange: () => void): void {
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, (_event, name) => {
        if (name !== FILE_NAME) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
          if (this.#read()) onChange();
        }, SETTLE_MS).unref();
      });
      // Without the folder, or without watchers, changes take effect at the next start.
      this.#watcher.on('error', () => this.close());
    } catch {
      this.close();
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /** Returns true if the content has changed. */
  #read(): boolean {
    const { text, read } = readFile(this.path);
    if (text === this.#text) return false;
    this.#text = text;
    this.#bindings = read.bindings;
    this.#problems = read.problems;
    return true;
  }
}

interface FileContent {
  readonly text: string | undefined;
  readonly read: ReadKeybindings;
}

const NOTHING: ReadKeybindings = { bindings: NO_KEYBINDINGS, problems: [] };

function readFile(file: string): FileContent {
  try {
    const text = readFileSync(file, 'utf8');
    return { text, read: readKeybindings(text) };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) return { text: undefined, read: NOTHING };
    const message = `The file cannot be read: ${errorMessage(error)}`;
    return { text: message, read: { ...NOTHING, problems: [{ line: 1, message }] } };
  }
}
