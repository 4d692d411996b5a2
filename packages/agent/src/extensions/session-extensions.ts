/** The skills and slash commands of one session: lists them, turns a typed command into a prompt, and loads skills for the model. */
import { type Attachment, type Message, text, type UserMessage } from '@heddle/core';
import { BUILT_IN_PROMPTS } from './built-in.ts';
import { discoverPromptFiles, type ExtensionRoot } from './discover.ts';
import { expandPrompt } from './expand-prompt.ts';
import type { PromptFile } from './prompt-file.ts';
import { skillList } from './skill-list.ts';

type Content = UserMessage['content'];

export interface ExtensionDeps {
  readonly roots: readonly ExtensionRoot[];
  /** Whether rules, models and effort in files of the project count. Texts always do. */
  readonly trustsProject: boolean;
  readonly sessionId: string;
  /** The model and the effort of the conversation now. */
  readonly effort: () => string | undefined;
  /** Characters for the list of skills. */
  readonly listBudget: () => number;
  readonly messages: () => Iterable<Message>;
  /** Runs a command of a file under the permissions of the session. Rejects if it may not run or fails. */
  readonly runCommand: (command: string, signal: AbortSignal) => Promise<string>;
  /** Adds rules until the returned function is called. */
  readonly grant: (rules: ToolRules) => () => void;
}

/** Rules of an active file. */
interface ToolRules {
  readonly file: string;
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Uses the model and the effort of a file until the returned function is called. */
export type UseModel = (file: PromptFile) => Promise<() => void>;

export interface LoadedSkill {
  readonly name: string;
  readonly text: string;
}

/** Characters of a skill that a compaction keeps. */
const MAX_KEPT = 20_000;

const NOT_TRUSTED = 'commands of a folder that is not trusted do not run';

export class SessionExtensions {
  readonly #deps: ExtensionDeps;
  #files: readonly PromptFile[] = [];
  #problems: readonly string[] = [];
  /** Undo what an active command or skill changed. */
  readonly #undo: (() => void)[] = [];
  readonly #used = new Map<string, string>();
  /** The list of skills that the model received last. Undefined: look it up in the conversation. */
  #listed: { readonly text: string | undefined } | undefined;

  constructor(deps: ExtensionDeps) {
    this.#deps = deps;
  }

  /** Reads all files. Never rejects. */
  async load(): Promise<this> {
    const { promptFiles, problems } = await discoverPromptFiles(this.#deps.roots);
    this.#files = promptFiles;
    this.#problems = problems;
    return this;
  }

  get files(): readonly PromptFile[] {
    return this.#files;
  }

  /** Sentences that name file and line. */
  get problems(): readonly string[] {
    return this.#problems;
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
    this.#files = this.#files.map((file) =>
      file.kind !== 'skill' || names.includes(file.name) ? file : { ...file, isForModel: false },
    );
  }

  get hasSkills(): boolean {
    return this.#files.some(({ isForModel }) => isForModel);
  }

  /** The file that a user means with `/name`. */
  commandNamed(name: string): PromptFile | undefined {
    return this.#named(name, ({ isForUser }) => isForUser);
  }

  /** The content of a prompt, with the text of the command that it starts with. */
  async expand(content: Content, signal: AbortSignal, useModel: UseModel): Promise<Content> {
    // A prompt may follow a compaction or a rewind.
    this.#listed = undefined;
    const [first, ...others] = typeof content === 'string' ? [text(content)] : content;
    const typed = first?.type === 'text' ? first.text.trim() : '';
    const [, name = '', words = ''] = COMMAND_LINE.exec(typed) ?? [];
    const file = name === '' ? undefined : this.commandNamed(name);
    if (file === undefined) return content;
    if (this.#mayChange(file)) this.#undo.push(await useModel(file));
    const body = await this.#bodyOf(file, words, signal);
    return [text(typed), text(`${introductionOf(file)}\n\n${body}`), ...others];
  }

  /** Loads a skill for the model. Undefined if there is no such skill. */
  async loadSkill(name: string, words: string, signal: AbortSignal): Promise<LoadedSkill | undefined> {
    const file = this.#named(name.replace(/^\//, ''), ({ isForModel }) => isForModel);
    if (file === undefined) return undefined;
    return { name: file.name, text: `${introductionOf(file)}\n\n${await this.#bodyOf(file, words, signal)}` };
  }

  /** The list of skills, if the model does not have it or has another one. */
  news(): readonly Attachment[] {
    const list = skillList(this.#files, this.#deps.listBudget());
    this.#listed ??= { text: lastListIn(this.#deps.messages()) };
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

  /** The prompt has ended. Grants and models of its commands and skills end with it. */
  release(): void {
    for (const undo of this.#undo.splice(0).toReversed()) undo();
  }

  async #bodyOf(file: PromptFile, words: string, signal: AbortSignal): Promise<string> {
    const allow = this.#mayChange(file) ? file.allowedTools : [];
    this.#undo.push(this.#deps.grant({ file: file.file, allow, deny: file.disallowedTools }));
    const { sessionId, effort, runCommand } = this.#deps;
    const given = { text: words, sessionId, effort: effort() };
    const run = (command: string): Promise<string> =>
      this.#mayChange(file) ? runCommand(command, signal) : Promise.reject(new Error(NOT_TRUSTED));
    const body = await expandPrompt(file, given, run);
    if (file.kind === 'skill') this.#used.set(file.name, body);
    return body;
  }

  /** A project that is not trusted gives no permissions, chooses no model and runs no command. */
  #mayChange({ scope }: PromptFile): boolean {
    return scope !== 'project' || this.#deps.trustsProject;
  }

  #named(name: string, isUsable: (file: PromptFile) => boolean): PromptFile | undefined {
    const wanted = name.toLowerCase();
    // A built-in prompt cannot be replaced by a file of a project.
    const usable = [...BUILT_IN_PROMPTS, ...this.#files].filter(isUsable);
    return (
      usable.find((file) => file.name.toLowerCase() === wanted) ??
      usable.find(({ longName }) => longName?.toLowerCase() === wanted)
    );
  }
}

const COMMAND_LINE = /^\/([^\s/]+)(?:\s+([^]*))?$/;

function introductionOf({ kind, name, folder }: PromptFile): string {
  return kind === 'skill'
    ? `The skill ${name}. Its folder is ${folder}; relative paths in it start there. Follow it:`
    : `The command /${name} asks for this:`;
}

function lastListIn(messages: Iterable<Message>): string | undefined {
  const lists = Array.from(messages).flatMap((message) =>
    message.type === 'attachment' && message.attachment.kind === 'skills' ? [message.attachment.text] : [],
  );
  return lists.findLast((list) => list.startsWith('These skills'));
}
