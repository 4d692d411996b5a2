/** The states of the files that a configured command names: programs, and data that the command may write itself. */
import { type Dirent, readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { type CommandPlaces, type ConfiguredCommand, filesOfCommands } from '../permissions/named-files.ts';
import { globbedPattern, programNames } from './program-names.ts';

export interface FileState {
  /** Differs after every change. */
  readonly text: string;
  /** When the file, or a file below the folder, changed last. */
  readonly changedAtMs: number;
  /** True if the command may write the file itself. False for a program. */
  readonly isData: boolean;
}

export type States = ReadonlyMap<string, FileState>;

export const MISSING: FileState = { text: 'missing', changedAtMs: 0, isData: true };

/** Files of builds that contain no commands. Changes of them are ordinary work. */
const BUILD_DATA =
  /^(package(-lock)?\.json|tsconfig.*\.json|jsconfig\.json|pyproject\.toml|cargo\.toml|go\.mod)$/i;

/** The files that words of the command name. Any program may run a file, so data counts as well. */
export function statesOf(command: ConfiguredCommand, places: CommandPlaces): States {
  const states = new Map<string, FileState>();
  const programs = programNames(command);
  // A server runs for a long time, and often writes such a file.
  const written = typeof command.command === 'string' ? WRITTEN : WRITTEN_BY_SERVER;
  for (const file of [...filesOfCommands([command], places, BUILD_DATA), ...selectedFiles(command, places)]) {
    const state = stateOf(file, programs, written);
    if (state !== undefined) states.set(file, state);
  }
  return states;
}

/** Interpreters run such a file without the right to execute it. */
const SCRIPT =
  /\.([cm]?[jt]sx?|(ba|da|z|k|fi)?sh|py|rb|pl|pm|php|lua|jar|exe|cmd|bat|ps1|awk|sed|mk|tcl|exp|groovy|gradle|r|jl|node|so|wasm)$/i;

/** Files that commands write, and that no program runs. */
const WRITTEN = /\.(log|pid|lock|jsonl|ndjson|csv|tsv|db|sqlite3?|tar|t?gz|zip)(-\w+)?$/i;
const WRITTEN_BY_SERVER = /\.(json|log|pid|lock|jsonl|ndjson|csv|tsv|db|sqlite3?|tar|t?gz|zip)(-\w+)?$/i;

const EXECUTABLE = 0o111;

function isProgram(file: string, { mode }: Stats, programs: ReadonlySet<string>): boolean {
  return SCRIPT.test(file) || (mode & EXECUTABLE) !== 0 || programs.has(path.basename(file));
}

/** Returns undefined for a file that is only written. */
function stateOf(file: string, programs: ReadonlySet<string>, written: RegExp): FileState | undefined {
  const stats = statsOf(file);
  if (stats === undefined) return MISSING;
  if (stats.isDirectory()) return folderState(file, stats);
  const isData = !isProgram(file, stats, programs);
  if (isData && written.test(file)) return undefined;
  return { text: contentOf(file, stats) ?? versionOf(stats), changedAtMs: stats.ctimeMs, isData };
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

/** The times of a pipe or a socket change with each use. */
function versionOf(stats: Stats): string {
  const { dev, ino, size, mtimeMs, ctimeMs } = stats;
  return stats.isFile() ? [dev, ino, size, mtimeMs, ctimeMs].join('/') : `${dev}/${ino}`;
}

/** More files than this would delay each run of the command. */
const MOST_FILES = 1_000;

const NO_NAMES: ReadonlySet<string> = new Set();

const UNSEARCHED: ReadonlySet<string> = new Set(['node_modules', '__pycache__', '.git']);

/** The state of the programs in a folder. Those of its upper levels come first, and the rest does not count. */
function folderState(top: string, { dev, ino }: Stats): FileState {
  const states: FileState[] = [{ text: `${dev}/${ino}`, changedAtMs: 0, isData: false }];
  for (const file of filesBelow(top)) {
    const stats = statsOf(file);
    if (stats === undefined || stats.isDirectory() || !isProgram(file, stats, NO_NAMES)) continue;
    states.push({ text: `${file}:${versionOf(stats)}`, changedAtMs: stats.ctimeMs, isData: false });
  }
  return {
    text: states.map(({ text }) => text).join('\n'),
    changedAtMs: Math.max(...states.map(({ changedAtMs }) => changedAtMs)),
    isData: false,
  };
}

/** The files that a pattern selects for an interpreter: `cat checks/* | sh`. */
function selectedFiles(command: ConfiguredCommand, places: CommandPlaces): readonly string[] {
  return globbedPattern(command).flatMap(({ folder, isSelected, isDeep }) => {
    const { cwd, projectDir = cwd, repository = cwd } = places;
    const tops = [path.resolve(cwd, command.cwd ?? ''), cwd, projectDir, repository].map((base) =>
      path.resolve(base, folder),
    );
    return [...new Set(tops)].flatMap((top) =>
      [...filesBelow(top, isDeep)].filter((file) => isSelected(path.relative(top, file))),
    );
  });
}

/** Yields a limited number of files. Those of the upper levels come first. */
function* filesBelow(top: string, isDeep = true): Generator<string> {
  const folders = [top];
  let count = 0;
  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (++count > MOST_FILES) return;
      const file = path.join(folder, entry.name);
      if (!entry.isDirectory()) yield file;
      else if (isDeep && !UNSEARCHED.has(entry.name)) folders.push(file);
    }
  }
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
