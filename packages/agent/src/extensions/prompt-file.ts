/** Skills and slash commands: Markdown files that become prompts. Both are read by one function; a skill is a folder with `SKILL.md`. */
import { EFFORTS, isRecord } from '@heddle/core';
import path from 'node:path';
import { type FileProblem, lineOfKey, MarkdownReader } from './frontmatter.ts';

/** The content of a header, with the place of its file. Plain data: the index of prompt files stores it. */
export interface PromptFile {
  readonly kind: 'skill' | 'command';
  /** As typed after the slash; a plugin's has the form `plugin:name`. */
  readonly name: string;
  /** The name with the folders of a command: `git:commit` for `commands/git/commit.md`. It works, too. */
  readonly longName: string | undefined;
  readonly description: string;
  readonly whenToUse: string | undefined;
  readonly argumentHint: string | undefined;
  /** Names of positional arguments, for `$name`. */
  readonly argumentNames: readonly string[];
  /** Rules that allow calls while the prompt is active. */
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model: string | undefined;
  readonly effort: string | undefined;
  /** The model may use it by itself. */
  readonly isForModel: boolean;
  /** The user may type it. */
  readonly isForUser: boolean;
  /** Runs in a context of its own. */
  readonly isForked: boolean;
  readonly agent: string | undefined;
  readonly hooks: unknown;
  /** It applies only when files matching these patterns are in use. */
  readonly paths: readonly string[];
  readonly shell: string | undefined;
  readonly file: string;
  readonly folder: string;
  readonly scope: PromptFileScope;
  /** The folder of its plugin. */
  readonly pluginFolder?: string | undefined;
  /** A link that leads out of this folder is not followed. Undefined: links may lead anywhere. */
  readonly within?: string | undefined;
}

/** Checks a stored file: every field that the program uses. Written out, because each start checks every file. */
export function isPromptFile(value: unknown): value is PromptFile {
  if (!isRecord(value)) return false;
  const { kind, name, description, file, folder, scope, model, effort, agent } = value;
  const { argumentNames, allowedTools, disallowedTools, paths } = value;
  return (
    (kind === 'skill' || kind === 'command') &&
    typeof name === 'string' &&
    typeof description === 'string' &&
    typeof file === 'string' &&
    typeof folder === 'string' &&
    typeof scope === 'string' &&
    (model === undefined || typeof model === 'string') &&
    (effort === undefined || typeof effort === 'string') &&
    (agent === undefined || typeof agent === 'string') &&
    Array.isArray(argumentNames) &&
    Array.isArray(allowedTools) &&
    Array.isArray(disallowedTools) &&
    Array.isArray(paths)
  );
}

/** A file whose text was read, too. */
export interface LoadedPrompt extends PromptFile {
  readonly body: string;
}

type PromptFileScope = 'managed' | 'user' | 'project' | 'plugin';

/** A folder that may contain `skills/` and `commands/`: `~/.claude`, `.heddle`, a plugin. */
export interface ExtensionRoot {
  readonly folder: string;
  readonly scope: PromptFileScope;
  readonly plugin?: string | undefined;
  /** A link that leads out of this folder is not followed. Undefined: links may lead anywhere. */
  readonly within?: string | undefined;
}

export interface PromptFilePlace {
  readonly kind: 'skill' | 'command';
  readonly file: string;
  /** The name that its place gives it: the folder of a skill, the file of a command. */
  readonly name: string;
  readonly scope: PromptFileScope;
  /** The folders between `commands` and the file. */
  readonly folders?: readonly string[] | undefined;
  readonly plugin?: string | undefined;
  readonly pluginFolder?: string | undefined;
  readonly within?: string | undefined;
}

interface PromptFileRead {
  /** Undefined if the file is not used. */
  readonly promptFile: LoadedPrompt | undefined;
  readonly problems: readonly FileProblem[];
}

/** A file without `context` joins the conversation. `inline` says the same. */
const CONTEXTS = ['fork', 'inline'];

