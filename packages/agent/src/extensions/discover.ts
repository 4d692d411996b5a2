/** Finds skills and slash commands in the folders of the user, the project and its plugins. */
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorMessage } from '@heddle/core';
import {
  type PromptFile,
  type PromptFilePlace,
  type PromptFileScope,
  readPromptFile,
} from './prompt-file.ts';

/** A folder that may contain `skills/` and `commands/`: `~/.claude`, `.heddle`, a plugin. */
export interface ExtensionRoot {
  readonly folder: string;
  readonly scope: PromptFileScope;
  readonly plugin?: string | undefined;
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
  const found = await Promise.all(roots.map(findPlaces));
  const places = found.flatMap((one) => one.places);
  const problems = found.flatMap((one) => one.problems);
  const read = await Promise.all(places.map(readPlace));
  const byName = new Map<string, PromptFile>();
  const ordered = [...read].sort((a, b) => rankOf(a) - rankOf(b));
  for (const { promptFile, problems: inFile } of ordered) {
    problems.push(...inFile);
    if (promptFile === undefined) continue;
    const names = [promptFile.name, promptFile.longName].filter((name) => name !== undefined);
    // Of two commands with the same name in different folders, the second one has only its long name.
    const free = names.find((name) => !byName.has(name));
    if (free !== undefined) byName.set(free, { ...promptFile, name: free });
  }
  return { promptFiles: [...byName.values()], problems };
}

interface PlaceRead {
  readonly promptFile: PromptFile | undefined;
  readonly problems: readonly string[];
}

function rankOf({ promptFile }: PlaceRead): number {
  return promptFile?.kind === 'skill' ? 0 : 1;
}

async function readPlace(place: PromptFilePlace): Promise<PlaceRead> {
  try {
    const { size } = await stat(place.file);
    if (size > MAX_FILE_BYTES)
      return {
        promptFile: undefined,
        problems: [`${place.file}: larger than ${MAX_FILE_BYTES} bytes, ignored.`],
      };
    const { promptFile, problems } = await readPromptFile(place, await readFile(place.file, 'utf8'));
    return { promptFile, problems: problems.map(({ line, message }) => `${place.file}:${line}: ${message}`) };
  } catch (thrown) {
    return { promptFile: undefined, problems: [`${place.file}: cannot be read: ${errorMessage(thrown)}`] };
  }
}

interface Places {
  readonly places: readonly PromptFilePlace[];
  readonly problems: readonly string[];
}

async function findPlaces(root: ExtensionRoot): Promise<Places> {
  const [skills, commands] = await Promise.all([findSkills(root), findCommands(root)]);
  return { places: [...skills, ...commands.places], problems: commands.problems };
}

async function findSkills({ folder, scope, plugin }: ExtensionRoot): Promise<readonly PromptFilePlace[]> {
  const pluginFolder = plugin === undefined ? undefined : folder;
  const names = await namesIn(path.join(folder, 'skills'));
  const places = await Promise.all(
    names.map(async (name): Promise<readonly PromptFilePlace[]> => {
      const file = path.join(folder, 'skills', name, 'SKILL.md');
      return (await isFile(file)) ? [{ kind: 'skill', file, name, scope, plugin, pluginFolder }] : [];
    }),
  );
  return places.flat();
}

async function findCommands({ folder, scope, plugin }: ExtensionRoot): Promise<Places> {
  const pluginFolder = plugin === undefined ? undefined : folder;
  const places: PromptFilePlace[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  const visit = async (at: string, folders: readonly string[]): Promise<void> => {
    const real = await realpath(at).catch(() => undefined);
    if (real === undefined || seen.has(real)) return;
    seen.add(real);
    for (const name of await namesIn(at)) {
      const file = path.join(at, name);
      if (places.length >= MAX_FILES) return;
      if (name.endsWith('.md') && (await isFile(file)))
        places.push({
          kind: 'command',
          file,
          name: name.slice(0, -'.md'.length),
          scope,
          plugin,
          pluginFolder,
          folders,
        });
      else if (folders.length < MAX_DEPTH) await visit(file, [...folders, name]);
    }
  };
  await visit(path.join(folder, 'commands'), []);
  if (places.length >= MAX_FILES)
    problems.push(`${folder}/commands: more than ${MAX_FILES} files; the rest is ignored.`);
  return { places, problems };
}

/** Sorted, so that the result does not depend on the file system. A folder that is absent or unreadable is empty. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  } catch {
    return [];
  }
}

async function isFile(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isFile() === true;
}
