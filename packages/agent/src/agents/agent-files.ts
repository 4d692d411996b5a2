/** Reads the types of subagents from Markdown files in the folders of the administrator, the project and the user. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { lineOfKey, readMarkdownFile } from '../extensions/frontmatter.ts';
import { readSmallFile, unreadableText } from '../extensions/small-file.ts';
import { managedDir, PROJECT_FOLDERS, projectRoot, type Scope } from '../settings/scopes.ts';
import { isReallyWithin } from '../settings/trust.ts';
import { type AgentDefinition, type AgentSource, decodeAgent } from './definition.ts';

export interface AgentFilePlaces {
  readonly cwd: string;
  /** The user's settings folders, the strongest first. */
  readonly configDirs: readonly string[];
  /** The scopes whose files are read. Undefined for all. */
  readonly sources?: readonly Scope[] | undefined;
  /** Without trust, a file of the project cannot lead out of it, choose another provider, run hooks or servers, or have a memory. */
  readonly isTrusted: boolean;
  /** Plugins in use. Their agents have the names `plugin:name`. */
  readonly plugins?: readonly { readonly name: string; readonly path: string }[] | undefined;
}

export interface AgentFiles {
  readonly definitions: readonly AgentDefinition[];
  /** Sentences that name the file. */
  readonly problems: readonly string[];
}

/** A file that is larger is not a prompt. */
const MAX_FILE_BYTES = 1_000_000;
/** More files than this are a mistake, such as a link to a home folder. */
const MAX_FILES = 500;

/** Contract: never rejects. A folder that is absent is empty. Of two files with one name, the first folder's is used. */
export async function readAgentFiles(places: AgentFilePlaces): Promise<AgentFiles> {
  const folders = foldersOf(places).filter(({ path: folder }) => existsSync(folder));
  const found = await Promise.all(folders.map((folder) => readFolder(folder, places)));
  return {
    definitions: found.flatMap(({ definitions }) => definitions),
    problems: found.flatMap(({ problems }) => problems),
  };
}

interface AgentFolder {
  readonly path: string;
  readonly source: AgentSource;
  readonly plugin?: string | undefined;
}

function foldersOf({
  cwd,
  configDirs,
  sources = ['user', 'project'],
  plugins = [],
}: AgentFilePlaces): AgentFolder[] {
  const root = projectRoot(cwd);
  const project = PROJECT_FOLDERS.map((name) => path.join(root, name));
  const named = (folders: readonly string[], source: AgentSource): AgentFolder[] =>
    folders.map((folder) => ({ path: path.join(folder, 'agents'), source }));
  return [
    ...named([managedDir()], 'managed'),
    ...(sources.includes('project') ? named(project, 'project') : []),
    ...(sources.includes('user') ? named(configDirs, 'user') : []),
    ...plugins.map(
      (plugin): AgentFolder => ({
        path: path.join(plugin.path, 'agents'),
        source: 'plugin',
        plugin: plugin.name,
      }),
    ),
  ];
}

async function readFolder(folder: AgentFolder, places: AgentFilePlaces): Promise<AgentFiles> {
  if (leadsOut(folder.path, folder, places)) return leftOut(folder.path);
  const names = await namesIn(folder.path);
  const files = names.slice(0, MAX_FILES).map((name) => path.join(folder.path, name));
  const read = await Promise.all(files.map((file) => readAgentFile(file, folder, places)));
  const most = names.length > MAX_FILES ? [`${folder.path}: only ${MAX_FILES} files are read.`] : [];
  return {
    definitions: read.flatMap(({ definitions }) => definitions),
    problems: [...read.flatMap(({ problems }) => problems), ...most],
  };
}

/** Text of a project must not put the user's private files before the model. */
function leadsOut(file: string, { source }: AgentFolder, { cwd, isTrusted }: AgentFilePlaces): boolean {
  return source === 'project' && !isTrusted && !isReallyWithin(file, projectRoot(cwd));
}

function leftOut(file: string): AgentFiles {
  return { definitions: [], problems: [`${file}: leads out of the project, ignored.`] };
}

/** Sorted, so that the result does not depend on the file system. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder, { recursive: true });
    return names.filter((name) => name.endsWith('.md') && !name.includes('node_modules')).toSorted();
  } catch {
    return [];
  }
}

/** Hooks and servers run programs, memory writes files, and a provider receives the conversation. */
function withoutTrust({
  model,
  hooks: _hooks,
  memory: _memory,
  serverEntries: _serverEntries,
  ...rest
}: AgentDefinition): AgentDefinition {
  return model !== undefined && PLAIN_MODEL_NAME.test(model) ? { ...rest, model } : rest;
}

/** Names without a provider. */
const PLAIN_MODEL_NAME = /^(inherit|sonnet|opus|haiku|claude-[\w.-]+)$/i;

async function readAgentFile(
  file: string,
  folder: AgentFolder,
  places: AgentFilePlaces,
): Promise<AgentFiles> {
  if (leadsOut(file, folder, places)) return leftOut(file);
  const { source, plugin } = folder;
  const read = readSmallFile(file, MAX_FILE_BYTES);
  if (read === undefined) return { definitions: [], problems: [] };
  if (read.size > MAX_FILE_BYTES)
    return { definitions: [], problems: [`${file}: larger than ${MAX_FILE_BYTES} bytes, ignored.`] };
  const { fields, body, problems: wrongLines } = await readMarkdownFile(read.text);
  const { name: given } = fields;
  const own = typeof given === 'string' && given !== '' ? given : path.basename(file, '.md');
  const name = plugin === undefined ? own : `${plugin}:${own}`;
  const placeOf = (key: string): string => `${file}:${lineOfKey(read.text, key)}`;
  const decoded = decodeAgent({ ...fields, prompt: body }, { name, source, file, placeOf });
  const problems = [
    ...[...unreadableText(read), ...wrongLines].map(({ line, message }) => `${file}:${line}: ${message}`),
    ...decoded.problems,
  ];
  if (!decoded.definition) return { definitions: [], problems };
  const isCareful = source === 'project' && !places.isTrusted;
  return { definitions: [isCareful ? withoutTrust(decoded.definition) : decoded.definition], problems };
}
