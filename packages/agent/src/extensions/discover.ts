/**
 * Finds skills and slash commands in the folders of the user, the project and its plugins. Files are read synchronously: for many
 * small files that takes a fraction of the processor time of asynchronous reads.
 */
import path from 'node:path';
import { MarkdownReader, MAX_YAML_HEADERS, splitHeader } from './frontmatter.ts';
import { type FileLimits, GuardedFiles } from './guarded-files.ts';
import { type ExtensionRoot, type PromptFile, type PromptFilePlace, readPromptFile } from './prompt-file.ts';
import { type PromptIndex, type RootContent, type SeenPath, stateOf } from './prompt-index.ts';
import { unreadableText } from './small-file.ts';

interface Discovery {
  readonly index?: PromptIndex | undefined;
  /** Whether a rule forbids reading a file. Such a file is not read through a link. */
  readonly isDenied?: FileLimits['isDenied'];
}

interface Discovered {
  readonly promptFiles: readonly PromptFile[];
  /** Sentences that name file and line. */
  readonly problems: readonly string[];
}

/** A file that is larger is not a prompt. */
const MAX_FILE_BYTES = 1_000_000;
/** Files in all: more than this is a mistake, such as a link to a home folder. */
const MAX_FILES = 2_000;

/**
 * Roots are given with the strongest first: of two skills, or two commands, with the same name, the first is kept.
 * A skill is stronger than a command of the same name. Never rejects.
 */
export async function discoverPromptFiles(
  roots: readonly ExtensionRoot[],
  { index, isDenied }: Discovery = {},
): Promise<Discovered> {
  const contents: RootContent[] = [];
  for (const root of roots) {
    const files = (): GuardedFiles => new GuardedFiles(limitsOf(root, isDenied));
    contents.push(index?.read(root, files()) ?? (await readRoot(root, files(), index)));
  }
  const byName = new Map<string, PromptFile>();
  const leftOut: string[] = [];
  for (const kind of ['skills', 'commands'] as const)
    for (const content of contents)
      for (const promptFile of content[kind]) {
        const reason = unusableName(promptFile.name);
        if (reason !== undefined) leftOut.push(`${promptFile.file}: left out. ${reason}`);
        if (reason !== undefined) continue;
        const { name } = promptFile;
        const longName = usableName(promptFile.longName);
        // Of two commands with the same name in different folders, the second one has only its long name.
        if (!byName.has(name)) byName.set(name, { ...promptFile, longName });
        else if (longName !== undefined && !byName.has(longName))
          byName.set(longName, { ...promptFile, name: longName, longName });
      }
  const problems = contents.flatMap((content) => content.problems);
  return { promptFiles: [...byName.values()], problems: [...leftOut, ...problems] };
}

function usableName(name: string | undefined): string | undefined {
  return name === undefined || unusableName(name) !== undefined ? undefined : name;
}

/** The names that can be typed as one word after a slash. */
const PLAIN_NAME = /^[\p{L}\p{M}\p{N}_.:-]+$/u;
const MAX_SHOWN_NAME = 100;

/**
 * Returns the reason why a file cannot have this name. A line `/name` is read up to its first space: the name `mode plan` would
 * be the built-in command `/mode` with a word of the file.
 */
function unusableName(name: string): string | undefined {
  const shown = JSON.stringify(name.slice(0, MAX_SHOWN_NAME));
  if (!PLAIN_NAME.test(name))
    return `Its name ${shown} is not one word of letters, digits, "_", "-", "." and ":".`;
  if (name.toLowerCase().startsWith('mcp__'))
    return `Its name ${shown} starts with "mcp__", like the prompts of MCP servers.`;
  return undefined;
}

