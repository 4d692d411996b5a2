/** Routes a typed line: to the open question, to the current run, or to the conversation as its next prompt. */
import type { PermissionMode } from '@heddle/core';
import { escapeControls } from '../terminal/escape-controls.ts';
import { readSlash } from '../slash/slash-commands.ts';
import type { PromptInbox } from './prompts/inbox.ts';
import type { QuestionQueue } from './questions/question-queue.ts';
import type { Screen } from '../terminal/screen.ts';
import type { OpenSession } from './session/open-session.ts';
import type { TurnRunner } from './turn/turn-runner.ts';

export interface InputRouterSetup {
  readonly questionQueue: QuestionQueue;
  readonly inbox: PromptInbox;
  readonly screen: Screen;
  readonly session: OpenSession;
  readonly work: TurnRunner;
  /** Prints a note. */
  readonly note: (text: string) => void;
  readonly prompt: () => string;
  /** Adds a prompt to the history for the arrow keys. */
  readonly remember: (prompt: string) => void;
  readonly interrupt: () => void;
}

/** Lines that arrive within this time of each other were pasted. */
const BURST_MS = 25;

export class InputRouter {
  readonly #setup: InputRouterSetup;
  /** The typed text is sent at once, although the turn was interrupted. */
  #sendsNow = false;
  /** Lines that arrived together at a question. */
  #burst: string[] = [];
  #burstEnd: NodeJS.Timeout | undefined;

  constructor(setup: InputRouterSetup) {
    this.#setup = setup;
  }

  /** Returns true if the last turn was interrupted to send the typed text. */
  takeSendsNow(): boolean {
    const sendsNow = this.#sendsNow;
    this.#sendsNow = false;
    return sendsNow;
  }

  line(text: string): void {
    const { questionQueue, work, inbox } = this.#setup;
    if (questionQueue.isOpen) this.#collect(text);
    else if (!work.isUnderWay) inbox.give(text);
    else if (text.trim() !== '') this.#queue(text);
  }

  /** Handles Esc: sends the draft at once. Without a draft it interrupts. */
  escape(draft: string): void {
    const { questionQueue, work, inbox, screen, remember, interrupt } = this.#setup;
    if (questionQueue.isOpen || (work.isUnderWay && draft.trim() === '')) return interrupt();
    if (!work.isUnderWay) return;
    screen.takeDraft();
    inbox.join(draft);
    remember(draft);
    this.#sendsNow = true;
    work.stop('interrupt');
  }

  /** Takes the queued prompts back, to edit them. */
  takeQueued(): string | undefined {
    const { inbox, session } = this.#setup;
    const text = inbox.takeLeft();
    session.started.agent.queue.cancel(inbox.takeCarried());
    return text;
  }

  /** Handles Shift-Tab. */
  async nextMode(): Promise<void> {
    const { questionQueue, screen, session, work, prompt } = this.#setup;
    if (!session.isOpen) return;
    const slash = readSlash(`/mode ${modeAfter(session.started.agent.permissionMode)}`);
    if (slash?.kind === 'command') await work.beside(slash.command, slash.words);
    if (!questionQueue.isOpen) screen.reprompt(prompt());
  }

  /**
   * Joins lines that arrive together into one answer. A terminal without bracketed paste delivers pasted text line by line,
   * and a line with only "1" must not choose.
   */
  #collect(text: string): void {
    // A pipe delivers one line for each question.
    if (this.#setup.screen.isPipe) return this.#answer(text);
    this.#burst.push(text);
    clearTimeout(this.#burstEnd);
    this.#burstEnd = setTimeout(() => {
      const lines = this.#burst.splice(0);
      if (this.#setup.questionQueue.isOpen) this.#answer(lines.join('\n'));
      else for (const line of lines) this.line(line);
    }, BURST_MS);
  }

  /**
   * Handles a line at a question. Commands that only show something run at once. Other commands wait, unless the question
   * accepts any text.
   */
  #answer(text: string): void {
    const { questionQueue, work } = this.#setup;
    const slash = readSlash(text, this.#setup.session.fileCommands);
    if (slash?.kind === 'command' && slash.command.anytime)
      return void work.beside(slash.command, slash.words).then(() => questionQueue.askAgain());
    if (questionQueue.takesWords || !(slash || isShell(text))) return questionQueue.read(text);
    this.#queue(text);
    questionQueue.askAgain();
  }

  /** Handles a line during other work: a prompt joins the run. Some commands run at once, others after the turn. */
  #queue(text: string): void {
    const { work, inbox, note, remember, screen } = this.#setup;
    const slash = readSlash(text, this.#setup.session.fileCommands);
    if (slash?.kind === 'unknown') return note(slash.message);
    if (slash?.kind === 'command' && slash.command.anytime)
      return void work.beside(slash.command, slash.words);
    if (slash || isShell(text)) {
      inbox.later(text);
      return note(`runs after this turn: ${escapeControls(text.trim())}`);
    }
    inbox.join(text);
    remember(text);
    // A screen with a region shows the queue there.
    if (!screen.live) note(`queued: ${escapeControls(text)}`);
  }
}

/** Returns true for a shell command of the user, such as `!ls`. */
export function isShell(text: string): boolean {
  return /^\s*!\s*\S/.test(text);
}

/** The modes that Shift-Tab switches between. Modes that deny or allow everything are selected by name only. */
const MODE_CYCLE: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export function modeAfter(mode: PermissionMode): PermissionMode {
  return MODE_CYCLE[(MODE_CYCLE.indexOf(mode) + 1) % MODE_CYCLE.length] ?? 'default';
}
