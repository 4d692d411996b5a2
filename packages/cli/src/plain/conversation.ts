/**
 * The conversation: prompts one after another, with questions, interruptions and whatever is typed in between. It decides
 * who gets a typed line; what is done with it, what is shown and how is the business of the rooms beside it.
 */
import type { ChatCommand, SessionChoice } from '../arguments.ts';
import type { AgentSetup } from '../headless/agent-options.ts';
import { harmless } from '../terminal/harmless.ts';
import type { Chat } from './commands/command.ts';
import { readSlash } from './commands/table.ts';
import { Inbox } from './prompts/inbox.ts';
import type { Desk } from './questions/desk.ts';
import { People } from './questions/people.ts';
import { questionDesk } from './questions/question-desk.ts';
import type { Teller } from './render/teller.ts';
import type { Screen } from './screen/screen.ts';
import { OpenSession } from './session/open-session.ts';
import { chooseSession } from './session/pick.ts';
import { sessionStart } from './session/show.ts';
import type { Style } from './style.ts';
import { Work } from './turn/work.ts';

export interface ConversationSetup {
  readonly command: ChatCommand;
  readonly options: AgentSetup;
  readonly screen: Screen;
  readonly style: Style;
  readonly teller: Teller;
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
  readonly #inbox = new Inbox();
  readonly #desk: Desk;
  readonly #session: OpenSession;
  readonly #work: Work;
  /** What was typed goes to the model at once, although the turn was interrupted. */
  #sendsNow = false;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #leaving = false;
  /** Nobody will type any more. */
  #ended = false;

