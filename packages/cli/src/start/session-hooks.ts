/** The hooks of a session: those of the settings, and the callbacks that a host adds. */
import type { AgentHooks } from '@heddle/agent';
import {
  agentHandler,
  type AskJudge,
  createAgentHooks,
  type DeclaredHook,
  describeFailures,
  type HookEventName,
  type HookProgress,
  type HookResponse,
  HookRunner,
  type HookRunnerDeps,
  type InactiveReason,
  isDeclared,
  promptHandler,
  readHooks,
} from '@heddle/agent/hooks';
import { type Attachment, type LoopEvent, type Message, textOf } from '@heddle/core';
import { addCommandVariables } from '../keys.ts';
import { isPartOfAnswer } from '../mcp/session-parts.ts';
import { commandOf, type ConfiguredCommand } from '../permissions/named-files.ts';
import type { CommandFiles } from './command-files.ts';
import { hookPorts } from './hook-ports.ts';
import { WatchedFiles } from './watched-files.ts';

export type SessionSource = 'startup' | 'resume' | 'clear' | 'fork';

/** Why a session ends. */
export type SessionEndReason = 'clear' | 'resume' | 'prompt_input_exit' | 'other';

export interface SessionHooksSetup {
  /** The hooks of the settings, also those that do not run. */
  readonly declared: readonly DeclaredHook[];
  /** Why hooks of skills and commands do not run. */
  readonly othersInactive?: InactiveReason | undefined;
  /** The folder in which the session starts. Commands of hooks start there if it is trusted. */
  readonly cwd: string;
  /** The folder of the project for hooks. Undefined: `cwd`. */
  readonly projectDir?: string | undefined;
  readonly source: SessionSource;
  /** Fields of every event: session, transcript, mode. */
  readonly commonInput: () => Readonly<Record<string, unknown>>;
  /** The instruction files that the session began with. */
  readonly instructionFiles: () => readonly string[];
  readonly messages: () => Iterable<Message>;
  /** Set if the user asks for the Setup hooks. */
  readonly setupTrigger?: 'init' | 'maintenance' | undefined;
  /** Reads skills and commands again. */
  readonly reloadSkills?: (() => Promise<unknown>) | undefined;
  readonly notify: (text: string) => void;
  readonly remark: (remark: Attachment) => void;
  /** The files of configured commands. Undefined: a change of them has no effect on hooks. */
  readonly commandFiles?: CommandFiles | undefined;
  /** Called before each prompt. Applies settings that changed. */
  readonly beforePrompt: (prompt: { readonly isOfUser: boolean }) => Promise<void>;
  /** Asks the small model, and an agent with tools, for hooks that let a model judge. Undefined: there is no model. */
  readonly askModel?: AskJudge | undefined;
  readonly askAgent?: AskJudge | undefined;
  /** Names the session. */
  readonly entitle: (title: string) => void;
  /** Runs at the end of a turn, for a member of a team. */
  readonly team?: AgentHooks['team'];
}

/** Background hooks may finish for this long when the session ends. */
const BACKGROUND_MS = 500;

/** The events whose hooks may deny a call. */
const DECIDING: ReadonlySet<string> = new Set(['PreToolUse', 'PermissionRequest']);

export class SessionHooks {
  readonly runner: HookRunner;
  /** The handlers that let a model judge. */
  readonly judges: Pick<HookRunnerDeps['handlers'], 'prompt' | 'agent'>;
  readonly #setup: SessionHooksSetup;
  readonly #listeners: ((progress: HookProgress) => void)[] = [];
  #declared: readonly DeclaredHook[];
  /** Hooks of plugins that a host named after the start. They are among the declared ones. */
  #later: readonly DeclaredHook[] = [];
  /** The hooks of skills and commands that are in use. */
  #active: readonly DeclaredHook[] = [];
  #othersInactive: InactiveReason | undefined;
  readonly #watched = new WatchedFiles();
  /** The working directory of commands, which a command may change. */
  #cwd: string;
  #source: SessionSource;
  /** Shows a text to the user. A host that connects replaces it. */
  #notify: (text: string) => void;
  /** The hooks of SessionStart. The first prompt starts them. */
  #starting: Promise<string | undefined> | undefined;

