/** The skills and slash commands of one session: lists them, turns a typed command into a prompt, and loads skills for the model. */
import path from 'node:path';
import {
  type Attachment,
  type CallContext,
  type EntryBody,
  isToolUse,
  type Json,
  type Message,
  text,
  type ToolUseContext,
  type TurnModel,
  type UsedCommand,
  type UserMessage,
} from '@heddle/core';
import { PROJECT_FOLDERS } from '../settings/scopes.ts';
import { BUILT_IN_PROMPTS } from './built-in.ts';
import { discoverPromptFiles, readBody } from './discover.ts';
import { expandPrompt, isPowerShell } from './expand-prompt.ts';
import { matchesPaths } from './path-match.ts';
import type { ExtensionRoot, LoadedPrompt, PromptFile } from './prompt-file.ts';
import type { PromptIndex } from './prompt-index.ts';
import { skillList } from './skill-list.ts';

type Content = UserMessage['content'];

export interface ExtensionDeps {
  readonly cwd: string;
  readonly roots: readonly ExtensionRoot[];
  /** Makes starts faster. Undefined: every file is read. */
  readonly index?: PromptIndex | undefined;
  /** The files that rules forbid to read now. They are not read through links. */
  readonly deniedFiles?: (() => Promise<(file: string) => boolean>) | undefined;
  /** Whether rules, models, hooks and commands in a file of the project count. Texts always do. */
  readonly trustsFile: (file: string) => boolean;
  readonly sessionId: string;
  /** The model and the effort of the conversation now. */
  readonly effort: () => string | undefined;
  /** Characters for the list of skills. */
  readonly listBudget: () => number;
  readonly messages: () => Iterable<Message>;
  /** Returns the reason if a rule denies a file that the user names. Undefined: no rule denies it. */
  readonly refusalOf?: ((file: PromptFile, words: string) => Promise<string | undefined>) | undefined;
  /** Runs a command of a file under the permissions of the agent that uses it. Rejects if it may not run or fails. */
  readonly runCommand: (command: string, use: CommandUse) => Promise<string>;
  /** Adds rules until the returned function is called. */
  readonly grant: (rules: ToolRules) => () => void;
  /** Adds the hooks of a file until the returned function is called. */
  readonly addHooks: (file: PromptFile) => () => void;
  /** Gives the text of a file to a subagent. Undefined if this session has no subagents. Rejects if its type is unknown. */
  readonly runForked: (forked: ForkedPrompt, call: PromptCall) => Promise<ForkedReport | undefined>;
  /** The folders with skills beside a file that the model touched, below the working folder. The strongest first. */
  readonly rootsFor: (file: string) => readonly ExtensionRoot[];
  /** The model and the effort that a header names, as far as they can be used. Undefined if it names none. */
  readonly turnModelOf: (file: PromptFile) => Promise<TurnModel | undefined>;
}

interface ForkedPrompt {
  readonly file: PromptFile;
  readonly text: string;
  /** Undefined: the model of the conversation. */
  readonly model: string | undefined;
  /** Undefined: the effort of the agent, or of the conversation. */
  readonly effort: string | undefined;
}

interface ForkedReport {
  readonly isError: boolean;
  readonly text: string;
}

/** The use of a file: by the user, or by a call of the model. */
export interface PromptCall {
  readonly signal: AbortSignal;
  /** The subagent that uses the file. Commands in it are calls of this subagent. Undefined: the conversation uses it. */
  readonly agentId?: string | undefined;
  /** Undefined if the user typed the command. */
  readonly byModel?:
    | (Pick<CallContext, 'toolUseId' | 'tools'> & { readonly onProgress: (data: Json) => void })
    | undefined;
}

/** The use of a file whose command runs. */
interface CommandUse extends Pick<PromptCall, 'signal' | 'agentId'> {
  /** Rules that count for this command alone. Undefined: the rules of the file apply to the whole session. */
  readonly rules: ToolRules | undefined;
}

