/** The files of the working folder for the `@` menu. Files that git ignores are left out. It is read on first use. */
import { spawn } from 'node:child_process';
import { escapeControls } from '../terminal/escape-controls.ts';
import { bestMatches, searchable, type SearchableName } from './fuzzy.ts';

/** An older list is read again, while the old one stays in use. */
const FRESH_MS = 10_000;
/** More names would take too long to search after each key. */
const MAX_NAMES = 200_000;
const DEADLINE_MS = 20_000;

export class FileIndex {
  readonly #cwd: string;
  /** Called when the list has changed. */
  readonly #onChange: () => void;
  #names: readonly SearchableName[] = [];
  #readAt = Number.NEGATIVE_INFINITY;
  #isReading = false;

  constructor(cwd: string, onChange: () => void) {
    this.#cwd = cwd;
    this.#onChange = onChange;
  }

  get isReading(): boolean {
    return this.#isReading && this.#names.length === 0;
  }

  /** Returns the best matches so far. */
  search(query: string, most: number): readonly string[] {
    if (!this.#isReading && performance.now() - this.#readAt > FRESH_MS) void this.#read();
    return bestMatches(query, this.#names, most);
  }

  /** Returns the best matches in a list that is read first. */
  async find(query: string, most: number): Promise<readonly string[]> {
    await this.#read();
    return bestMatches(query, this.#names, most);
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const files = await listFiles(this.#cwd);
    this.#names = withFolders(files.slice(0, MAX_NAMES)).map(searchable);
    this.#readAt = performance.now();
    this.#isReading = false;
    this.#onChange();
  }
}

/** Lists files with ripgrep, or without it if it is not installed. Returns what could be read. */
async function listFiles(cwd: string): Promise<readonly string[]> {
  const { packagedRipgrep, WalkEngine } = await import('@heddle/tools/engines');
  const program = await packagedRipgrep();
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const names = program
      ? (await outputOf(program, cwd, signal)).split('\0')
      : (await new WalkEngine().files({ root: cwd, folder: cwd }, signal)).names;
    // A name with control characters cannot be shown as it is.
    return names.filter((name) => name !== '' && escapeControls(name) === name);
  } catch {
    return [];
  }
}

function outputOf(program: string, cwd: string, signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const argv = ['--files', '--null', '--no-messages', '--no-config'];
  const child = spawn(program, argv, { cwd, signal, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.once('error', reject).once('close', () => resolve(output));
  return promise;
}

/** Adds each folder of the files, with a slash at its end. */
function withFolders(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return [...folders, ...files];
}
