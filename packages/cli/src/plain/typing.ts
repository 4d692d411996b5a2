/** Who gets a typed line: the question that is open, the run that is under way, or whoever waits for the next prompt. */
import { harmless } from '../terminal/harmless.ts';
import { modeAfter } from './commands/mode-cycle.ts';
import { readSlash } from './commands/table.ts';
import type { Inbox } from './prompts/inbox.ts';
import type { Desk } from './questions/desk.ts';
import type { Screen } from './screen/screen.ts';
import type { OpenSession } from './session/open-session.ts';
import type { Work } from './turn/work.ts';

export interface TypingSetup {
  readonly desk: Desk;
  readonly inbox: Inbox;
  readonly screen: Screen;
  readonly session: OpenSession;
  readonly work: Work;
  /** A word beside the conversation. */
  readonly note: (text: string) => void;
  readonly prompt: () => string;
  /** Keeps a prompt for the arrow keys. */
  readonly remember: (prompt: string) => void;
  readonly interrupt: () => void;
}

/** Lines that follow each other faster than this were not typed by hand. */
const BURST_MS = 25;

export class Typing {
  readonly #setup: TypingSetup;
  /** What was typed goes to the model at once, although the turn was interrupted. */
  #sendsNow = false;
  /** Lines that arrived at a question together. */
  #burst: string[] = [];
  #burstEnd: NodeJS.Timeout | undefined;

  constructor(setup: TypingSetup) {
    this.#setup = setup;
  }

  /** Whether the turn that has just ended was interrupted for the sake of what was typed. */
  takeSendsNow(): boolean {
    const sendsNow = this.#sendsNow;
    this.#sendsNow = false;
    return sendsNow;
  }

  line(text: string): void {
    const { desk, work, inbox } = this.#setup;
    if (desk.isOpen) this.#collect(text);
    else if (!work.isUnderWay) inbox.give(text);
    else if (text.trim() !== '') this.#meanwhile(text);
  }

  /** Esc sends what is being typed at once; with nothing typed it interrupts. */
  escape(draft: string): void {
    const { desk, work, inbox, screen, remember, interrupt } = this.#setup;
    if (desk.isOpen || (work.isUnderWay && draft.trim() === '')) return interrupt();
    if (!work.isUnderWay) return;
    screen.takeDraft();
    inbox.join(draft);
    remember(draft);
    this.#sendsNow = true;
    work.stop('interrupt');
  }

  /** Shift-Tab. */
  async nextMode(): Promise<void> {
    const { desk, screen, session, work, prompt } = this.#setup;
    if (!session.isOpen) return;
    const slash = readSlash(`/mode ${modeAfter(session.started.agent.permissionMode)}`);
    if (slash?.kind === 'command') await work.beside(slash.command, slash.words);
    if (!desk.isOpen) screen.reprompt(prompt());
  }

  /**
   * Joins lines that arrive together into one answer. A terminal without bracketed paste delivers pasted text line by line,
   * and a line of it that holds only "1" must not choose.
   */
  #collect(text: string): void {
    // A pipe hands out one line for each question.
    if (this.#setup.screen.isPipe) return this.#answer(text);
    this.#burst.push(text);
    clearTimeout(this.#burstEnd);
    this.#burstEnd = setTimeout(() => {
      const lines = this.#burst.splice(0);
      if (this.#setup.desk.isOpen) this.#answer(lines.join('\n'));
      else for (const line of lines) this.line(line);
    }, BURST_MS);
  }

  /**
   * At a question. Commands that only show something work there, too; others are no answer and wait, unless the question
   * takes any words.
   */
  #answer(text: string): void {
    const { desk, work } = this.#setup;
    const slash = readSlash(text);
    if (slash?.kind === 'command' && slash.command.anytime)
      return void work.beside(slash.command, slash.words).then(() => desk.askAgain());
    if (desk.takesWords || !(slash || isShell(text))) return desk.read(text);
    this.#meanwhile(text);
    desk.askAgain();
  }

  /** While something is under way a prompt waits to join it; some commands need not wait, others run after it. */
  #meanwhile(text: string): void {
    const { work, inbox, note, remember } = this.#setup;
    const slash = readSlash(text);
    if (slash?.kind === 'unknown') return note(slash.message);
    if (slash?.command.anytime) return void work.beside(slash.command, slash.words);
    if (slash || isShell(text)) {
      inbox.later(text);
      return note(`runs after this turn: ${harmless(text.trim())}`);
    }
    inbox.join(text);
    remember(text);
    note(`queued: ${harmless(text)}`);
  }
}

/** `!ls`: for the shell, not for the model. */
export function isShell(text: string): boolean {
  return /^\s*!\s*\S/.test(text);
}
