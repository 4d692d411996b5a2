/**
 * The conversation: prompts one after another, with questions, interruptions and whatever is typed in between. It decides
 * who gets a typed line; what is shown and how is the business of the rooms beside it.
 */
import type { ChatCommand, SessionChoice } from '../arguments.ts';
import type { AgentSetup } from '../headless/agent-options.ts';
import { harmless } from '../terminal/harmless.ts';
import type { Chat, SlashCommand } from './commands/command.ts';
import { readSlash } from './commands/table.ts';
import { EndedTasks } from './ended-tasks.ts';
import { OpenSession } from './open-session.ts';
import { chooseSession } from './pick.ts';
import { InputQueue } from './prompts/queue.ts';
import type { Desk } from './questions/desk.ts';
import { People } from './questions/people.ts';
import { questionDesk } from './questions/question-desk.ts';
import { tailLines } from './render/tail.ts';
import type { Teller } from './render/teller.ts';
import type { Screen } from './screen/screen.ts';
import { runShellCommand, shellMessage } from './shell-command.ts';
import { Silence } from './silence.ts';
import type { Style } from './style.ts';
import { runTurn, showPiece } from './turn.ts';

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
  readonly #queue = new InputQueue();
  readonly #endedTasks = new EndedTasks((line) => this.#note(line));
  readonly #silence = new Silence((line) => this.#note(line));
  readonly #desk: Desk;
  readonly #session: OpenSession;
  /** Ends what is under way; undefined while the prompt waits. */
  #stop: ((reason: string) => void) | undefined;
  #waiting: ((line: string | undefined) => void) | undefined;
  /** Typed before it could be taken: several lines at once, or a shell command during a turn. Each is the next in its turn. */
  readonly #ahead: string[] = [];
  /** What was typed goes to the model at once, although the turn was interrupted. */
  #sendsNow = false;
  #interruptedAt = Number.NEGATIVE_INFINITY;
  #leaving = false;
  /** Nobody will type any more. */
  #ended = false;
  #failed = false;

  constructor(setup: ConversationSetup) {
    this.#setup = setup;
    const { command, options, screen, style, teller } = setup;
    this.#desk = questionDesk({ screen, style, prompt: () => this.#promptText() });
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
        tell: (text) => this.#note(harmless(text)),
        tools: {
          askUser: (questions, signal) => people.askUser(questions, signal),
          approvePlan: (plan, signal) => people.approvePlan(plan, signal),
          named: [...(command.tools ?? []), ...ASKING_TOOLS],
        },
        agent: {
          includePartialMessages: true,
          canUseTool: (question, signal) => people.mayRun(question, signal),
          takeQueued: () => this.#queue.take(),
          onEvent: (event) => {
            this.#silence.hear(event);
            for (const piece of teller.tell(event)) showPiece(piece, screen);
            if (event.type === 'message') this.#endedTasks.watch(this.#session.started.tasks);
          },
        },
      },
    });
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
    this.#stop?.(INTERRUPTED);
    this.#waiting?.(undefined);
  }

  /** Ctrl-C: ends what is under way; at the prompt it clears the line, and leaves when pressed again. */
  interrupt(): void {
    const { screen, now } = this.#setup;
    const hadQuestion = this.#desk.isOpen;
    this.#desk.dismiss();
    if (this.#stop) return this.#stop(INTERRUPTED);
    if (hadQuestion || screen.takeDraft() !== '') return;
    if (now() - this.#interruptedAt < TWICE_MS || this.#ended) return this.#waiting?.(undefined);
    this.#interruptedAt = now();
    this.#note('press Ctrl-C again to leave');
  }

  async #talk(first: string): Promise<void> {
    if (first.trim() !== '') {
      this.#setup.screen.print(`${this.#promptText()}${harmless(first)}`);
      await this.#take(first);
    }
    while (!this.#leaving && !this.#ended) {
      const line = await this.#nextLine();
      if (line === undefined) return;
      await this.#take(line);
    }
  }

  #nextLine(): Promise<string | undefined> {
    const early = this.#queue.takeText() ?? this.#ahead.shift();
    if (early !== undefined) {
      this.#setup.screen.print(`${this.#promptText()}${harmless(early)}`);
      return Promise.resolve(early);
    }
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting = resolve;
    this.#setup.screen.ask(this.#promptText());
    return promise.finally(() => {
      this.#waiting = undefined;
    });
  }

  #line(text: string): void {
    this.#interruptedAt = Number.NEGATIVE_INFINITY;
    if (this.#desk.isOpen) return this.#desk.read(text);
    if (this.#stop) return text.trim() === '' ? undefined : this.#meanwhile(text);
    const take = this.#waiting;
    if (take) {
      this.#waiting = undefined;
      take(text);
    } else if (text.trim() !== '') this.#ahead.push(text);
  }

  /** Typed while something is under way: a prompt waits to join it, some commands need not wait. */
  #meanwhile(text: string): void {
    const slash = readSlash(text);
    if (!slash && isShell(text)) {
      this.#ahead.push(text);
      return this.#note(`runs after this turn: ${harmless(text.trim())}`);
    }
    if (!slash) {
      this.#queue.add(text);
      this.#setup.remember(text);
      return this.#note(`queued: ${harmless(text)}`);
    }
    if (slash.kind === 'unknown') return this.#note(slash.message);
    if (slash.command.anytime) return void this.#command(slash.command, slash.words);
    this.#note(`/${slash.command.name} has to wait until this turn is over`);
  }

  /** Esc sends what is being typed at once; with nothing typed it interrupts. */
  #escape(draft: string): void {
    if (this.#desk.isOpen || (this.#stop && draft.trim() === '')) return this.interrupt();
    if (!this.#stop) return;
    this.#setup.screen.takeDraft();
    this.#queue.add(draft);
    this.#setup.remember(draft);
    this.#sendsNow = true;
    this.#stop('interrupt');
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#desk.dismiss();
    if (this.#stop) this.#note('leaving when this turn is over; Ctrl-C ends it now');
    this.#waiting?.(undefined);
  }

  async #take(text: string): Promise<void> {
    const line = text.trim();
    if (line === '') return;
    this.#setup.remember(text);
    const slash = readSlash(line);
    if (slash?.kind === 'unknown') return this.#setup.screen.print(slash.message);
    if (slash) return this.#working(() => this.#command(slash.command, slash.words));
    if (isShell(line)) return this.#shell(line.slice(1).trim());
    let prompt: string | undefined = text;
    while (prompt !== undefined && !this.#leaving) prompt = await this.#turn(prompt);
  }

  /** Answers with what comes next: what was typed meanwhile, and did not join. */
  async #turn(prompt: string): Promise<string | undefined> {
    const { agent, tasks } = this.#session.started;
    let wasInterrupted = false;
    this.#sendsNow = false;
    const work = async (): Promise<void> => {
      this.#failed = !(await runTurn(prompt, { ...this.#setup, agent }));
    };
    await this.#working(work, (reason) => {
      wasInterrupted = true;
      agent.abort(reason);
    });
    this.#endedTasks.watch(tasks);
    const left = this.#queue.takeText();
    if (this.#sendsNow || !wasInterrupted) return left;
    const unsent = [...(left === undefined ? [] : [left]), ...this.#ahead.splice(0)];
    if (unsent.length > 0) this.#setup.screen.put(unsent.join('\n'));
    return undefined;
  }

  async #shell(command: string): Promise<void> {
    const { screen, options } = this.#setup;
    const { signal, abort } = abortable();
    const work = async (): Promise<void> => {
      const show = (text: string): void => screen.stream(text);
      const end = await runShellCommand(command, { cwd: options.cwd, signal, show });
      screen.endStream();
      if (end.code !== 0) this.#note(end.code === null ? 'ended' : `exit code ${end.code}`);
      const added = this.#session.started.agent.add(shellMessage(command, end));
      if (!added.ok) screen.print(harmless(added.message));
    };
    await this.#working(work, abort);
  }

  async #command({ name, run }: SlashCommand, words: string): Promise<void> {
    try {
      await run(words, this.#chat());
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      this.#setup.screen.print(harmless(`/${name} failed: ${why}`));
    }
  }

  /** While it runs, what is typed is queued, and Ctrl-C ends it. */
  async #working(
    work: () => Promise<void>,
    stop: (reason: string) => void = (reason) => this.#session.started.agent.abort(reason),
  ): Promise<void> {
    this.#stop = stop;
    this.#setup.screen.busy(this.#promptText());
    try {
      await work();
    } finally {
      this.#stop = undefined;
      this.#silence.end();
    }
  }

  #chat(): Chat {
    const { screen, style, configDir } = this.#setup;
    const session = this.#session;
    return {
      style,
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
        this.#stop?.(INTERRUPTED);
      },
    };
  }

  #showSession(): void {
    const { agent, session, notices } = this.#session.started;
    for (const notice of notices) this.#note(harmless(notice));
    const messages = [...agent.messages];
    if (messages.length === 0) return;
    const lines = tailLines(messages, session.projection.openCalls.length, this.#setup.style);
    this.#setup.screen.print(lines.join('\n'));
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
    if (hint !== undefined) screen.print(style.paint('dim', hint));
    screen.close();
    // Only a script that came through a pipe wants to know how its last prompt went.
    return this.#failed && !process.stdin.isTTY ? 1 : 0;
  }
}

/** `!ls`: for the shell, not for the model. */
function isShell(text: string): boolean {
  return /^\s*!\s*\S/.test(text);
}

function abortable(): { readonly signal: AbortSignal; readonly abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
