/**
 * Finds skills and slash commands in the folders of the user, the project and its plugins. Files are read synchronously: for many
 * small files that takes a fraction of the processor time of asynchronous reads.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { isReallyWithin, realPath } from '../settings/trust.ts';
import { splitHeader } from './frontmatter.ts';
import { type ExtensionRoot, type PromptFile, type PromptFilePlace, readPromptFile } from './prompt-file.ts';
import { type PromptIndex, type RootContent, type SeenPath, stateOf } from './prompt-index.ts';
import { readSmallFile, unreadableText } from './small-file.ts';

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
export async function discoverPromptFiles(
  roots: readonly ExtensionRoot[],
  index?: PromptIndex,
): Promise<Discovered> {
  const contents: RootContent[] = [];
  for (const root of roots) contents.push(index?.read(root) ?? (await readRoot(root, index)));
  const byName = new Map<string, PromptFile>();
  for (const kind of ['skills', 'commands'] as const)
    for (const content of contents)
      for (const promptFile of content[kind]) {
        const { name, longName } = promptFile;
        // Of two commands with the same name in different folders, the second one has only its long name.
        if (!byName.has(name)) byName.set(name, promptFile);
        else if (longName !== undefined && !byName.has(longName))
          byName.set(longName, { ...promptFile, name: longName });
      }
  return { promptFiles: [...byName.values()], problems: contents.flatMap(({ problems }) => problems) };
}

async function readRoot(root: ExtensionRoot, index: PromptIndex | undefined): Promise<RootContent> {
  const readAt = index?.now() ?? 0;
  const problems: string[] = [];
  const seen: SeenPath[] = [];
  const looked = { problems, seen };
  const skills = await readPlaces(findSkills(root, looked), looked);
  const commands = await readPlaces(findCommands(root, looked), looked);
  const content = { skills, commands, problems, seen };
  index?.add(root, content, readAt);
  return content;
}

/** Results of a search, beside its files. */
interface Looked {
  readonly problems: string[];
  readonly seen: SeenPath[];
}

/** Files that are absent, or cannot be used, are left out. */
async function readPlaces(
  places: readonly PromptFilePlace[],
  { problems, seen }: Looked,
): Promise<PromptFile[]> {
  const promptFiles: PromptFile[] = [];
  for (const place of places) {
    const read = readSmallFile(place.file, MAX_FILE_BYTES);
    seen.push({ path: place.file, state: read && stateOf(read.stats) });
    if (read === undefined) continue;
    if (read.size > MAX_FILE_BYTES) {
      problems.push(`${place.file}: larger than ${MAX_FILE_BYTES} bytes, ignored.`);
      continue;
    }
    const { promptFile, problems: inFile } = await readPromptFile(place, read.text);
    // The body is read again when it is used: it may be long, and most files are not used.
    const { body: _, ...header } = promptFile;
    promptFiles.push(header);
    problems.push(
      ...[...unreadableText(read), ...inFile].map(({ line, message }) => `${place.file}:${line}: ${message}`),
    );
  }
  return promptFiles;
}

/** Reads the text below the header. Undefined if the file cannot be read any more, or leads out of its project now. */
export function readBody({ file, within }: Pick<PromptFile, 'file' | 'within'>): string | undefined {
  if (within !== undefined && !isReallyWithin(file, within)) return undefined;
  const read = readSmallFile(file, MAX_FILE_BYTES);
  return read && splitHeader(read.text).body;
}

/** Each folder below `skills` may contain a skill. */
function findSkills(root: ExtensionRoot, { problems, seen }: Looked): readonly PromptFilePlace[] {
  const { folder, scope, plugin, within } = root;
  const skills = path.join(folder, 'skills');
  seen.push({ path: skills });
  const pluginFolder = plugin === undefined ? undefined : folder;
  return entriesIn(skills).flatMap(({ name }) => {
    const file = path.join(skills, name, 'SKILL.md');
    return mayFollow(file, root, problems)
      ? [{ kind: 'skill', file, name, scope, plugin, pluginFolder, within }]
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

function findCommands(root: ExtensionRoot, { problems, seen }: Looked): readonly PromptFilePlace[] {
  const { folder, scope, plugin, within } = root;
  const places: PromptFilePlace[] = [];
  const pluginFolder = plugin === undefined ? undefined : folder;
  const visited = new Set<string>();
  const visit = (at: string, folders: readonly string[]): void => {
    seen.push({ path: at });
    if (!existsSync(at)) return;
    const real = realPath(at);
    if (visited.has(real)) return;
    visited.add(real);
    if (!mayFollow(at, root, problems)) return;
    for (const { name, isFile } of entriesIn(at)) {
      const file = path.join(at, name);
      if (places.length >= MAX_FILES) return;
      if (name.endsWith('.md')) {
        if (!mayFollow(file, root, problems)) continue;
        const stem = name.slice(0, -'.md'.length);
        places.push({ kind: 'command', file, name: stem, scope, plugin, pluginFolder, within, folders });
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