/** Longest description that the Agent Skills standard allows, and longest name. */
const MAX_DESCRIPTION = 1_024;
const MAX_NAME = 64;
const STANDARD_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Never rejects: a file with problems loads as far as it can be understood, unless its header is too long. */
export async function readPromptFile(
  place: PromptFilePlace,
  text: string,
  reader = new MarkdownReader(),
): Promise<PromptFileRead> {
  const file = await reader.read(text);
  if ('rejected' in file) return { promptFile: undefined, problems: [file.rejected] };
  const { fields, body, problems: syntax } = file;
  const problems: FileProblem[] = [...syntax];
  const report: Report = (key, message) => {
    problems.push({ line: lineOfKey(text, key), message });
  };
  const { string, boolean, texts, choice } = fieldReaders(fields, report);
  const named = string('name');
  const description = string('description') ?? firstParagraph(body);
  // A header that could not be found was reported.
  const hasHeader = syntax.length === 0 || Object.keys(fields).length > 0;
  if (place.kind === 'skill' && hasHeader) checkStandard(place.name, named, string('description'), report);
  const name = place.kind === 'skill' ? (named ?? place.name) : place.name;
  const hooks = fields['hooks'] ?? undefined;
  if (hooks !== undefined && !isRecord(hooks)) report('hooks', 'hooks is not an object.');
  const spellingOf = (key: string, other: string): string => (fields[key] === undefined ? other : key);
  const plugin = place.plugin === undefined ? [] : [place.plugin];
  const { folders = [] } = place;
  return {
    problems,
    promptFile: {
      kind: place.kind,
      name: [...plugin, name].join(':'),
      longName: folders.length === 0 ? undefined : [...plugin, ...folders, name].join(':'),
      description,
      whenToUse: string('when_to_use') ?? string('when-to-use'),
      argumentHint: string('argument-hint'),
      argumentNames: texts('arguments', listOf),
      allowedTools: texts(spellingOf('allowed-tools', 'allowedTools'), toolList),
      disallowedTools: texts(spellingOf('disallowed-tools', 'disallowedTools'), toolList),
      model: string('model'),
      effort: choice('effort', EFFORTS),
      // Without a description, the model cannot know what a command is for.
      isForModel:
        !boolean('disable-model-invocation', false) &&
        (place.kind === 'skill' || string('description') !== undefined),
      isForUser: boolean('user-invocable', true),
      isForked: choice('context', CONTEXTS) === 'fork',
      agent: string('agent'),
      hooks,
      paths: texts('paths', listOf),
      shell: string('shell'),
      body,
      file: place.file,
      folder: path.dirname(place.file),
      scope: place.scope,
      pluginFolder: place.pluginFolder,
      within: place.within,
    },
  };
}

type Report = (key: string, message: string) => void;

/** The readers of header fields. A value of another type is reported, and the field counts as missing. */
function fieldReaders(fields: Readonly<Record<string, unknown>>, report: Report) {
  const string = (key: string): string | undefined => {
    const value = fields[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    // YAML reads `argument-hint: [file]` as a list.
    if (Array.isArray(value)) return `[${value.join(', ')}]`;
    report(key, `${key} is not text.`);
    return undefined;
  };
  const boolean = (key: string, otherwise: boolean): boolean => {
    const value = fields[key];
    if (value === undefined || value === null) return otherwise;
    if (typeof value === 'boolean') return value;
    if (value === 'true' || value === 'false') return value === 'true';
    report(key, `${key} is not true or false.`);
    return otherwise;
  };

  const texts = (key: string, read: (value: unknown) => readonly string[]): readonly string[] => {
    const value = fields[key];
    const isList = value === undefined || value === null || typeof value === 'string' || Array.isArray(value);
    if (!isList) report(key, `${key} is not a list.`);
    return read(value);
  };
  const choice = (key: string, known: readonly string[]): string | undefined => {
    const value = string(key);
    if (value === undefined || known.includes(value)) return value;
    report(key, `${key} is not one of ${known.join(', ')}; it is ignored.`);
    return undefined;
  };
  return { string, boolean, texts, choice };
}

function checkStandard(
  folder: string,
  name: string | undefined,
  description: string | undefined,
  report: Report,
): void {
  if (name === undefined) report('name', `The skill has no name; the name of its folder is used: ${folder}.`);
  else if (name.length > MAX_NAME || !STANDARD_NAME.test(name))
    report(
      'name',
      `The name ${JSON.stringify(name)} is not made of lowercase letters, digits and single hyphens.`,
    );
  else if (name !== folder)
    report('name', `The name ${name} differs from the name of its folder, ${folder}.`);
  if (description === undefined)
    report('description', 'The skill has no description; its first paragraph is used.');
  else if (description.length > MAX_DESCRIPTION)
    report('description', `The description is longer than ${MAX_DESCRIPTION} characters.`);
}

/** A list, or text with commas or spaces between the items. */
function listOf(value: unknown): readonly string[] {
  if (Array.isArray(value))
    return value.filter((item) => typeof item === 'string' || typeof item === 'number').map(String);
  if (typeof value !== 'string') return [];
  return value
    .split(value.includes(',') ? ',' : /\s+/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Like `listOf`, but commas and spaces inside parentheses belong to a rule: `Bash(git add:*), Read`. */
export function toolList(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string').flatMap(toolList);
  if (typeof value !== 'string') return [];
  return value.match(/[^\s,(]+(?:\([^)]*\)?)?/g) ?? [];
}

function firstParagraph(body: string): string {
  const paragraph = body
    .split(/\n\s*\n/)
    .map((text) =>
      text
        .replace(/^#+\s*/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .find((text) => text !== '');
  return (paragraph ?? '').slice(0, MAX_DESCRIPTION);
}