async function readRoot(
  root: ExtensionRoot,
  files: GuardedFiles,
  index: PromptIndex | undefined,
): Promise<RootContent> {
  const readAt = index?.now() ?? 0;
  const seen: SeenPath[] = [];
  const problems: string[] = [];
  const reader = new MarkdownReader(root.within === undefined ? undefined : MAX_YAML_HEADERS);
  const skills = await readPlaces(findSkills(root, files), { files, reader, seen, problems });
  const commands = await readPlaces(findCommands(root, files), { files, reader, seen, problems });
  const content = {
    skills,
    commands,
    problems: [...files.problems, ...problems],
    seen: [...files.folders.map((folder) => ({ path: folder })), ...seen],
    checked: files.checked,
  };
  index?.add(root, content, readAt);
  return content;
}

function limitsOf({ within, plugin }: ExtensionRoot, isDenied: FileLimits['isDenied']): FileLimits {
  return { within, owner: plugin === undefined ? 'project' : 'plugin', isDenied };
}

/** A file with its place after links. */
type GuardedPlace = PromptFilePlace & { readonly real: string };

interface ReadPlaces {
  readonly files: GuardedFiles;
  readonly reader: MarkdownReader;
  readonly seen: SeenPath[];
  readonly problems: string[];
}

/** Files that are absent, or cannot be used, are left out. */
async function readPlaces(
  places: readonly GuardedPlace[],
  { files, reader, seen, problems }: ReadPlaces,
): Promise<PromptFile[]> {
  const promptFiles: PromptFile[] = [];
  for (const { real, ...place } of places) {
    const read = files.read({ path: place.file, real }, MAX_FILE_BYTES);
    seen.push({ path: place.file, state: read && stateOf(read.stats) });
    if (read === undefined) continue;
    if (read.size > MAX_FILE_BYTES) {
      problems.push(`${place.file}: larger than ${MAX_FILE_BYTES} bytes, ignored.`);
      continue;
    }
    const { promptFile, problems: inFile } = await readPromptFile(place, read.text, reader);
    if (promptFile !== undefined) {
      // The body is read again when it is used: it may be long, and most files are not used.
      const { body: _, ...header } = promptFile;
      promptFiles.push(header);
    }
    problems.push(
      ...[...unreadableText(read), ...inFile].map(({ line, message }) => `${place.file}:${line}: ${message}`),
    );
  }
  return promptFiles;
}

/** Reads the text below the header. Undefined if the file cannot be read any more, or may not be read now. */
export function readBody(
  { file, within }: Pick<PromptFile, 'file' | 'within'>,
  isDenied?: FileLimits['isDenied'],
): string | undefined {
  const files = new GuardedFiles({ within, isDenied });
  const at = files.resolve(file);
  const read = at && files.read(at, MAX_FILE_BYTES);
  return read && splitHeader(read.text).body;
}

/** Each folder below `skills` may contain a skill. */
function findSkills(root: ExtensionRoot, files: GuardedFiles): readonly GuardedPlace[] {
  const { folder, scope, plugin, within } = root;
  const skills = files.folder(path.join(folder, 'skills'));
  const pluginFolder = plugin === undefined ? undefined : folder;
  if (skills === undefined) return [];
  const entries = files.entries(skills);
  if (entries.length > MAX_FILES)
    files.problems.push(`${skills.path}: more than ${MAX_FILES} entries; the rest is ignored.`);
  return entries.slice(0, MAX_FILES).flatMap((entry): readonly GuardedPlace[] => {
    const at = files.enter(skills, entry);
    const found = at && files.enter(at, { name: 'SKILL.md', isLink: false });
    if (found === undefined) return [];
    const { path: file, real } = found;
    return [{ kind: 'skill', file, real, name: entry.name, scope, plugin, pluginFolder, within }];
  });
}

function findCommands(root: ExtensionRoot, files: GuardedFiles): readonly GuardedPlace[] {
  const { folder, scope, plugin, within } = root;
  const pluginFolder = plugin === undefined ? undefined : folder;
  const found = files.markdownFiles(path.join(folder, 'commands'), MAX_FILES);
  if (found.length >= MAX_FILES)
    files.problems.push(`${folder}/commands: more than ${MAX_FILES} files; the rest is ignored.`);
  return found.map(({ path: file, real, folders }) => {
    const name = path.basename(file, '.md');
    return { kind: 'command', file, real, name, scope, plugin, pluginFolder, within, folders };
  });
}