  constructor(setup: SessionHooksSetup) {
    this.#setup = setup;
    this.#declared = setup.declared;
    this.#othersInactive = setup.othersInactive;
    this.#cwd = setup.cwd;
    this.#source = setup.source;
    this.#notify = setup.notify;
    const { askModel, askAgent } = setup;
    this.judges = {
      ...(askModel && { prompt: promptHandler(askModel) }),
      ...(askAgent && { agent: agentHandler(askAgent) }),
    };
    this.runner = new HookRunner(activeHooks(setup.declared), {
      ...hookPorts({ start: setup.cwd, project: setup.projectDir, shell: () => this.#cwd }),
      commonInput: () => ({ ...setup.commonInput(), cwd: this.#cwd }),
      handlers: this.judges,
      whyWaiting: (hook) => commandOf(hook).map((command) => this.whyWaiting(command))[0],
      commandStarted: (hook) =>
        commandOf(hook).map((command) => this.#setup.commandFiles?.started(command))[0],
      observe: (progress) => {
        for (const listener of this.#listeners) listener(progress);
      },
      onVariables: addCommandVariables,
      onFailure: (message) => this.#notify(message),
      onBackground: (_, { block, context, message }) => {
        this.#remark([block, context].filter((text) => text !== undefined).join('\n\n'));
        if (message !== undefined) this.#notify(message);
      },
    });
  }

  /** Every hook of the session, also those that do not run. Callbacks of a host come last. */
  list(): readonly DeclaredHook[] {
    const callbacks = this.runner.hooks.filter((hook) => !isDeclared(hook));
    const added = callbacks.map((hook): DeclaredHook => ({ hook, scope: 'session', inactive: undefined }));
    return [...this.#declared, ...this.#active, ...added];
  }

  /**
   * Whether hooks that only this process has decide about calls: callbacks of a host, and hooks of skills in use and of plugins
   * that a host named after the start.
   */
  get decidesAlone(): boolean {
    const callbacks = this.runner.hooks.filter((hook) => !isDeclared(hook));
    return [...activeHooks([...this.#active, ...this.#later]), ...callbacks].some(({ event }) =>
      DECIDING.has(event),
    );
  }

  /** Returns why a configured command must not run now. The user reads it once. */
  whyWaiting(command: ConfiguredCommand): string | undefined {
    return this.#setup.commandFiles?.whyWaiting(command, (text) => this.#notify(text));
  }

  /** Adds a listener for the starts, outputs and ends of hooks. */
  onProgress(listener: (progress: HookProgress) => void): void {
    this.#listeners.push(listener);
  }

  /** Replaces the hooks of settings files, from the next event on. Hooks of plugins and of the main agent stay. */
  replaceSettings(declared: readonly DeclaredHook[], othersInactive?: InactiveReason): void {
    const others = this.#declared.filter(({ scope }) => scope === 'session' || scope === 'plugin');
    this.#declared = [...declared, ...others];
    this.#othersInactive = othersInactive;
    this.#update();
  }

  /** Adds the hooks of plugins that a host names after the start. */
  add(declared: readonly DeclaredHook[]): void {
    this.#later = [...this.#later, ...declared];
    this.#declared = [...this.#declared, ...declared];
    this.#update();
  }

  /** Adds the hooks in the header of a skill or command, until the returned function is called. */
  activate(header: unknown, file: string): () => void {
    const { hooks, problems } = readHooks(header, { source: file });
    for (const problem of problems) this.#notify(problem);
    const inactive = this.#othersInactive;
    const added = hooks.map((hook): DeclaredHook => ({ hook, scope: 'session', inactive }));
    this.#active = [...this.#active, ...added];
    this.#update();
    return () => {
      this.#active = this.#active.filter((one) => !added.includes(one));
      this.#update();
    };
  }

  #update(): void {
    const callbacks = this.runner.hooks.filter((hook) => !isDeclared(hook));
    this.runner.replaceHooks([...activeHooks([...this.#declared, ...this.#active]), ...callbacks]);
  }

  /** The hooks as options of the agent. SessionStart hooks run before the first prompt, which waits for them. */
  forAgent(notify = this.#notify): AgentHooks {
    this.#notify = notify;
    const hooks = createAgentHooks(this.runner, { notify, messages: this.#setup.messages });
    const { compaction } = hooks;
    return {
      ...hooks,
      // The spread has read it once, but hooks may be added later.
      get stop() {
        return hooks.stop;
      },
      ...(compaction && {
        compaction: {
          ...compaction,
          after: async (end, signal) => {
            await compaction.after(end, signal);
            await this.#runSessionStart('compact');
          },
        },
      }),
      team: this.#setup.team,
      prompt: async (prompt) => {
        const { commandFiles, beforePrompt } = this.#setup;
        const releases = prompt.isOfUser || commandFiles?.isEmpty === true;
        if (releases) commandFiles?.forget();
        await beforePrompt(prompt);
        this.reportWatched();
        const block = await this.begin();
        if (releases) commandFiles?.rememberSoon();
        if (block !== undefined) return { block };
        const answer = (await hooks.prompt?.(prompt)) ?? {};
        if (answer.title !== undefined) this.#setup.entitle(answer.title);
        return answer;
      },
    };
  }

  /** A prompt that was cut off continues. Changes from here on wait for the next prompt of the user. */
  continued(): void {
    const { commandFiles } = this.#setup;
    if (commandFiles?.isEmpty === true) commandFiles.rememberSoon();
  }

  /** The hooks that may deny a call of an agent that judges. Its own kind is left out: each call of one would start the next. */
  forJudge(): AgentHooks {
    const { tools } = createAgentHooks(this.runner, {
      notify: this.#notify,
      messages: () => [],
      among: ({ handler }) => handler.type !== 'agent',
    });
    return {
      tools: {
        before: async (call, signal) => {
          const { decision, ...answer } = (await tools?.before?.(call, signal)) ?? {};
          return decision === 'allow' || decision === undefined ? answer : { ...answer, decision };
        },
      },
    };
  }

  /** Runs the hooks of Setup and SessionStart, once. Returns the reason if a hook prevents the session. */
  begin(): Promise<string | undefined> {
    return (this.#starting ??= this.#start());
  }

  async #start(): Promise<string | undefined> {
    const { setupTrigger: trigger } = this.#setup;
    if (trigger !== undefined) await this.reportAndRemark('Setup', { trigger });
    for (const file of this.runner.has('InstructionsLoaded') ? this.#setup.instructionFiles() : [])
      void this.report('InstructionsLoaded', { file_path: file, load_reason: 'session_start' });
    return this.#runSessionStart(this.#source);
  }

  async #runSessionStart(source: SessionSource | 'compact'): Promise<string | undefined> {
    const answer = await this.report('SessionStart', { source });
    const { stop, context, sessionTitle, initialUserMessage, reloadSkills } = answer;
    this.#remark(context);
    if (initialUserMessage !== undefined)
      this.#remark(`Before this prompt, the user says:\n${initialUserMessage}`);
    if (sessionTitle !== undefined) this.#setup.entitle(sessionTitle);
    if (reloadSkills === true) await this.#setup.reloadSkills?.();
    return stop;
  }

  /** Reports changes of the files that hooks watch. Called before each prompt, and between two calls. */
  reportWatched(): void {
    for (const { file, event } of this.#watched.takeChanges())
      void this.reportAndRemark('FileChanged', { file_path: file, event });
  }

  /** Reports events of the loop to hooks: a changed folder, a changed file, instructions that joined. */
  observe(event: LoopEvent): void {
    if (isPartOfAnswer(event)) this.#setup.commandFiles?.rememberIfDue();
    if (event.type === 'stance') return this.#changeFolder(event.stance.workingDirectory);
    if (event.type !== 'message') return;
    if (event.message.type === 'assistant' && this.runner.has('MessageDisplay')) {
      const message = textOf(event.message.content);
      if (message !== '') void this.report('MessageDisplay', { message });
    }
    if (event.message.type !== 'attachment') return;
    const { attachment } = event.message;
    if (attachment.kind === 'changed_file')
      void this.reportAndRemark('FileChanged', { file_path: attachment.path, event: 'change' });
    if (attachment.kind === 'instructions')
      void this.report('InstructionsLoaded', { file_path: attachment.path, load_reason: attachment.reason });
  }

  #changeFolder(folder: string): void {
    if (folder === this.#cwd) return;
    const input = { old_cwd: this.#cwd, new_cwd: folder };
    this.#cwd = folder;
    void this.reportAndRemark('CwdChanged', input);
  }

  /**
   * Runs the hooks of an event, and shows their messages and failures. It is the port for every event outside of the engine.
   *
   * Contract: never rejects. An event without hooks costs nothing. Callbacks of a host hear about a session in another way.
   */
  async report(
    event: HookEventName,
    input: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<HookResponse> {
    const among = event === 'SessionStart' || event === 'SessionEnd' ? isDeclared : undefined;
    const response = await this.runner.run({ event, input, signal, among });
    for (const text of [...response.messages, ...describeFailures(response)]) this.#notify(text);
    this.#watched.add(response.watchPaths ?? [], this.#setup.cwd);
    return response;
  }

  /** Gives the model the context that hooks add. */
  async reportAndRemark(event: HookEventName, input: Readonly<Record<string, unknown>>): Promise<void> {
    this.#remark((await this.report(event, input)).context);
  }

  /** The conversation was emptied in place. Hooks see the end of a session, and the start of one with the next prompt. */
  async startAgain(source: Extract<SessionSource & SessionEndReason, 'clear'>): Promise<void> {
    if (this.#starting !== undefined) await this.report('SessionEnd', { reason: source });
    this.#starting = undefined;
    this.#source = source;
  }

  async end(reason: SessionEndReason): Promise<void> {
    if (this.#starting !== undefined) await this.report('SessionEnd', { reason });
    await this.runner.close(BACKGROUND_MS);
  }

  /** Gives the model a text with the next prompt, or between two calls. */
  #remark(text: string | undefined): void {
    if (text !== undefined && text !== '') this.#setup.remark({ kind: 'reminder', about: 'hook', text });
  }
}

function activeHooks(declared: readonly DeclaredHook[]) {
  return declared.filter(({ inactive }) => inactive === undefined).map(({ hook }) => hook);
}