  constructor(setup: ConversationSetup) {
    this.#setup = setup;
    const { command, options, screen, style } = setup;
    const prompt = (): string => this.#promptText();
    const note = (text: string): void => this.#note(text);
    this.#desk = questionDesk({ screen, style, prompt });
    const people = new People({
      style,
      cwd: options.cwd,
      ask: (dialog, signal) => (this.#ended ? Promise.resolve(undefined) : this.#desk.ask(dialog, signal)),
      isAnyoneThere: () => !this.#ended,
      say: (text) => screen.print(text),
    });
    this.#session = new OpenSession({
      command,
      options,
      surface: {
        tell: (text) => note(harmless(text)),
        tools: {
          askUser: (questions, signal) => people.askUser(questions, signal),
          approvePlan: (plan, signal) => people.approvePlan(plan, signal),
          named: [...(command.tools ?? []), ...ASKING_TOOLS],
        },
        agent: {
          includePartialMessages: true,
          canUseTool: (question, signal) => people.mayRun(question, signal),
          takeQueued: () => this.#inbox.takeJoining(),
          onEvent: (event) => this.#work.hear(event),
        },
      },
    });
    this.#work = new Work({ ...setup, session: this.#session, chat: () => this.#chat(), note, prompt });
  }

  /** Runs until the user leaves. Answers with the exit code. */
  async run(choice: SessionChoice, first = ''): Promise<number> {
    const { screen, configDir, options, style } = this.#setup;
    screen.listen({
      line: (text) => this.#line(text),
      interrupt: () => this.interrupt(),
      escape: (draft) => this.#escape(draft),
      end: () => this.#end(),
    });
    const place = { configDir, cwd: options.cwd };
    const chosen = await chooseSession(choice, place, style, (dialog) => this.#desk.ask(dialog));
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
    this.#desk.dismiss();
    this.#work.stop(INTERRUPTED);
    this.#inbox.stopWaiting();
  }

  /** Ctrl-C: ends what is under way; at the prompt it clears the line, and leaves when pressed again. */
  interrupt(): void {
    const { screen, now } = this.#setup;
    const hadQuestion = this.#desk.isOpen;
    this.#desk.dismiss();
    if (this.#work.isUnderWay) return this.#work.stop(INTERRUPTED);
    const isSecond = now() - this.#interruptedAt < TWICE_MS;
    this.#interruptedAt = Number.NEGATIVE_INFINITY;
    if (hadQuestion || screen.takeDraft() !== '') return;
    if (isSecond || this.#ended) return this.#inbox.stopWaiting();
    this.#interruptedAt = now();
    this.#note('press Ctrl-C again to leave');
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
    this.#setup.screen.print(`${this.#promptText()}${harmless(line)}`);
    return line;
  }

  #line(text: string): void {
    this.#interruptedAt = Number.NEGATIVE_INFINITY;
    if (this.#desk.isOpen) this.#desk.read(text);
    else if (!this.#work.isUnderWay) this.#inbox.give(text);
    else if (text.trim() !== '') this.#meanwhile(text);
  }

  /** Typed while something is under way: a prompt waits to join it, some commands need not wait. */
  #meanwhile(text: string): void {
    const slash = readSlash(text);
    if (slash?.kind === 'unknown') return this.#note(slash.message);
    if (slash?.command.anytime) return void this.#work.beside(slash.command, slash.words);
    if (slash) return this.#note(`/${slash.command.name} has to wait until this turn is over`);
    if (isShell(text)) {
      this.#inbox.later(text);
      return this.#note(`runs after this turn: ${harmless(text.trim())}`);
    }
    this.#inbox.join(text);
    this.#setup.remember(text);
    this.#note(`queued: ${harmless(text)}`);
  }

  /** Esc sends what is being typed at once; with nothing typed it interrupts. */
  #escape(draft: string): void {
    const isUnderWay = this.#work.isUnderWay;
    if (this.#desk.isOpen || (isUnderWay && draft.trim() === '')) return this.interrupt();
    if (!isUnderWay) return;
    this.#setup.screen.takeDraft();
    this.#inbox.join(draft);
    this.#setup.remember(draft);
    this.#sendsNow = true;
    this.#work.stop('interrupt');
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#desk.dismiss();
    if (this.#work.isUnderWay) this.#note('leaving when this turn is over; Ctrl-C ends it now');
    this.#inbox.stopWaiting();
  }

  async #take(text: string): Promise<void> {
    const line = text.trim();
    if (line === '') return;
    this.#setup.remember(text);
    const slash = readSlash(line);
    if (slash?.kind === 'unknown') return this.#setup.screen.print(slash.message);
    if (slash) return this.#work.command(slash.command, slash.words);
    if (isShell(line)) return this.#work.shell(line.slice(1).trim());
    let prompt: string | undefined = text;
    while (prompt !== undefined && !this.#leaving) prompt = await this.#turn(prompt);
  }

  /** Answers with what comes next: what was typed meanwhile, and did not join. */
  async #turn(prompt: string): Promise<string | undefined> {
    this.#sendsNow = false;
    const isComplete = await this.#work.turn(prompt);
    if (this.#sendsNow || isComplete) return this.#inbox.takeLeft();
    const unsent = this.#inbox.takeUnsent();
    if (unsent.length > 0) this.#setup.screen.put(unsent.join('\n'));
    return undefined;
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
      ask: (dialog) => this.#desk.ask(dialog),
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
    const lines = sessionStart(this.#session.started, this.#setup.style);
    if (lines.length > 0) this.#setup.screen.print(lines.join('\n'));
  }

  #promptText(): string {
    const mode = this.#session.isOpen ? this.#session.started.agent.permissionMode : 'default';
    const { paint } = this.#setup.style;
    if (mode === 'default') return paint('cyan', '> ');
    return paint(mode === 'bypassPermissions' ? 'red' : 'yellow', `${mode}> `);
  }

  #note(text: string): void {
    this.#setup.screen.print(this.#setup.style.paint('dim', `  (${text})`));
  }

  #refuse(problem: string): number {
    this.#setup.screen.close();
    process.stderr.write(`heddle: ${harmless(problem)}\n`);
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

/** `!ls`: for the shell, not for the model. */
function isShell(text: string): boolean {
  return /^\s*!\s*\S/.test(text);
}