/** Rules of an active file. */
export interface ToolRules {
  readonly file: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Uses the model and the effort of a file until the returned function is called. */
export type UseModel = (file: PromptFile) => Promise<() => void>;

interface ExpandedContent {
  readonly content: Content;
  /** Undefined: the prompt uses no command. */
  readonly usedCommand?: UsedCommand;
}

export interface LoadedSkill {
  readonly name: string;
  readonly text: string;
  /** Undefined: the conversation keeps its model and effort. */
  readonly turnModel: TurnModel | undefined;
}

/** Characters of a skill that a compaction keeps. */
const MAX_KEPT = 20_000;

const NOT_TRUSTED = 'commands of a folder that is not trusted do not run';
const OF_SUBFOLDER = 'commands in skills of a subfolder do not run';

export class SessionExtensions {
  readonly #deps: ExtensionDeps;
  #files: readonly PromptFile[] = [];
  #problems: readonly string[] = [];
  readonly #added: ExtensionRoot[] = [];
  /** The only skills that the model may use. Undefined for all. */
  #onlySkills: ReadonlySet<string> | undefined;
  /** Undo what an active command or skill changed. */
  readonly #undo: (() => void)[] = [];
  readonly #used = new Map<string, string>();
  /** Files that the model touched, and folders whose skills were added because of them. */
  readonly #seen = new Set<string>();
  readonly #roots = new Map<string, ExtensionRoot>();
  /** The files of these folders. They give text only: trust in a project does not cover the code of others in it. */
  readonly #ofSubfolders = new Set<string>();
  /** Skills for some paths, of which one was touched. */
  readonly #reached = new Set<string>();
  /** The list of skills that the model received last. Undefined: look it up in the conversation. */
  #listed: { readonly text: string | undefined } | undefined;

  constructor(deps: ExtensionDeps) {
    this.#deps = deps;
  }

