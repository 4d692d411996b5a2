/** Runs a turn, a slash command or a shell command of the user. Only one runs at a time, and each can be stopped. */
import type { Prompt } from '@heddle/agent';
import { errorMessage, type LoopEvent } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Chat, SlashCommand } from '../../slash/command.ts';
import type { EventRenderer } from '../render/event-renderer.ts';
import type { Screen } from '../../terminal/screen.ts';
import type { OpenSession } from '../session/open-session.ts';
import type { Style } from '../../terminal/style.ts';
import { EndedTasks, Running, SilenceTimer } from './running.ts';
import { runShellCommand, shellMessage } from './shell-command.ts';
import { runTurn, showPiece } from './turn.ts';

export interface TurnRunnerSetup {
  readonly screen: Screen;
  readonly style: Style;
  readonly renderer: EventRenderer;
  readonly session: OpenSession;
  /** The interface for slash commands. */
  readonly chat: () => Chat;
  /** Prints a note. */
  readonly note: (text: string) => void;
  readonly prompt: () => string;
  /** Output is about to be written, perhaps below a question. */
  readonly loseSight: () => void;
  /** The total time during which questions were open. */
  readonly waitedMs: () => number;
  readonly now: () => number;
}

type Stop = (reason: string) => void;

export class TurnRunner {
  readonly #setup: TurnRunnerSetup;
  readonly #endedTasks: EndedTasks;
  readonly #silence: SilenceTimer;
  readonly #running: Running;
  #stop: Stop | undefined;
  #lastTurnFailed = false;

  constructor(setup: TurnRunnerSetup) {
    this.#setup = setup;
    this.#endedTasks = new EndedTasks(setup.note);
    this.#silence = new SilenceTimer(setup.note);
    const { screen, session, note, now } = setup;
    this.#running = new Running({
      cwd: session.options.cwd,
      now,
      show: (text) => screen.status(text),
      note: screen.readsKeys ? undefined : note,
    });
  }

  get isUnderWay(): boolean {
    return this.#stop !== undefined;
  }

  get lastTurnFailed(): boolean {
    return this.#lastTurnFailed;
  }

  stop(reason: string): void {
    this.#stop?.(reason);
  }

  /** Handles an event of the current run. */
  observe(event: LoopEvent): void {
    const { renderer, screen, session, loseSight } = this.#setup;
    this.#silence.observe(event);
    this.#running.observe(event);
    screen.live?.observe(event);
    const pieces = renderer.render(event);
    if (pieces.length > 0) loseSight();
    for (const piece of pieces) showPiece(piece, screen);
    if (event.type === 'message') this.#endedTasks.watch(session.started);
  }

  /** Runs a turn. Returns false if it was stopped. */
  async turn(prompt: Prompt): Promise<boolean> {
    const { started, options } = this.#setup.session;
    const { agent } = started;
    const work = async (): Promise<void> => {
      const isReplay = options.plays !== undefined;
      this.#lastTurnFailed = !(await runTurn(prompt, { ...this.#setup, agent, isReplay }));
    };
    const isComplete = await this.#do(work, (reason) => agent.abort(reason));
    this.#endedTasks.watch(started);
    return isComplete;
  }

  /** Runs a shell command. Returns false if it was stopped. */
  shell(command: string): Promise<boolean> {
    const { screen, session, note } = this.#setup;
    const stopped = new AbortController();
    const work = async (): Promise<void> => {
      const end = await runShellCommand(command, {
        cwd: session.options.cwd,
        signal: stopped.signal,
        show: (text) => screen.output(text),
      });
      screen.endStream();
      if (/^cd\b[^;&|]*$/.test(command))
        note('cd affects only its own command; the working folder has not changed');
      if (stopped.signal.aborted) note('interrupted');
      else if (end.code !== 0) note(end.code === null ? 'ended' : `exit code ${end.code}`);
      const added = session.started.agent.add(shellMessage(command, end));
      if (!added.ok) screen.print(escapeControls(added.message));
    };
    return this.#do(work, () => stopped.abort());
  }

  command(command: SlashCommand, words: string): Promise<boolean> {
    const { session } = this.#setup;
    return this.#do(
      () => this.beside(command, words),
      (reason) => session.started.agent.abort(reason),
    );
  }

  /** Runs a slash command without waiting for the current work. */
  async beside({ name, run }: SlashCommand, words: string): Promise<void> {
    try {
      await run(words, this.#setup.chat());
    } catch (thrown) {
      const why = errorMessage(thrown);
      this.#setup.screen.print(escapeControls(`/${name} failed: ${why}`));
    }
  }

  async #do(work: () => Promise<void>, stop: Stop): Promise<boolean> {
    let wasStopped = false;
    this.#stop = (reason) => {
      wasStopped = true;
      stop(reason);
    };
    this.#setup.screen.busy(this.#setup.prompt());
    try {
      await work();
    } finally {
      this.#stop = undefined;
      this.#silence.end();
      this.#running.end();
    }
    return !wasStopped;
  }
}
