/** Reads the types of subagents from Markdown files in the folders of the administrator, the project and the user. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { lineOfKey, MarkdownReader, MAX_YAML_HEADERS } from '../extensions/frontmatter.ts';
import { type FileLimits, GuardedFiles, type GuardedPath } from '../extensions/guarded-files.ts';
import { unreadableText } from '../extensions/small-file.ts';
import { managedDir, PROJECT_FOLDERS, projectRoot, type Scope } from '../settings/scopes.ts';
import { BUILT_IN_AGENTS, FORK_NAME } from './built-in.ts';
import { type AgentDefinition, type AgentSource, decodeAgent } from './definition.ts';

export interface AgentFilePlaces {
  readonly cwd: string;
  /** The user's settings folders, the strongest first. */
  readonly configDirs: readonly string[];
  /** The scopes whose files are read. Undefined for all. */
  readonly sources?: readonly Scope[] | undefined;
  /**
   * Without trust, a file of the project cannot choose another provider, run hooks or servers, have a memory, or replace
   * an agent of the user or a built-in one. The folder of the files decides, which can be above the working folder.
   */
  readonly isTrusted: (folder: string) => boolean;
  /** Names in settings of the user. Without trust, a file of the project cannot define an agent for them. */
  readonly namesOfUser?: readonly string[] | undefined;
  /** Plugins in use. Their agents have the names `plugin:name`. */
  readonly plugins?: readonly { readonly name: string; readonly path: string }[] | undefined;
  /** Whether a rule forbids reading a file. Such a file is not read through a link. */
  readonly isDenied?: FileLimits['isDenied'];
  /** The same for files of the administrator and the user. Undefined: `isDenied` counts. */
  readonly isOwnDenied?: FileLimits['isDenied'];
}

export interface AgentFiles {
  readonly definitions: readonly AgentDefinition[];
  /** Sentences that name the file. */
  readonly problems: readonly string[];
  /** The names of agents with parts that do not count until the folder is trusted. */
  readonly leftOut: readonly string[];
  /** The names of agents that do not count at all until the folder is trusted, because others have these names. */
  readonly hidden: readonly string[];
}

/** A file that is larger is not a prompt. */
const MAX_FILE_BYTES = 1_000_000;
/** More files than this are a mistake, such as a link to a home folder. */
const MAX_FILES = 500;

/** Contract: never rejects. A folder that is absent is empty. Of two files with one name, the first folder's is used. */
export async function readAgentFiles(places: AgentFilePlaces): Promise<AgentFiles> {
  const folders = foldersOf(places).filter(({ path: folder }) => existsSync(folder));
  const found = await Promise.all(folders.map((folder) => readFolder(folder, places)));
  const definitions = found.flatMap((one) => one.definitions);
  const hidden = trustsProject(places) ? [] : replacing(definitions, places.namesOfUser ?? []);
  const hiddenNames = new Set(hidden.map(({ name }) => name));
  const leftOut = new Set(found.flatMap((one) => one.leftOut));
  return {
    definitions: definitions.filter((definition) => !hidden.includes(definition)),
    problems: found.flatMap(({ problems }) => problems),
    leftOut: [...leftOut].filter((name) => !hiddenNames.has(name)),
    hidden: [...hiddenNames],
  };
}

function trustsProject({ cwd, isTrusted }: AgentFilePlaces): boolean {
  return isTrusted(cwd) && isTrusted(projectRoot(cwd));
}

/**
 * Definitions of the project in place of others that the user knows. A name with a colon is that of an agent of a plugin,
 * which may be loaded later.
 */
function replacing(
  definitions: readonly AgentDefinition[],
  namesOfUser: readonly string[],
): readonly AgentDefinition[] {
  const others = [...definitions.filter(({ source }) => source !== 'project'), ...BUILT_IN_AGENTS];
  const names = [...others.map(({ name }) => name), FORK_NAME, ...namesOfUser];
  const own = new Set(names.map((name) => name.toLowerCase()));
  return definitions.filter(
    ({ source, name }) => source === 'project' && (name.includes(':') || own.has(name.toLowerCase())),
  );
}

interface AgentFolder {
  readonly path: string;
  /** Links must not lead out of this folder. */
  readonly within?: string | undefined;
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
  const own = sources.includes('user') ? configDirs : [];
  // In the home folder, the project's files are the user's own.
  const project = PROJECT_FOLDERS.map((name) => path.join(root, name)).filter((name) => !own.includes(name));
  const named = (folders: readonly string[], source: AgentSource, within?: string): AgentFolder[] =>
    folders.map((folder) => ({ path: path.join(folder, 'agents'), source, within }));
  return [
    ...named([managedDir()], 'managed'),
    ...(sources.includes('project') ? named(project, 'project', root) : []),
    ...named(own, 'user'),
    ...plugins.map(
      (plugin): AgentFolder => ({
        path: path.join(plugin.path, 'agents'),
        within: plugin.path,
        source: 'plugin',
        plugin: plugin.name,
      }),
    ),
  ];
}

