/**
 * Reads instruction files: the user's own, then those of every folder from the root down to the working directory. The
 * nearest comes last. They are text for the model and grant no permission, so a folder needs no trust for them.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { Scope } from '../settings/scopes.ts';

interface InstructionPlaces {
  readonly cwd: string;
  /** The top of the repository, if there is one. */
  readonly top: string | undefined;
  readonly configDirs: readonly string[];
  readonly sources: readonly Scope[];
}

interface Instructions {
  readonly file: string;
  readonly scope: Scope;
  readonly text: string;
}

/** The limit of one file. A longer text is a document, which the model can read. */
const MOST_BYTES = 40_000;

/** Reads the first existing name of each scope. */
const IN_A_FOLDER: readonly { readonly scope: Scope; readonly names: readonly string[] }[] = [
  { scope: 'project', names: ['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md'] },
  { scope: 'local', names: ['CLAUDE.local.md'] },
];
const OF_THE_USER = ['CLAUDE.md', 'AGENTS.md'];

export function readInstructions(places: InstructionPlaces): string | undefined {
  const found = [...userFiles(places), ...projectFiles(places)];
  if (found.length === 0) return undefined;
  const files = found.map(({ file, scope, text }) => `## ${file} (${WHOSE[scope]})\n\n${text}`);
  return [HOW_TO_TAKE_THEM, ...files].join('\n\n');
}

const HOW_TO_TAKE_THEM =
  'The user and the project ask you to work like this. If two of these disagree, follow the later one.';

const WHOSE: Readonly<Record<Scope, string>> = {
  user: "the user's, for all projects",
  project: "the project's",
  local: "the user's, for this project",
};

function userFiles({ configDirs, sources }: InstructionPlaces): Instructions[] {
  if (!sources.includes('user')) return [];
  // The user's own links may lead anywhere.
  return configDirs.flatMap((folder) => firstOf(folder, OF_THE_USER, 'user', () => true));
}

function projectFiles({ cwd, top, sources }: InstructionPlaces): Instructions[] {
  return foldersDownTo(cwd).flatMap((folder) => {
    const root = top !== undefined && isWithin(folder, top) ? top : folder;
    // A link in a project must not expose the user's keys to the model.
    const isOurs = (file: string): boolean => isWithin(realpathSync(file), realpathSync(root));
    return IN_A_FOLDER.filter(({ scope }) => sources.includes(scope)).flatMap(({ names, scope }) =>
      firstOf(folder, names, scope, isOurs),
    );
  });
}

function firstOf(
  folder: string,
  names: readonly string[],
  scope: Scope,
  isOurs: (file: string) => boolean,
): Instructions[] {
  for (const name of names) {
    const file = path.join(folder, name);
    const read = readSmallFile(file, MOST_BYTES);
    if (!read || read.text.trim() === '' || !isOurs(file)) continue;
    const isCut = read.size > MOST_BYTES;
    const cut = `\n\n(Cut here: it has ${read.size} bytes. Read the rest when you need it.)`;
    return [{ file, scope, text: isCut ? wholeLines(read.text) + cut : read.text.trim() }];
  }
  return [];
}

function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > 0 ? text.slice(0, end) : text;
}

function foldersDownTo(cwd: string): string[] {
  const above = path.dirname(cwd);
  return above === cwd ? [cwd] : [...foldersDownTo(above), cwd];
}

function isWithin(file: string, folder: string): boolean {
  const between = path.relative(folder, file);
  return !path.isAbsolute(between) && between.split(path.sep)[0] !== '..';
}

interface SmallFile {
  readonly text: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
}

/** A pipe under the name of a file must not block the program. Not defined on every platform. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function readSmallFile(file: string, mostBytes: number): SmallFile | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, READ);
    const about = fstatSync(descriptor);
    if (!about.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(about.size, mostBytes));
    const length = readSync(descriptor, bytes);
    return { text: bytes.toString('utf8', 0, length), size: about.size };
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
