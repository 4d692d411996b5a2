/**
 * Finds skills and slash commands in the folders of the user, the project and its plugins. Files are read synchronously: for many
 * small files that takes a fraction of the processor time of asynchronous reads.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isReallyWithin, realPath } from '../settings/trust.ts';
import {
  type PromptFile,
  type PromptFilePlace,
  type PromptFileScope,
  readPromptFile,
} from './prompt-file.ts';
import { readSmallFile } from './small-file.ts';

/** A folder that may contain `skills/` and `commands/`: `~/.claude`, `.heddle`, a plugin. */
export interface ExtensionRoot {
  readonly folder: string;
  readonly scope: PromptFileScope;
  readonly plugin?: string | undefined;
  /** A link that leads out of this folder is not followed. Undefined: links may lead anywhere. */
  readonly within?: string | undefined;
}

interface Discovered {
  readonly promptFiles: readonly PromptFile[];
  /** Sentences that name file and line. */
  readonly problems: readonly string[];
}

/** A file that is larger is not a prompt. */
const MAX_FILE_BYTES = 1_000_000;
/** Folders below `commands/` and files in all: more than this is a mistake, such as a link to a home folder. */
const MAX_DEPTH = 5;
const MAX_FILES = 2_000;

/**
 * Roots are given with the strongest first: of two skills, or two commands, with the same name, the first is kept.
 * A skill is stronger than a command of the same name. Never rejects.
 */
export async function discoverPromptFiles(roots: readonly ExtensionRoot[]): Promise<Discovered> {
  const problems: string[] = [];
  const places = [
    ...roots.flatMap((root) => findSkills(root, problems)),
    ...roots.flatMap((root) => findCommands(root, problems)),
  ];
  const byName = new Map<string, PromptFile>();
  for (const place of places) {
    const promptFile = await readPlace(place, problems);
    if (promptFile === undefined) continue;
    const names = [promptFile.name, promptFile.longName].filter((name) => name !== undefined);
    // Of two commands with the same name in different folders, the second one has only its long name.
    const free = names.find((name) => !byName.has(name));
    if (free !== undefined) byName.set(free, { ...promptFile, name: free });
  }
  return { promptFiles: [...byName.values()], problems };
}

/** Undefined if the file is absent, or cannot be used. */
async function readPlace(place: PromptFilePlace, problems: string[]): Promise<PromptFile | undefined> {
  const read = readSmallFile(place.file, MAX_FILE_BYTES);
  if (read === undefined) return undefined;
  if (read.size > MAX_FILE_BYTES) {
    problems.push(`${place.file}: larger than ${MAX_FILE_BYTES} bytes, ignored.`);
    return undefined;
  }
  const { promptFile, problems: inFile } = await readPromptFile(place, read.text);
  problems.push(...inFile.map(({ line, message }) => `${place.file}:${line}: ${message}`));
  return promptFile;
}

/** Each folder below `skills` may contain a skill. */
function findSkills(root: ExtensionRoot, problems: string[]): readonly PromptFilePlace[] {
  const { folder, scope, plugin } = root;
  const skills = path.join(folder, 'skills');
  const pluginFolder = plugin === undefined ? undefined : folder;
  return entriesIn(skills).flatMap(({ name }) => {
    const file = path.join(skills, name, 'SKILL.md');
    return mayFollow(file, root, problems)
      ? [{ kind: 'skill', file, name, scope, plugin, pluginFolder }]
      : [];
  });
}

/** Text of a project must not put the user's private files before the model. */
function mayFollow(file: string, { within }: ExtensionRoot, problems: string[]): boolean {
  if (within === undefined || isReallyWithin(file, within)) return true;
  problems.push(
    `${file}: leads out of the project, ignored. If you trust the folder: heddle permissions trust`,
  );
  return false;
}

function findCommands(root: ExtensionRoot, problems: string[]): readonly PromptFilePlace[] {
  const { folder, scope, plugin } = root;
  const places: PromptFilePlace[] = [];
  const pluginFolder = plugin === undefined ? undefined : folder;
  const seen = new Set<string>();
  const visit = (at: string, folders: readonly string[]): void => {
    if (!existsSync(at)) return;
    const real = realPath(at);
    if (seen.has(real)) return;
    seen.add(real);
    if (!mayFollow(at, root, problems)) return;
    for (const { name, isFile } of entriesIn(at)) {
      const file = path.join(at, name);
      if (places.length >= MAX_FILES) return;
      if (name.endsWith('.md')) {
        if (!mayFollow(file, root, problems)) continue;
        const stem = name.slice(0, -'.md'.length);
        places.push({ kind: 'command', file, name: stem, scope, plugin, pluginFolder, folders });
      } else if (!isFile && folders.length < MAX_DEPTH) visit(file, [...folders, name]);
    }
  };
  visit(path.join(folder, 'commands'), []);
  if (places.length >= MAX_FILES)
    problems.push(`${folder}/commands: more than ${MAX_FILES} files; the rest is ignored.`);
  return places;
}

interface FolderEntry {
  readonly name: string;
  /** False for a folder, and for a link. */
  readonly isFile: boolean;
}

/** Sorted, so that the result does not depend on the file system. A folder that is absent or unreadable is empty. */
function entriesIn(folder: string): readonly FolderEntry[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .map((entry) => ({ name: entry.name, isFile: entry.isFile() }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
