/**
 * The files that configured commands name, as they were at the latest prompt of the user. A call of the model may replace such a file,
 * for example by a switch to another branch. The commands that name it then do not run before the next prompt.
 */
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { type CommandPlaces, type ConfiguredCommand, filesOfCommands } from '../permissions/named-files.ts';

interface CommandFilesSetup {
  readonly commands: () => readonly ConfiguredCommand[];
  readonly places: () => CommandPlaces;
  /** When changed files count: the end of a sentence. By default with the next prompt. */
  readonly appliesWhen?: string | undefined;
}

interface FileState {
  /** Differs after every change. */
  readonly text: string;
  /** When the file, or a file below the folder, changed last. */
  readonly changedAtMs: number;
}

type States = ReadonlyMap<string, FileState>;

const MISSING: FileState = { text: 'missing', changedAtMs: 0 };

export class CommandFiles {
  readonly #setup: CommandFilesSetup;
  /** The states at the latest prompt, by command. Undefined: no prompt has arrived, or one is being prepared. */
  #before: ReadonlyMap<string, States> | undefined;
  #rememberedAtMs = 0;
  #isDue = false;
  readonly #reported = new Set<string>();

  constructor(setup: CommandFilesSetup) {
    this.#setup = setup;
  }

  get isEmpty(): boolean {
    return this.#before === undefined && !this.#isDue;
  }

  /** A prompt of the user arrived. Until `remember`, every command runs. */
  forget(): void {
    this.#before = undefined;
    this.#isDue = false;
    this.#reported.clear();
  }

  /** The prompt is prepared. The files are looked at when the answer begins or a command is about to run, so the request need not wait. */
  rememberSoon(): void {
    this.#isDue = true;
  }

  rememberIfDue(): void {
    if (this.#isDue) this.remember();
  }

  remember(): void {
    this.#isDue = false;
    const places = this.#setup.places();
    this.#rememberedAtMs = Date.now();
    this.#before = new Map(
      this.#setup.commands().map((command) => [keyOf(command), statesOf(command, places)]),
    );
  }

  /**
   * Returns a sentence about a file of the command that changed since the latest prompt of the user. The command must not run then.
   * Of a command that is configured since that prompt, the times of the files decide. `notify` receives each sentence once.
   */
  whyWaiting(command: ConfiguredCommand, notify: (text: string) => void): string | undefined {
    this.rememberIfDue();
    if (this.#before === undefined) return undefined;
    const { places: currentPlaces, appliesWhen = 'with the next prompt of the user' } = this.#setup;
    const places = currentPlaces();
    const now = statesOf(command, places);
    const before = this.#before.get(keyOf(command));
    const hasChanged = (file: string): boolean =>
      before === undefined
        ? (now.get(file) ?? MISSING).changedAtMs > this.#rememberedAtMs
        : (now.get(file) ?? MISSING).text !== (before.get(file) ?? MISSING).text;
    const found = [...(before?.keys() ?? []), ...now.keys()].find(hasChanged);
    if (found === undefined) return undefined;
    const why = `${path.relative(places.cwd, found)} changed. Configured commands use it ${appliesWhen}.`;
    if (!this.#reported.has(why)) notify(why);
    this.#reported.add(why);
    return why;
  }
}

function keyOf({ command, cwd = '', environment = {} }: ConfiguredCommand): string {
  return JSON.stringify([command, cwd, environment]);
}

function statesOf(command: ConfiguredCommand, places: CommandPlaces): States {
  const states = new Map<string, FileState>();
  const interpreted = interpretedNames(command);
  for (const file of filesOfCommands([command], places)) {
    const state = stateOf(file, interpreted);
    if (state !== undefined) states.set(file, state);
  }
  return states;
}

/** Interpreters run such a file without the right to execute it. */
const SCRIPT = /\.([cm]?[jt]sx?|(ba|da|z|k|fi)?sh|py|rb|pl|pm|php|lua|jar|exe|cmd|bat|ps1)$/i;

/** The operand of an interpreter: `bash -e check`, `. lib/env`. */
const INTERPRETED =
  /(?:^|[\s;&|(/"'])(?:\.|source|(?:ba|da|z|k|fi)?sh|node|python[\d.]*|ruby|perl|php|lua|deno|bun|tsx)\s+(?:-\S+\s+)*["']?([^\s;&|"'()]+)/g;

function interpretedNames({ command }: ConfiguredCommand): ReadonlySet<string> {
  const text = typeof command === 'string' ? command : command.join(' ');
  return new Set(Array.from(text.matchAll(INTERPRETED), ([, name = '']) => path.basename(name)));
}

const EXECUTABLE = 0o111;

function isProgram(file: string, { mode }: Stats, interpreted: ReadonlySet<string>): boolean {
  return SCRIPT.test(file) || (mode & EXECUTABLE) !== 0 || interpreted.has(path.basename(file));
}

/** Returns undefined for data: a hook may write such a file itself. */
function stateOf(file: string, interpreted: ReadonlySet<string>): FileState | undefined {
  const stats = statsOf(file);
  if (stats === undefined) return MISSING;
  if (stats.isDirectory()) return folderState(file, stats);
  if (!isProgram(file, stats, interpreted)) return undefined;
  return { text: contentOf(file, stats) ?? versionOf(stats), changedAtMs: stats.ctimeMs };
}

/** The content of a script, so that one which changed and changed back counts as the same. Undefined if it is large or unreadable. */
function contentOf(file: string, stats: Stats): string | undefined {
  if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

const MOST_BYTES = 65_536;

function versionOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join('/');
}

/** More files than this would delay each run of the command. */
const MOST_FILES = 1_000;

const NO_NAMES: ReadonlySet<string> = new Set();

const UNSEARCHED: ReadonlySet<string> = new Set(['node_modules', '__pycache__', '.git']);

/** The state of the programs in a folder. Those of its upper levels come first, and the rest does not count. */
function folderState(top: string, { dev, ino }: Stats): FileState {
  const folders = [top];
  const states: FileState[] = [{ text: `${dev}/${ino}`, changedAtMs: 0 }];
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (states.length + folders.length > MOST_FILES) return joined(states);
      const file = path.join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (isFolder && !UNSEARCHED.has(entry.name)) folders.push(file);
      const stats = isFolder ? undefined : statsOf(file);
      if (stats === undefined || stats.isDirectory() || !isProgram(file, stats, NO_NAMES)) continue;
      states.push({ text: `${file}:${versionOf(stats)}`, changedAtMs: stats.ctimeMs });
    }
  }
  return joined(states);
}

function joined(states: readonly FileState[]): FileState {
  return {
    text: states.map(({ text }) => text).join('\n'),
    changedAtMs: Math.max(...states.map(({ changedAtMs }) => changedAtMs)),
  };
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((one, other) =>
      one.name < other.name ? -1 : 1,
    );
  } catch {
    return [];
  }
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
