/**
 * The conversation: prompts one after another, with questions, interruptions and whatever is typed in between. Who
 * gets a typed line, what is done with it, what is shown and how is the business of the rooms beside it.
 */
import { sessionPlace } from '../config-dir.ts';
import type { ChatCommand, SessionChoice } from '../arguments/arguments.ts';
import type { AgentSetup } from '../start/agent-options.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Chat } from '../slash/command.ts';
import { readSlash } from '../slash/slash-commands.ts';
import { printedRows } from './layout/rows.ts';
import { PromptInbox, returnDraft, type ReturnedDraft } from './prompts/inbox.ts';
import { createQuestionQueue, type QuestionQueue } from './questions/question-queue.ts';
import { UserDialogs } from './questions/user-dialogs.ts';
import type { EventRenderer } from './render/event-renderer.ts';
import type { Screen } from './screen/screen.ts';
import { OpenSession } from './session/open-session.ts';
import { chooseSession } from '../slash/pick-session.ts';
import { sessionStart } from './session/show.ts';
import type { Style } from '../terminal/style.ts';
import { showPiece } from './turn/turn.ts';
import { TurnRunner } from './turn/turn-runner.ts';
import { isShell, InputRouter } from './input-router.ts';

export interface ConversationSetup {
  readonly command: ChatCommand;
  readonly options: AgentSetup;
  readonly screen: Screen;
  readonly style: Style;
  readonly renderer: EventRenderer;
  readonly configDir: string;
  /** Keeps a prompt for the arrow keys. */
  readonly remember: (prompt: string) => void;
  readonly now: () => number;
}

/** Pressed twice within so long at an empty prompt, Ctrl-C leaves. */
const TWICE_MS = 2_000;
/** Not the reason of somebody who sends a new message: the model is told that it was interrupted. */
const INTERRUPTED = 'interrupted by the user';
/** Rarely used elsewhere; here somebody is there to answer. */
const ASKING_TOOLS = ['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'];

export class Conversation {
  readonly #setup: ConversationSetup;
  readonly #inbox = new PromptInbox();
  readonly #questionQueue: QuestionQueue;
  readonly #session: OpenSession;
  readonly #work: TurnRunner;
  readonly #typing: InputRouter;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #leaving = false;
  /** Nobody will type any more. */
  #ended = false;

