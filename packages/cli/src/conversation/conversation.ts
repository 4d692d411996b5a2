/**
 * Runs a conversation: reads prompts, runs turns and commands, and handles interruptions. `InputRouter` routes typed lines,
 * `TurnRunner` runs them, `EventRenderer` formats events, and the screen shows them.
 */
import type { Prompt } from '@heddle/agent';
import { sessionPlace } from '../config-dir.ts';
import type { ChatCommand, SessionChoice } from '../arguments/arguments.ts';
import type { AgentSetup, ResolvedCommand } from '../start/agent-options.ts';
import { ASKING_TOOLS } from '../start/session-tools.ts';
import type { StartedSession } from '../start/start-agent.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from '../slash/command.ts';
import { readSlash } from '../slash/slash-commands.ts';
import { printedRows } from '../terminal/layout/rows.ts';
import { PromptInbox, returnDraft, type ReturnedDraft } from './prompts/inbox.ts';
import { createQuestionQueue, type QuestionQueue } from './questions/question-queue.ts';
import { UserDialogs } from './questions/user-dialogs.ts';
import type { EventRenderer } from './render/event-renderer.ts';
import type { Screen } from '../terminal/screen.ts';
import { OpenSession } from './session/open-session.ts';
import type { StatusCommand } from './session/status-command.ts';
import { WarmUp } from './session/warm-up.ts';
import { chooseSession } from '../slash/pick-session.ts';
import { sessionStart } from './session/show.ts';
import type { Style } from '../terminal/style.ts';
import type { ThemeChoice } from '../terminal/theme.ts';
import { showPiece } from './turn/turn.ts';
import { TurnRunner } from './turn/turn-runner.ts';
import { isShell, InputRouter } from './input-router.ts';

export interface ConversationSetup {
  readonly command: ResolvedCommand<ChatCommand>;
  readonly options: AgentSetup;
  readonly screen: Screen;
  readonly style: Style;
  /** The colors of the screen. Undefined without colors. */
  readonly themes?: ThemeChoice | undefined;
  readonly renderer: EventRenderer;
  readonly configDir: string;
  /** Adds a prompt to the history for the arrow keys. */
  readonly remember: (prompt: string) => void;
  /** Returns whether it is known that the user typed this prompt. */
  readonly isTyped: (prompt: string) => boolean;
  /** Long pastes, also those in prompts of the history. */
  readonly pastedTexts: () => readonly string[];
  /** A session was opened, or replaced by another one. */
  readonly sessionOpened?: (session: StartedSession) => void;
  readonly now: () => number;
}

/** The first text of a conversation. Only one that the user typed can be a command. */
export type FirstInput =
  | { readonly kind: 'typed'; readonly text: string }
  | { readonly kind: 'of the agent'; readonly text: string; readonly agent: string };

/** Two presses of Ctrl-C at an empty prompt within this time end the program. */
const DOUBLE_PRESS_MS = 2_000;
/** A note of the user for the memory, such as `# use tabs`. */
const NOTE = /^#(?![#!])\s*(\S.*)$/;
/** Differs from the reason for a new message, so that the model learns about the interruption. */
const INTERRUPTED = 'interrupted by the user';

export class Conversation {
  readonly #setup: ConversationSetup;
  readonly #inbox: PromptInbox;
  readonly #questionQueue: QuestionQueue;
  readonly #session: OpenSession;
  readonly #turns: TurnRunner;
  readonly #input: InputRouter;
  #statusCommand: StatusCommand | undefined;
  #warmUp: WarmUp | undefined;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #leaving = false;
  /** The input has ended. */
  #ended = false;