async function readFolder(folder: AgentFolder, places: AgentFilePlaces): Promise<AgentFiles> {
  const { path: top, within, source } = folder;
  const owner = source === 'plugin' ? 'plugin' : 'project';
  const { isDenied, isOwnDenied = isDenied } = places;
  const isOwn = source === 'managed' || source === 'user';
  const files = new GuardedFiles({ within, owner, isDenied: isOwn ? isOwnDenied : isDenied });
  const reader = new MarkdownReader(within === undefined ? undefined : MAX_YAML_HEADERS);
  const found = files.markdownFiles(top, MAX_FILES + 1);
  const read = await Promise.all(
    found.slice(0, MAX_FILES).map((at) => readAgentFile(at, { files, reader }, folder, places)),
  );
  const most = found.length > MAX_FILES ? [`${top}: only ${MAX_FILES} files are read.`] : [];
  return {
    definitions: read.flatMap(({ definitions }) => definitions),
    problems: [...files.problems, ...read.flatMap(({ problems }) => problems), ...most],
    leftOut: read.flatMap(({ leftOut }) => leftOut),
    hidden: [],
  };
}

/**
 * Returns what counts of an agent of a project without trust. It is an allow-list, so a new field is left out. Hooks and servers run
 * programs, memory writes files, `effort` raises the cost of each request, and a provider receives the conversation.
 */
function withoutTrust({
  name,
  description,
  prompt,
  tools,
  disallowedTools,
  permissionMode,
  maxTurns,
  maxBudgetUsd,
  isBackground,
  isolation,
  skills,
  mcpServers,
  initialPrompt,
  color,
  source,
  file,
  model,
}: AgentDefinition): AgentDefinition {
  return {
    name,
    description,
    prompt,
    tools,
    disallowedTools,
    permissionMode,
    maxTurns,
    maxBudgetUsd,
    isBackground,
    isolation,
    skills,
    mcpServers,
    initialPrompt,
    color,
    source,
    file,
    isUntrusted: true,
    ...(model !== undefined && PLAIN_MODEL_NAME.test(model) ? { model } : {}),
  };
}

/** Names without a provider. They count only in a conversation with Anthropic. */
const PLAIN_MODEL_NAME = /^(inherit|sonnet|opus|haiku|claude-[\w.-]+)$/i;

const NOTHING: AgentFiles = { definitions: [], problems: [], leftOut: [], hidden: [] };

async function readAgentFile(
  at: GuardedPath,
  { files, reader }: { readonly files: GuardedFiles; readonly reader: MarkdownReader },
  { source, plugin }: AgentFolder,
  places: AgentFilePlaces,
): Promise<AgentFiles> {
  const file = at.path;
  const read = files.read(at, MAX_FILE_BYTES);
  if (read === undefined) return NOTHING;
  if (read.size > MAX_FILE_BYTES)
    return { ...NOTHING, problems: [`${file}: larger than ${MAX_FILE_BYTES} bytes, ignored.`] };
  const markdown = await reader.read(read.text);
  if ('rejected' in markdown)
    return { ...NOTHING, problems: [`${file}:${markdown.rejected.line}: ${markdown.rejected.message}`] };
  const { fields, body, problems: wrongLines } = markdown;
  const { name: given } = fields;
  const own = typeof given === 'string' && given !== '' ? given : path.basename(file, '.md');
  const name = plugin === undefined ? own : `${plugin}:${own}`;
  const placeOf = (key: string): string => `${file}:${lineOfKey(read.text, key)}`;
  const decoded = decodeAgent({ ...fields, prompt: body }, { name, source, file, placeOf });
  const problems = [
    ...[...unreadableText(read), ...wrongLines].map(({ line, message }) => `${file}:${line}: ${message}`),
    ...decoded.problems,
  ];
  const { definition } = decoded;
  if (!definition) return { ...NOTHING, problems };
  if (source !== 'project' || trustsProject(places))
    return { ...NOTHING, definitions: [definition], problems };
  const careful = withoutTrust(definition);
  const kept: ReadonlyMap<string, unknown> = new Map(Object.entries(careful));
  const isWhole = Object.entries(definition).every(([field, value]) => kept.get(field) === value);
  return { ...NOTHING, definitions: [careful], problems, leftOut: isWhole ? [] : [name] };
}