  constructor(setup: ConversationSetup) {
    this.#setup = setup;
    const { command, options, screen, style } = setup;
    const prompt = (): string => this.#promptText();
    const note = (text: string): void => this.#note(text);
    this.#questionQueue = createQuestionQueue({ screen, style, prompt });
    const people = new UserDialogs({
      style,
      cwd: options.cwd,
      ask: (dialog, signal) => (this.#ended ? this.#askNobody() : this.#questionQueue.ask(dialog, signal)),
      isAnyoneThere: () => !this.#ended,
      say: (text) => screen.print(text),
    });
    this.#session = new OpenSession({
      command,
      options,
      surface: {
        tell: (text) => note(escapeControls(text)),
        tools: {
          askUser: (questions, signal) => people.askUser(questions, signal),
          approvePlan: (plan, signal) => people.approvePlan(plan, signal),
          named: [...(command.tools ?? []), ...ASKING_TOOLS],
        },
        agent: {
          includePartialMessages: true,
          canUseTool: (question, signal) => {
            setup.renderer.wasShown(question.toolUseId);
            return people.mayRun(question, signal);
          },
          askToGoOn: (calls, signal) => people.mayRepeat(calls, signal),
          takeQueued: () => this.#inbox.takeJoining(),
          onEvent: (event) => this.#work.hear(event),
        },
      },
    });
    this.#work = new TurnRunner({
      ...setup,
      session: this.#session,
      chat: () => this.#chat(),
      note,
      prompt,
      loseSight: () => this.#questionQueue.loseSight(),
      waitedMs: () => this.#questionQueue.waitedMs,
    });
    this.#typing = new InputRouter({
      ...setup,
      questionQueue: this.#questionQueue,
      inbox: this.#inbox,
      session: this.#session,
      work: this.#work,
      note,
      prompt,
      interrupt: () => this.interrupt(),
    });
  }

  /** Runs until the user leaves. Answers with the exit code. */
  async run(choice: SessionChoice, first = ''): Promise<number> {
    const { screen, options, style } = this.#setup;
    screen.listen({
      line: (text) => {
        this.#disarm();
        this.#typing.line(text);
      },
      touched: () => this.#disarm(),
      interrupt: () => this.interrupt(),
      escape: (draft) => this.#typing.escape(draft),
      nextMode: () => void this.#typing.nextMode(),
      end: () => this.#end(),
      gone: () => this.#gone(),
    });
    const place = sessionPlace(process.env, options.cwd);
    const chosen = await chooseSession(choice, place, style, {
      ask: (dialog) => this.#questionQueue.ask(dialog),
      note: (text) => this.#note(text),
    });
    if (chosen) {
      const problem = await this.#session.open(chosen);
      if (problem !== undefined) return this.#refuse(problem);
      this.#showSession();
      await this.#talk(first);
    }
    return this.#goodbye();
  }

  /** A signal: everything ends, and the program with it. */
  leaveNow(): void {
    this.#leaving = true;
    this.#questionQueue.dismiss();
    this.#work.stop(INTERRUPTED);
    this.#inbox.stopWaiting();
  }

  /** Ctrl-C: ends what is under way; at the prompt it clears the line, and leaves when pressed again. */
  interrupt(): void {
    const { screen, now } = this.#setup;
    const hadQuestion = this.#questionQueue.isOpen;
    // Half an answer is no beginning of the next prompt.
    if (hadQuestion) screen.takeDraft();
    this.#questionQueue.dismiss();
    if (this.#work.isUnderWay) return this.#work.stop(INTERRUPTED);
    const isSecond = now() - this.#interruptedAt < TWICE_MS;
    this.#disarm();
    if (hadQuestion || screen.takeDraft() !== '') return;
    if (isSecond || this.#ended) return this.#inbox.stopWaiting();
    this.#interruptedAt = now();
    this.#note('press Ctrl-C again to leave');
  }

  /** The next Ctrl-C is the first one again. */
  #disarm(): void {
    this.#interruptedAt = Number.NEGATIVE_INFINITY;
  }

  async #talk(first: string): Promise<void> {
    if (first.trim() !== '') await this.#take(this.#echoed(first));
    while (!this.#leaving && !this.#ended) {
      const line = await this.#nextLine();
      if (line === undefined) return;
      await this.#take(line);
    }
  }

  #nextLine(): string | Promise<string | undefined> {
    const early = this.#inbox.takeNext();
    if (early !== undefined) return this.#echoed(early);
    const line = this.#inbox.wait();
    this.#setup.screen.ask(this.#promptText());
    return line;
  }

  /** What was not typed at the prompt is shown as if it were. */
  #echoed(line: string): string {
    this.#setup.screen.print(`${this.#promptText()}${escapeControls(line)}`);
    return line;
  }

  /** Whoever left at a terminal wants no decision made for them: the call is not denied for good, it can be taken up again. */
  #askNobody(): Promise<undefined> {
    if (!this.#setup.screen.isPipe) this.#work.stop(INTERRUPTED);
    return Promise.resolve(undefined);
  }

  /** The window was closed; the signal that says so may come later. */
  #gone(): void {
    this.#ended = true;
    this.leaveNow();
  }

  #end(): void {
    if (this.#ended) return;
    if (this.#questionQueue.isOpen && !this.#setup.screen.isPipe) return this.#gone();
    this.#ended = true;
    this.#questionQueue.dismiss();
    if (this.#work.isUnderWay) this.#note('leaving when this turn is over; Ctrl-C ends it now');
    this.#inbox.stopWaiting();
  }

  async #take(text: string): Promise<void> {
    const line = text.trim();
    if (line === '') return;
    this.#setup.remember(text);
    const slash = readSlash(line);
    if (slash?.kind === 'unknown') return this.#setup.screen.print(slash.message);
    if (slash) return void this.#settle(await this.#work.command(slash.command, slash.words));
    if (line === '!') return this.#note('a command goes behind the !, such as !ls');
    if (isShell(line)) return void this.#settle(await this.#work.shell(line.slice(1).trim()));
    let left = await this.#turn(text);
    while (left !== undefined && !this.#leaving) left = await this.#turn(this.#echoed(left));
  }

  /** Answers with what comes next: what was typed meanwhile, and did not join. */
  async #turn(prompt: string): Promise<string | undefined> {
    // Esc during something else was not meant for this turn.
    this.#typing.takeSendsNow();
    const isComplete = await this.#work.turn(prompt);
    return this.#settle(isComplete) ? this.#inbox.takeLeft() : undefined;
  }

  /** What was typed during something that was interrupted is not sent unseen. Answers whether it may be. */
  #settle(isComplete: boolean): boolean {
    if (this.#typing.takeSendsNow() || isComplete) return true;
    this.#giveBack(returnDraft(this.#inbox.takeUnsent()));
    return false;
  }

  #giveBack({ draft, aside }: ReturnedDraft): void {
    for (const line of aside) {
      this.#setup.remember(line);
      this.#note(`not run: ${escapeControls(line.trim())}; Up brings it back`);
    }
    if (draft !== undefined) this.#setup.screen.put(draft);
  }

  #chat(): Chat {
    const { screen, style, configDir } = this.#setup;
    const session = this.#session;
    return {
      style,
      readsKeys: screen.readsKeys,
      started: session.started,
      options: session.options,
      configDir,
      cwd: session.options.cwd,
      say: (text) => screen.print(text),
      ask: (dialog) => this.#questionQueue.ask(dialog),
      put: (text) => screen.put(text),
      moveTo: async (from) => {
        const problem = await session.moveTo(from);
        if (problem === undefined) this.#showSession();
        return problem;
      },
      change: (changes) => session.change(changes),
      leave: () => {
        this.#leaving = true;
        this.#work.stop(INTERRUPTED);
      },
    };
  }

  #showSession(): void {
    const { openCalls } = this.#session.started.session.projection;
    this.#setup.renderer.takeUp(openCalls.map(({ call }) => call));
    const pieces = sessionStart(this.#session.started, this.#session.options, this.#setup.style);
    for (const piece of pieces) showPiece(piece, this.#setup.screen);
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
    // As it is: it holds a command to be copied.
    if (hint !== undefined) screen.output(`${style.paint('dim', hint)}\n`);
    screen.close();
    // Only a script that came through a pipe wants to know how its last prompt went.
    return this.#work.lastTurnFailed && !process.stdin.isTTY ? 1 : 0;
  }
}