  constructor(setup: ConversationSetup) {
    this.#setup = setup;
    const { command, options, screen, style } = setup;
    this.#inbox = new PromptInbox({
      onChange: (prompts) => screen.live?.showQueued(prompts),
      onQueued: (prompt) => {
        if (this.#session.isOpen) this.#session.started.agent.queue.add({ ...prompt, priority: 'next' });
      },
    });
    const prompt = (): string => this.#promptText();
    const note = (text: string): void => this.#note(text);
    this.#questionQueue = createQuestionQueue({ screen, style, prompt });
    const dialogs = new UserDialogs({
      style,
      cwd: options.cwd,
      projectRoot: command.projectConfigRoot,
      ask: (dialog, signal) => (this.#ended ? this.#skipQuestion() : this.#questionQueue.ask(dialog, signal)),
      hasUser: () => !this.#ended,
      say: (text) => screen.print(text),
    });
    this.#session = new OpenSession({
      command,
      options,
      surface: {
        notify: (text) => note(escapeControls(text)),
        pastedTexts: setup.pastedTexts,
        services: {
          elicit: async (question, signal) => {
            const { elicitFromUser } = await import('../mcp/ask-for-servers.ts');
            return elicitFromUser((questions, asking) => dialogs.askUser(questions, asking))(
              question,
              signal,
            );
          },
        },
        tools: {
          askUser: (questions, signal) => dialogs.askUser(questions, signal),
          approvePlan: (plan, signal) => dialogs.approvePlan(plan, signal),
          named: [...(command.tools ?? []), ...ASKING_TOOLS],
        },
        agent: {
          includePartialMessages: true,
          canUseTool: (question, signal) => {
            // A question in the region disappears, so the transcript shows the change later.
            if (!screen.live) setup.renderer.wasShown(question.toolUseId);
            return dialogs.mayRun(question, signal);
          },
          askToContinue: (calls, signal) => dialogs.mayRepeat(calls, signal),
          takeQueued: () => this.#inbox.takeJoining(),
          onLine: (line) => {
            if (line.type === 'prompt_suggestion') note(`next: ${escapeControls(line.suggestion)}`);
          },
          onEvent: (event) => this.#turns.observe(event),
        },
      },
    });
    this.#turns = new TurnRunner({
      ...setup,
      session: this.#session,
      chat: () => this.#chat(),
      note,
      prompt,
      loseSight: () => this.#questionQueue.loseSight(),
      waitedMs: () => this.#questionQueue.waitedMs,
    });
    this.#input = new InputRouter({
      ...setup,
      questionQueue: this.#questionQueue,
      inbox: this.#inbox,
      session: this.#session,
      work: this.#turns,
      note,
      prompt,
      interrupt: () => this.interrupt(),
    });
  }

  /** Runs until the user leaves. Returns the exit code. */
  async run(choice: SessionChoice, first?: FirstInput): Promise<number> {
    const { screen, options, style } = this.#setup;
    screen.listen({
      line: (text) => {
        this.#disarm();
        this.#input.line(text);
      },
      touched: () => {
        this.#disarm();
        this.#warmUp?.wait();
      },
      interrupt: () => this.interrupt(),
      escape: (draft) => this.#input.escape(draft),
      nextMode: () => void this.#input.nextMode(),
      takeQueued: () => this.#input.takeQueued(),
      end: () => this.#end(),
      gone: () => this.#gone(),
    });
    const place = sessionPlace(process.env, options.cwd);
    const chosen = await chooseSession(choice, place, style, {
      ask: (dialog) => this.#questionQueue.ask(dialog),
      note: (text) => this.#note(text),
      hasRegion: screen.live !== undefined,
    });
    if (chosen) {
      const problem = await this.#session.open(chosen);
      if (problem !== undefined) return this.#refuse(problem);
      this.#showSession();
      if (screen.live && (first === undefined || first.text.trim() === ''))
        this.#warmUp = new WarmUp(this.#session.started.agent, options.cwd);
      this.#warmUp?.wait();
      await this.#readPrompts(first);
    }
    return this.#goodbye();
  }

  /** Ends the turn and the program, after a signal. */
  leaveNow(): void {
    this.#leaving = true;
    this.#questionQueue.dismiss();
    this.#turns.stop(INTERRUPTED);
    this.#inbox.stopWaiting();
  }

  /** Handles Ctrl-C: stops the current work. At the prompt it clears the line, and a second press leaves. */
  interrupt(): void {
    const { screen, now } = this.#setup;
    const hadQuestion = this.#questionQueue.isOpen;
    // A partial answer must not become the start of the next prompt.
    if (hadQuestion) screen.takeDraft();
    this.#questionQueue.dismiss();
    if (this.#turns.isUnderWay) return this.#turns.stop(INTERRUPTED);
    const isSecond = now() - this.#interruptedAt < DOUBLE_PRESS_MS;
    this.#disarm();
    if (hadQuestion || screen.takeDraft() !== '') return;
    if (isSecond || this.#ended) return this.#inbox.stopWaiting();
    this.#interruptedAt = now();
    this.#note('press Ctrl-C again to leave');
  }

  /** Makes the next Ctrl-C count as the first one. */
  #disarm(): void {
    this.#interruptedAt = Number.NEGATIVE_INFINITY;
  }

  async #readPrompts(first: FirstInput | undefined): Promise<void> {
    if (first && first.text.trim() !== '') await this.#begin(first);
    while (!this.#leaving && !this.#ended) {
      const line = await this.#nextLine();
      if (line === undefined) return;
      if (typeof line === 'string') await this.#take(line);
      else await this.#turn(line);
    }
  }

  async #begin(first: FirstInput): Promise<void> {
    if (first.kind === 'typed') return this.#take(this.#echoed(first.text));
    this.#note(`initial prompt of the agent ${escapeControls(first.agent)}`);
    this.#setup.screen.print(escapeControls(first.text));
    await this.#turn({ content: first.text, isOfFile: true });
  }

  /** Returns the next line of the user, or a prompt of the team that the conversation leads. */
  async #nextLine(): Promise<string | Prompt | undefined> {
    const early = this.#inbox.takeNext();
    if (early !== undefined) return this.#echoed(early);
    const line = this.#inbox.wait();
    this.#setup.screen.ask(this.#promptText());
    void this.#showFacts();
    const { team } = this.#session.started;
    return team.leads ? this.#lineOrTeamPrompt(line, team) : line;
  }

  async #lineOrTeamPrompt(
    line: Promise<string | undefined>,
    team: StartedSession['team'],
  ): Promise<string | Prompt | undefined> {
    const typed = new AbortController();
    void line.then(() => typed.abort());
    const isReady = await team.untilPrompt(typed.signal, { keepsWaiting: true });
    // A line that was typed at the same moment comes first. The prompt of the team then follows its turn.
    if (!isReady || !this.#inbox.isWaiting) return line;
    const content = team.takePrompt();
    if (content === undefined) return this.#lineOrTeamPrompt(line, team);
    this.#inbox.cancelWait();
    this.#note('a message of the team');
    return { content, verbatim: true };
  }

  /** Shows a line that was not typed at the prompt like a typed line. */
  #echoed(line: string): string {
    this.#setup.screen.print(`${this.#promptText()}${escapeControls(line)}`);
    return line;
  }

  /** Handles a question after the input ended. At a terminal the turn is interrupted, so that the call can be resumed. */
  #skipQuestion(): Promise<undefined> {
    if (!this.#setup.screen.isPipe) this.#turns.stop(INTERRUPTED);
    return Promise.resolve(undefined);
  }

  /** The terminal was closed. Its signal may arrive later. */
  #gone(): void {
    this.#ended = true;
    this.leaveNow();
  }

  #end(): void {
    if (this.#ended) return;
    if (this.#questionQueue.isOpen && !this.#setup.screen.isPipe) return this.#gone();
    this.#ended = true;
    this.#questionQueue.dismiss();
    if (this.#turns.isUnderWay) this.#note('leaving when this turn ends; Ctrl-C ends it now');
    this.#inbox.stopWaiting();
  }

  async #take(text: string): Promise<void> {
    const line = text.trim();
    if (line === '') return;
    this.#setup.remember(text);
    const slash = readSlash(line, this.#session.fileCommands);
    if (slash?.kind === 'unknown') return this.#setup.screen.print(slash.message);
    if (slash?.kind === 'command' && !slash.command.isPrompt)
      return void this.#settle(await this.#turns.command(slash.command, slash.words));
    const note = NOTE.exec(line)?.[1];
    if (note !== undefined) return this.#take(`/remember ${note}`);
    if (line === '!') return this.#note('type a command after the !, such as !ls');
    if (isShell(line)) return void this.#settle(await this.#turns.shell(line.slice(1).trim()));
    await this.#turn({ content: text });
  }

  /** Runs a turn, and then those of the text that was typed meanwhile and did not join one. */
  async #turn(first: Prompt): Promise<void> {
    for (let prompt: Prompt | undefined = first; prompt && !this.#leaving; ) {
      // An Esc during other work does not belong to this turn.
      this.#input.takeSendsNow();
      this.#warmUp?.stop();
      const isComplete = await this.#turns.turn({ ...prompt, carries: this.#inbox.takeCarried() });
      const left = this.#settle(isComplete) ? this.#inbox.takeLeft() : undefined;
      prompt = left === undefined || this.#leaving ? undefined : { content: this.#echoed(left) };
    }
  }

  /** Returns true if queued text may be sent. After an interruption, the text goes back to the input line instead. */
  #settle(isComplete: boolean): boolean {
    if (this.#input.takeSendsNow() || isComplete) return true;
    this.#restoreInput(returnDraft(this.#inbox.takeUnsent()));
    this.#session.started.agent.queue.cancel(this.#inbox.takeCarried());
    return false;
  }

  #restoreInput({ draft, aside }: ReturnedDraft): void {
    for (const line of aside) {
      this.#setup.remember(line);
      this.#note(`not run: ${escapeControls(line.trim())}; press Up to get it back`);
    }
    if (draft !== undefined) this.#setup.screen.put(draft);
  }

  /**
   * Puts an earlier prompt into the input line, without the text that the definition of the agent adds again. A text that
   * was sent to the model must not become a command there. A text that the user may not have typed is data.
   */
  #putPrompt(text: string): boolean {
    const { initialPrompt = '' } = this.#session.options.mainAgent ?? {};
    const isWhole = initialPrompt === '' || !text.startsWith(initialPrompt);
    const own = isWhole ? text : text.slice(initialPrompt.length).trim();
    const slash = readSlash(own, this.#session.fileCommands);
    const isCommand =
      (slash?.kind === 'command' && !slash.command.isPrompt) || isShell(own) || NOTE.test(own);
    if (own === '' || isCommand) return false;
    const { screen, isTyped } = this.#setup;
    if (isTyped(own)) screen.put(own);
    else if (screen.putData(own))
      this.#note('you may not have typed that prompt, so it is sent like a pasted text; Ctrl-G shows it');
    return true;
  }

  #chat(): Chat {
    const { screen, style, configDir } = this.#setup;
    const session = this.#session;
    return {
      style,
      hasTerminal: true,
      readsKeys: screen.readsKeys,
      hasRegion: screen.live !== undefined,
      themes: this.#setup.themes,
      started: session.started,
      options: session.options,
      configDir,
      cwd: session.options.cwd,
      say: (text) => screen.print(text),
      ask: (dialog) => this.#questionQueue.ask(dialog),
      putPrompt: (text) => this.#putPrompt(text),
      moveTo: async (from) => {
        const problem = await session.moveTo(from);
        if (problem === undefined) this.#showSession();
        return problem;
      },
      change: (changes) => session.change(changes),
      leave: () => {
        this.#leaving = true;
        this.#turns.stop(INTERRUPTED);
      },
    };
  }

  #showSession(): void {
    this.#setup.sessionOpened?.(this.#session.started);
    const { openCalls } = this.#session.started.session.projection;
    this.#setup.renderer.takeUp(openCalls.map(({ call }) => call));
    const pieces = sessionStart(this.#session.started, this.#session.options, this.#setup.style);
    for (const piece of pieces) showPiece(piece, this.#setup.screen);
    void this.#showFacts();
  }

  async #showFacts(): Promise<void> {
    const { live } = this.#setup.screen;
    if (!live || !this.#session.isOpen) return;
    const { sessionFacts } = await import('./session/facts.ts');
    live.showFacts(await sessionFacts(this.#session, this.#setup.style));
    const command = this.#session.options.terminal?.statusCommand;
    if (command === undefined || this.#session.started.hooks.whyWaiting({ command }) !== undefined) return;
    const { StatusCommand } = await import('./session/status-command.ts');
    this.#statusCommand ??= new StatusCommand(command);
    const line = await this.#statusCommand.run(this.#session);
    if (line !== undefined) live.showFacts([line]);
  }

  #promptText(): string {
    const mode = this.#session.isOpen ? this.#session.started.agent.permissionMode : 'default';
    const { paint } = this.#setup.style;
    if (mode === 'default') return paint('cyan', '> ');
    return paint(mode === 'bypassPermissions' ? 'red' : 'yellow', `${mode}> `);
  }

  #note(text: string): void {
    this.#questionQueue.loseSight();
    this.#setup.screen.print(this.#setup.style.paint('dim', `  (${text})`));
  }

  #refuse(problem: string): number {
    this.#setup.screen.close();
    const line = `heddle: ${escapeControls(problem)}`;
    process.stderr.write(`${process.stderr.isTTY ? printedRows(line, process.stderr.columns) : line}\n`);
    return 1;
  }

  async #goodbye(): Promise<number> {
    const { screen, style } = this.#setup;
    const hint = await this.#session.close();
    screen.busy('');
    // Printed without wrapping, because it contains a command to copy.
    if (hint !== undefined) screen.output(`${style.paint('dim', hint)}\n`);
    screen.close();
    // Only piped input gets the result of the last prompt as the exit code.
    return this.#turns.lastTurnFailed && !process.stdin.isTTY ? 1 : 0;
  }
}