  /** Reads all files. Never rejects. */
  async load(): Promise<this> {
    const roots = [...this.#deps.roots, ...this.#added];
    const { promptFiles, problems } = await discoverPromptFiles(roots, {
      index: this.#deps.index,
      isDenied: await this.#deps.deniedFiles?.(),
    });
    this.#files = promptFiles.map((file) => this.#limited(file));
    this.#problems = problems;
    if (this.#roots.size > 0) await this.#addFiles([...this.#roots.values()]);
    return this;
  }

  /** Adds folders, such as those of plugins that a host names later. Reads all files again. Never rejects. */
  async addRoots(roots: readonly ExtensionRoot[]): Promise<void> {
    this.#added.push(...roots);
    await this.load();
  }

  get files(): readonly PromptFile[] {
    return this.#files;
  }

  /** Sentences that name file and line. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** The names of files whose hooks do not run, because the project is not trusted. */
  get leftOutHooks(): readonly string[] {
    return this.#files
      .filter((file) => file.hooks !== undefined && !this.#mayChange(file))
      .map(({ name }) => name);
  }

  /** The names of files whose rules, model or effort do not count, because the project is not trusted. */
  get leftOut(): readonly string[] {
    return this.#files
      .filter((file) => !this.#mayChange(file))
      .filter(({ allowedTools, model, effort }) => allowedTools.length > 0 || (model ?? effort) !== undefined)
      .map(({ name }) => name);
  }

  /** A host names the only skills that the model may use. */
  limitSkills(names: readonly string[]): void {
    this.#onlySkills = new Set(names);
    this.#files = this.#files.map((file) => this.#limited(file));
  }

  #limited(file: PromptFile): PromptFile {
    const isAllowed = file.kind !== 'skill' || this.#onlySkills?.has(file.name) !== false;
    return isAllowed ? file : { ...file, isForModel: false };
  }

  get hasSkills(): boolean {
    return this.#files.some(({ isForModel }) => isForModel);
  }

  /** The file that a user means with `/name`. */
  commandNamed(name: string): PromptFile | undefined {
    return this.#named(name, ({ isForUser }) => isForUser);
  }

  /** The content of a prompt, with the text of the command that it starts with. A command that a rule denies is not used. */
  async expand(content: Content, signal: AbortSignal, useModel: UseModel): Promise<ExpandedContent> {
    // A prompt may follow a compaction or a rewind.
    this.#listed = undefined;
    // A resumed session lists the skills that joined before.
    if (this.#seen.size === 0) await this.#addFor(pathsIn(this.#deps.messages(), this.#deps.cwd));
    const [first, ...others] = typeof content === 'string' ? [text(content)] : content;
    const typed = first?.type === 'text' ? first.text.trim() : '';
    const [, name = '', words = ''] = COMMAND_LINE.exec(typed) ?? [];
    const file = name === '' ? undefined : this.commandNamed(name);
    if (file === undefined) return { content };
    const refusal = await this.#deps.refusalOf?.(file, words);
    if (refusal !== undefined) return { content: [text(typed), text(refusal), ...others] };
    if (this.#mayChange(file) && !file.isForked) this.#undo.push(await useModel(file));
    const body = text(await this.#textOf(file, words, { signal }));
    return { content: [text(typed), body, ...others], usedCommand: { name, words } };
  }

  /** The skill or command that the model means. */
  skillNamed(name: string): PromptFile | undefined {
    return this.#named(name.replace(/^\//, ''), ({ isForModel }) => isForModel);
  }

  /** Loads a skill for the model. Undefined if there is no such skill. */
  async loadSkill(name: string, words: string, call: PromptCall): Promise<LoadedSkill | undefined> {
    const file = this.skillNamed(name);
    if (file === undefined) return undefined;
    const isInline = call.byModel !== undefined && !file.isForked;
    const turnModel = isInline && this.#mayChange(file) ? await this.#deps.turnModelOf(file) : undefined;
    return { name: file.name, text: await this.#textOf(file, words, call), turnModel };
  }

  /** Adds skills for files that the model touched: those of their folders, and those whose `paths` match. */
  async discover({ fileState }: Pick<ToolUseContext, 'fileState'>): Promise<readonly Attachment[]> {
    return (await this.#addFor(fileState.paths())) ? this.news() : [];
  }

  /** Returns whether a file is new. */
  async #addFor(files: readonly string[]): Promise<boolean> {
    const touched = files.filter((file) => !this.#seen.has(file));
    if (touched.length === 0) return false;
    const roots: ExtensionRoot[] = [];
    for (const file of touched) {
      this.#seen.add(file);
      roots.push(...this.#deps.rootsFor(file).filter(({ folder }) => !this.#roots.has(folder)));
      for (const root of roots) this.#roots.set(root.folder, root);
    }
    if (roots.length > 0) await this.#addFiles(roots);
    for (const { paths, file: skill, scope } of this.#files) {
      if (paths.length === 0 || this.#reached.has(skill)) continue;
      const where = { base: scope === 'project' ? projectOf(skill) : this.#deps.cwd, patterns: paths };
      for (const file of this.#seen) if (await matchesPaths(where, file)) this.#reached.add(skill);
    }
    return true;
  }

  /** A file that has the name of an earlier one is left out. */
  async #addFiles(roots: readonly ExtensionRoot[]): Promise<void> {
    const { promptFiles, problems } = await discoverPromptFiles(roots, {
      isDenied: await this.#deps.deniedFiles?.(),
    });
    const names = new Set(this.#files.map(({ name }) => name));
    for (const { file } of promptFiles) this.#ofSubfolders.add(file);
    const added = promptFiles.filter(({ name }) => !names.has(name)).map((file) => this.#limited(file));
    this.#files = [...this.#files, ...added];
    this.#problems = [...this.#problems, ...problems];
  }

  /** The list of skills, if the model does not have it or has another one. */
  news(): readonly Attachment[] {
    this.#listed ??= { text: lastListIn(this.#deps.messages()) };
    const files = this.#files.filter((file) => file.paths.length === 0 || this.#reached.has(file.file));
    const list = skillList(files, this.#deps.listBudget());
    if (list === undefined || list === this.#listed.text) return [];
    this.#listed = { text: list };
    return [{ kind: 'skills', text: list }];
  }

  /** A compaction replaced the messages, and with them the list. */
  forgetList(): void {
    this.#listed = undefined;
  }

  /** The skills in use, for the handoff of a compaction. */
  get standing(): readonly Attachment[] {
    return Array.from(this.#used, ([name, body]) => ({
      kind: 'skills',
      text: `The skill ${name} is in use:\n\n${body.slice(0, MAX_KEPT)}`,
    }));
  }

  /** The conversation was emptied, and the skills in use with it. */
  forgetUsed(): void {
    this.#used.clear();
    this.#listed = undefined;
  }

  /** A prompt that was cut off continues: the rules and hooks of its command and its skills apply again. */
  async activateUsed(run: readonly EntryBody[]): Promise<void> {
    const { command, skills } = usedIn(run);
    const typed = command === undefined ? undefined : this.commandNamed(command.name);
    const loaded = skills.map((name) => this.#named(name, ({ isForModel }) => isForModel));
    for (const file of new Set([typed, ...loaded])) {
      if (file === undefined) continue;
      const refusal = await this.#deps.refusalOf?.(file, (file === typed && command?.words) || '');
      if (refusal === undefined) this.#activate(file);
    }
  }

  /** Until the prompt ends. */
  #activate(file: PromptFile): void {
    const allow = this.#mayChange(file) ? file.allowedTools : [];
    this.#undo.push(this.#deps.grant({ file: file.file, allow, deny: file.disallowedTools }));
    this.#addHooks(file);
  }

  #addHooks(file: PromptFile): void {
    if (file.hooks !== undefined && this.#mayChange(file)) this.#undo.push(this.#deps.addHooks(file));
  }

  /** The prompt has ended. Grants and models of its commands and skills end with it. */
  release(): void {
    for (const undo of this.#undo.splice(0).toReversed()) undo();
    this.#deps.index?.save();
  }

  /** The text for the model: the file itself, or the report of a subagent that followed it. */
  async #textOf(file: PromptFile, words: string, call: PromptCall): Promise<string> {
    const body = await this.#bodyOf(file, words, call);
    const { model, effort }: Partial<PromptFile> = this.#mayChange(file) ? file : {};
    // A subagent follows the text itself. Another subagent of the conversation would not have its limits.
    const report =
      file.isForked && call.agentId === undefined
        ? await this.#deps.runForked({ file, text: body, model, effort }, call)
        : undefined;
    if (report)
      return `${file.kind === 'skill' ? 'The skill' : 'The command'} ${file.name} ran in a context of its own and ${report.isError ? 'failed' : 'ended'}. Its report:\n\n${report.text}`;
    if (file.kind === 'skill') this.#used.set(file.name, body);
    return `${introductionOf(file)}\n\n${body}`;
  }

  async #bodyOf(file: PromptFile, words: string, { signal, agentId }: PromptCall): Promise<string> {
    const allow = this.#mayChange(file) ? file.allowedTools : [];
    const isOfSubagent = agentId !== undefined;
    // The rules of a file that a subagent uses are for the commands in its text. Another agent may work at the same time.
    const rules = isOfSubagent ? { file: file.file, allow, deny: [] } : undefined;
    const granted = { file: file.file, allow: isOfSubagent ? [] : allow, deny: file.disallowedTools };
    this.#undo.push(this.#deps.grant(granted));
    this.#addHooks(file);
    const { sessionId, effort, runCommand } = this.#deps;
    const given = { text: words, sessionId, effort: effort() };
    const run = (command: string): Promise<string> =>
      this.#mayChange(file)
        ? runCommand(commandFor(file.shell, command), { signal, agentId, rules })
        : Promise.reject(new Error(this.#ofSubfolders.has(file.file) ? OF_SUBFOLDER : NOT_TRUSTED));
    return expandPrompt(withBody(file, await this.#deps.deniedFiles?.()), given, run);
  }

  /** A project that is not trusted gives no permissions, chooses no model and runs no command. Nor does a subfolder. */
  #mayChange({ scope, file }: PromptFile): boolean {
    return scope !== 'project' || (!this.#ofSubfolders.has(file) && this.#deps.trustsFile(file));
  }

  #named(name: string, isUsable: (file: PromptFile) => boolean): PromptFile | undefined {
    const wanted = name.toLowerCase();
    // A built-in prompt cannot be replaced by a file of a project.
    const usable = [...BUILT_IN_PROMPTS, ...this.#files].filter(isUsable);
    const named = usable.filter((file) => file.name.toLowerCase() === wanted);
    const known = [...named, ...usable.filter(({ longName }) => longName?.toLowerCase() === wanted)];
    // A file of a project cannot take the place of the user's `/git:commit` either.
    return known.find(({ scope }) => scope !== 'project') ?? known[0];
  }
}

function withBody(file: PromptFile | LoadedPrompt, isDenied?: (file: string) => boolean): LoadedPrompt {
  if ('body' in file) return file;
  return { ...file, body: readBody(file, isDenied) ?? `[The file ${file.file} cannot be read any more.]` };
}

/** The folder of the project that a file in `.claude` or `.heddle` belongs to. */
function projectOf(file: string): string {
  const parts = file.split(path.sep);
  const at = parts.findLastIndex((part) => PROJECT_FOLDERS.some((name) => name === part));
  return parts.slice(0, at).join(path.sep) || path.sep;
}

/** `shell: powershell` in the header. Every other command is one of the shell that Bash uses. */
function commandFor(shell: string | undefined, command: string): string {
  if (!isPowerShell(shell)) return command;
  return `pwsh -NoProfile -NonInteractive -Command '${command.replaceAll("'", `'\\''`)}'`;
}

const COMMAND_LINE = /^\/([^\s/]+)(?:\s+([^]*))?$/;

function introductionOf({ kind, name, folder }: PromptFile): string {
  return kind === 'skill'
    ? `The skill ${name}. Its folder is ${folder}; relative paths in it start there. Follow it:`
    : `The command /${name} asks for this:`;
}

/** The files that calls in the conversation name. */
function pathsIn(messages: Iterable<Message>, cwd: string): readonly string[] {
  return Array.from(messages).flatMap((message) =>
    message.type === 'assistant'
      ? message.content
          .filter(isToolUse)
          .flatMap(({ input: { file_path: file } }) =>
            typeof file === 'string' ? [path.resolve(cwd, file)] : [],
          )
      : [],
  );
}

/**
 * The command of the prompt of a run, and the names of the skills that the model has loaded in it. Only records of the program count:
 * messages may be those of another agent, of a file or of a host, and then no rule was asked about them.
 */
function usedIn(run: readonly EntryBody[]): {
  readonly command: UsedCommand | undefined;
  readonly skills: readonly string[];
} {
  const [prompt] = run;
  const succeeded = new Set(
    run.flatMap((entry) => (entry.type === 'outcome' && !entry.isError ? [entry.toolUseId] : [])),
  );
  const skills = run.flatMap((entry) =>
    entry.type === 'intent' && entry.tool === 'Skill' && succeeded.has(entry.toolUseId)
      ? (entry.input['skill'] ?? entry.input['name'] ?? entry.input['command'] ?? [])
      : [],
  );
  return {
    command: prompt?.type === 'user' ? prompt.message.usedCommand : undefined,
    skills: skills.filter((name) => typeof name === 'string'),
  };
}

function lastListIn(messages: Iterable<Message>): string | undefined {
  const lists = Array.from(messages).flatMap((message) =>
    message.type === 'attachment' && message.attachment.kind === 'skills' ? [message.attachment.text] : [],
  );
  return lists.findLast((list) => list.startsWith('These skills'));
}
