/** Searches with ripgrep. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type PinnedFile, PinnedFolder } from '../files/pinned.ts';
import { type FileMatches, type FileQuery, MAX_COLUMNS, type SearchEngine, type TextQuery } from './query.ts';
import { matchesOf, SEPARATOR_OPTION } from './ripgrep-output.ts';
import { FIRST_INHERITED, type RipgrepOutput, runRipgrep } from './ripgrep-process.ts';
import { findProgram, isProgram } from '../programs.ts';
import { openBelow, startOfSearch, findRedirectedPaths } from './recheck.ts';

const COMMON = [
  '--no-config',
  '--hidden',
  '--no-messages',
  '--no-require-git',
  '--glob=!.git',
  '--color=never',
];

export class RipgrepEngine implements SearchEngine {
  readonly #program: string;

  constructor(program: string) {
    this.#program = program;
  }

  files(query: FileQuery, signal: AbortSignal): Promise<{ names: string[]; isCut: boolean }> {
    return withRoot(query, async (root) => {
      const since = startOfSearch();
      // Matched here: for names alone that is faster than an ignore file for ripgrep.
      const { output, isCut } = await this.#run(
        ['--files', '--null'],
        { ...query, pattern: undefined },
        root,
        signal,
      );
      // The text after the last separator is empty or a truncated name.
      const names = output
        .split('\0')
        .slice(0, -1)
        .filter((name) => isWanted(name, query));
      const moved = findRedirectedPaths(names, root, since, 'names');
      return { names: names.filter((name) => !moved.has(name) || isBelow(root, name)), isCut };
    });
  }

  search(query: TextQuery, signal: AbortSignal): Promise<{ matches: FileMatches[]; isCut: boolean }> {
    return withRoot(query, async (root) => {
      if (query.file !== undefined) return this.#searchOpened([query.file], query, root, signal);
      const since = startOfSearch();
      const { output, isCut } = await this.#run(argumentsFor(query), query, root, signal);
      const found = matchesOf(output, query.mode, (name) => isBelow(root, name));
      const matches = found.filter((match) => isWanted(match.path, query));
      const names = matches.map((match) => match.path);
      const moved = findRedirectedPaths(names, root, since, 'files');
      if (moved.size === 0) return { matches, isCut };
      const again = await this.#searchOpened([...moved], query, root, signal);
      const settled = matches.filter((match) => !moved.has(match.path));
      return { matches: [...settled, ...again.matches], isCut: isCut || again.isCut };
    });
  }

  /**
   * Searches files that are already open: their paths are not used. A file that can only be opened through
   * a link is omitted.
   */
  async #searchOpened(
    names: readonly string[],
    query: TextQuery,
    root: PinnedFolder,
    signal: AbortSignal,
  ): Promise<{ matches: FileMatches[]; isCut: boolean }> {
    const matches: FileMatches[] = [];
    let isCut = false;
    for (let at = 0; at < names.length && !isCut; at += MAX_OPENED) {
      const files: { readonly name: string; readonly file: PinnedFile }[] = [];
      try {
        for (const name of names.slice(at, at + MAX_OPENED)) {
          const file = openBelow(root, name);
          if (file !== undefined) files.push({ name, file });
        }
        if (files.length === 0) continue;
        const inherited = files.flatMap(({ file }) => file.descriptor ?? []);
        const paths = files.map(({ file }, index) => descriptorPath(file, index));
        const args = [...COMMON, ...argumentsFor(query), '--', ...paths];
        const found = await this.#start(args, root, signal, inherited);
        isCut = found.isCut;
        const nameOf = new Map(paths.map((opened, index) => [opened, files[index]?.name]));
        for (const match of matchesOf(found.output, query.mode, (opened) => nameOf.has(opened))) {
          const name = nameOf.get(match.path);
          if (name !== undefined) matches.push({ ...match, path: name });
        }
      } finally {
        for (const { file } of files) file.close();
      }
    }
    return { matches, isCut };
  }

  #start(
    args: readonly string[],
    root: PinnedFolder,
    signal: AbortSignal,
    inherited: readonly number[] = [],
  ): Promise<RipgrepOutput> {
    return runRipgrep({ program: this.#program, args, root, inherited }, signal);
  }

  async #run(
    args: readonly string[],
    query: FileQuery,
    root: PinnedFolder,
    signal: AbortSignal,
  ): Promise<{ output: string; isCut: boolean }> {
    const lines = query.pattern?.ignoreLines ?? [];
    const type = query.type === undefined ? [] : [`--type=${query.type}`];
    if (lines.length === 0) return this.#start([...COMMON, ...type, ...args], root, signal);
    await mkdir(query.folder, { recursive: true, mode: 0o700 });
    const own = await mkdtemp(path.join(query.folder, 'search-'));
    try {
      const file = path.join(own, 'ignore');
      await writeFile(file, `${lines.join('\n')}\n`);
      return await this.#start([...COMMON, ...type, `--ignore-file=${file}`, ...args], root, signal);
    } finally {
      await rm(own, { recursive: true, force: true });
    }
  }
}

/** The most files that one process inherits. */
const MAX_OPENED = 200;

/** Returns the path by which the child reaches an inherited file. */
function descriptorPath({ descriptor, path: place }: PinnedFile, index: number): string {
  return descriptor === undefined ? place : `/proc/self/fd/${FIRST_INHERITED + index}`;
}

/** The folder is opened once, and stays open during the search. */
async function withRoot<T>({ root }: FileQuery, search: (root: PinnedFolder) => Promise<T>): Promise<T> {
  const folder = PinnedFolder.open(root);
  try {
    return await search(folder);
  } finally {
    folder.close();
  }
}

function isBelow(root: PinnedFolder, name: string): boolean {
  const file = openBelow(root, name);
  file?.close();
  return file !== undefined;
}

function argumentsFor(query: TextQuery): string[] {
  const args = ['--null', '--crlf', '--with-filename', `--regexp=${query.expression}`];
  if (query.ignoreCase) args.push('--ignore-case');
  if (query.multiline) args.push('--multiline', '--multiline-dotall');
  if (query.mode === 'files_with_matches') return [...args, '--files-with-matches'];
  if (query.mode === 'count') return [...args, '--count'];
  if (query.before > 0) args.push(`--before-context=${query.before}`);
  if (query.after > 0) args.push(`--after-context=${query.after}`);
  args.push(SEPARATOR_OPTION, '--no-heading', query.lineNumbers ? '--line-number' : '--no-line-number');
  return [...args, `--max-columns=${MAX_COLUMNS}`, '--max-columns-preview'];
}

function isWanted(name: string, { pattern }: FileQuery): boolean {
  return pattern === undefined || pattern.matches(name);
}

let found: Promise<SearchEngine> | undefined;

/** Searched once. */
export function findEngine(): Promise<SearchEngine> {
  found ??= find();
  return found;
}

/** Returns undefined if there is none. */
export async function findRipgrep(): Promise<string | undefined> {
  return (await packagedRipgrep()) ?? findProgram(process.env['PATH'], 'rg');
}

async function find(): Promise<SearchEngine> {
  const program = await findRipgrep();
  return program === undefined
    ? new (await import('./walk-engine.ts')).WalkEngine()
    : new RipgrepEngine(program);
}

/** Returns the packaged program. */
export async function packagedRipgrep(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return isProgram(rgPath) ? rgPath : undefined;
  } catch {
    // Its package for this platform is not installed.
    return undefined;
  }
}
