/**
 * The screen for a terminal that can move its cursor: the transcript above, and a region at the bottom with the activity,
 * the status, the open question and the input line. Only the region is redrawn.
 */
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { LoopEvent } from '@heddle/core';
import { choiceRows } from '../terminal/completion/complete.ts';
import type { Dialog } from '../terminal/dialog.ts';
import { escapeControls } from '../terminal/escape-controls.ts';
import { draftOf, type Key } from '../terminal/input/editor.ts';
import type { editOutside } from '../terminal/input/external-editor.ts';
import { Keyboard } from '../terminal/input/keyboard.ts';
import type { LiveView, Screen, ScreenListener } from '../terminal/screen.ts';
import type { Style } from '../terminal/style.ts';
import { Attention } from './attention.ts';
import { activityRows, SPIN_MS } from './activity.ts';
import type { HiddenPart } from './dialog-space.ts';
import { dialogKey, dialogRows, isArrow, isWholeKey, type OpenDialog, printedLines } from './dialog-view.ts';
import { FileIndex } from './file-index.ts';
import { InputFrames } from './input-frames.ts';
import { beginWork, endWork, IDLE, type LiveState, reduceEvent } from './live-state.ts';
import { type MenuCommand, menuRows } from './menu.ts';
import { Painter } from './painter.ts';
import { type InputAction, PromptInput, type PromptInputSetup } from './prompt-input.ts';
import { type RegionFrame, reflowOf } from './region.ts';
import { HELD_MS, Transcript } from './transcript.ts';
import { composeRegion, type RegionSize } from './view.ts';

export interface RichScreenSetup extends Omit<PromptInputSetup, 'menus' | 'takeQueued'> {
  /** The slash commands, for their menu. */
  readonly commands: readonly MenuCommand[];
  readonly style: Style;
  readonly cwd: string;
  /** Receives the replies of the terminal, for example about its background. */
  readonly onReply?: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs the editor of the user, unless a test replaces it. */
  readonly editOutside?: typeof editOutside;
}

/** Asks the terminal for its background color. */
const ASK_BACKGROUND = '\u001b]11;?\u001b\\';
/** Keys that follow each other faster belong to the text that was typed before a question appeared. */
const TYPING_MS = 300;
/** A single key answers a question if nothing follows it within this time. */
const SINGLE_KEY_MS = 500;
const ENTER_AGAIN = 'Your last key answered the question before. Press Enter again to answer this one.';
const EDITS_PROMPT = 'Your keys edit the prompt. Press an arrow key to answer.';
const DOUBLE_ESC_MS = 600;
/** The end of a longer turn, and a question in it, ring the bell. */
const LONG_TURN_MS = 10_000;

export class RichScreen implements Screen, LiveView {
  readonly readsKeys = true;
  readonly isPipe = false;
  readonly live: LiveView = this;
  readonly #setup: RichScreenSetup;
  readonly #transcript: Transcript;
  readonly #painter: Painter;
  readonly #keyboard: Keyboard;
  readonly #attention: Attention;
  readonly #inputFrames: InputFrames;
  readonly #prompts: PromptInput;
  /** The input line of the open question. The draft of the prompt stays untouched. */
  readonly #answers: PromptInput;
  #listener: ScreenListener | undefined;
  #prompt = '';
  /** The text before the answer to the open question. */
  #answerPrompt = '';
  /** A line is requested. Otherwise a typed line joins the current work. */
  #isAsking = false;
  #dialog: OpenDialog | undefined;
  #state: LiveState = IDLE;
  #queued: readonly string[] = [];
  #facts: readonly string[] = [];
  #spinner: NodeJS.Timeout | undefined;
  #holdTimer: NodeJS.Timeout | undefined;
  #singleKey: NodeJS.Timeout | undefined;
  #typingTimer: NodeJS.Timeout | undefined;
  /** The last key answered a question without Enter. */
  #hasAnsweredAlone = false;
  #lastKeyAt = Number.NEGATIVE_INFINITY;
  /** The user was typing when the question appeared. Keys edit the prompt until a pause. */
  #isTypingOn = false;
  /** The user moved to the open question with an arrow key. */
  #hasChosenQuestion = false;
  #escapedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, setup: RichScreenSetup) {
    this.#setup = setup;
    this.#inputFrames = new InputFrames(setup.style);
    this.#transcript = new Transcript(setup.style, () => this.#painter.size.columns);
    this.#painter = new Painter(output, {
      transcript: this.#transcript,
      compose: (size) => this.#compose(size),
      reflow: reflowOf(setup.env),
    });
    const files = new FileIndex(setup.cwd, () => {
      this.#prompts.refreshMenu();
      this.#painter.schedule();
    });
    const menus = {
      commands: setup.commands,
      files: (query: string, most: number) => files.search(query, most),
    };
    const takeQueued = (): string | undefined => this.#listener?.takeQueued();
    this.#prompts = new PromptInput({ ...setup, menus, takeQueued });
    this.#answers = new PromptInput({ recall: setup.recall, complete: setup.complete });
    this.#keyboard = new Keyboard(input, output, {
      key: (key) => this.#take(key),
      paste: (text) => {
        this.#touch();
        this.#input.paste(text);
        this.#painter.paint();
      },
      position: (row) => this.#painter.locate(row),
      reply: (text) => {
        setup.onReply?.(text);
        this.#painter.schedule();
      },
      end: () => this.#listener?.gone(),
    });
    this.#attention = new Attention(
      (bytes) => this.#painter.send(bytes),
      path.basename(setup.cwd),
      setup.env,
    );
    if (setup.onReply) this.#painter.send(ASK_BACKGROUND);
    this.#attention.show('idle');
    process.once('exit', this.#restore);
  }

  /** Leaves a readable screen if the program ends in the middle of something. */
  readonly #restore = (): void => {
    this.#attention.end();
    this.#painter.close();
  };

  listen(listener: ScreenListener): void {
    this.#listener = listener;
  }

  print(text: string): void {
    this.#transcript.print(text);
    this.#painter.schedule();
  }

  stream(text: string): void {
    this.#transcript.stream(text);
    this.#painter.schedule();
  }

  output(text: string): void {
    this.#transcript.output(text);
    this.#painter.schedule();
  }

  endStream(): void {
    this.#transcript.endStream();
    this.#painter.schedule();
  }

  markAnswer(): void {
    this.#transcript.markAnswer();
    clearTimeout(this.#holdTimer);
    this.#holdTimer = setTimeout(() => this.#release(), HELD_MS).unref();
    this.#painter.schedule();
  }

  retractAnswer(): boolean {
    const isGone = this.#transcript.retractAnswer();
    // At once: if the window shrank before the next frame, the terminal would keep the rows.
    this.#painter.flush();
    return isGone;
  }

  ask(prompt: string): void {
    if (!this.#dialog) {
      this.#callIfLong('the turn has ended');
      this.#endWork();
      this.#attention.show('idle');
    }
    this.#input.closeSearch();
    if (this.#dialog) this.#answerPrompt = prompt;
    else {
      this.#prompt = prompt;
      this.#isAsking = true;
    }
    this.#painter.schedule();
  }

  reprompt(prompt: string): void {
    if (this.#dialog) this.#answerPrompt = prompt;
    else this.#prompt = prompt;
    this.#painter.schedule();
  }

  /** The activity of the region replaces the status row. */
  status(): void {
    this.#painter.schedule();
  }

  busy(prompt: string): void {
    this.#prompt = prompt;
    this.#isAsking = false;
    this.#state = beginWork(this.#state, Date.now());
    this.#attention.show('working');
    this.#spinner ??= setInterval(() => this.#painter.paint(), SPIN_MS).unref();
    this.#painter.schedule();
  }

  put(text: string): void {
    this.#input.put(text);
    this.#painter.schedule();
  }

  putData(prompt: string): boolean {
    this.#painter.schedule();
    return this.#input.putData(prompt);
  }

  get pastedTexts(): readonly string[] {
    return [...this.#prompts.pastedTexts, ...this.#answers.pastedTexts];
  }

  takeDraft(): string {
    const text = this.#input.takeDraft();
    this.#painter.schedule();
    return text;
  }

  observe(event: LoopEvent): void {
    this.#state = reduceEvent(this.#state, event, { now: Date.now(), cwd: this.#setup.cwd });
    this.#painter.schedule();
  }

  showDialog(dialog: Dialog<unknown> | undefined, waiting: number): void {
    clearTimeout(this.#singleKey);
    if (!dialog || !this.#dialog) this.#hasChosenQuestion = false;
    this.#answers.draft = draftOf(dialog?.initial ?? '');
    this.#attention.show(dialog ? 'asking' : this.#state.startedAt === undefined ? 'idle' : 'working');
    if (!dialog) this.#dialog = undefined;
    else {
      // A hint belongs to the question that is already open.
      const isNew = this.#dialog === undefined || dialog.hint === undefined;
      // Keys that were typed before the question was visible must not answer it.
      if (isNew) this.#typeOn();
      if (isNew) this.#callIfLong('a question waits');
      const printed = isNew ? 'nothing' : (this.#dialog?.printed ?? 'nothing');
      const selected = isNew ? 0 : (this.#dialog?.selected ?? 0);
      const hasTyped = !isNew && this.#dialog?.hasTyped === true;
      this.#dialog = { dialog, waiting, selected, hasTyped, printed, hint: dialog.hint };
    }
    this.#painter.schedule();
  }

  showQueued(prompts: readonly string[]): void {
    this.#queued = prompts;
    this.#painter.schedule();
  }

  showFacts(facts: readonly string[]): void {
    this.#facts = facts;
    this.#painter.schedule();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#endWork();
    for (const timer of [this.#holdTimer, this.#singleKey, this.#typingTimer]) clearTimeout(timer);
    this.#transcript.endStream();
    this.#transcript.release();
    this.#attention.end();
    this.#painter.close();
    process.off('exit', this.#restore);
    this.#keyboard.close();
  }

  /** The line that keys edit. */
  get #input(): PromptInput {
    return this.#isAnswering ? this.#answers : this.#prompts;
  }

  /**
   * Keys answer the open question. If the prompt has text, they continue to edit it: even after a pause, an Enter may be meant for
   * the prompt. Then an arrow key moves to the question. A single letter may be an answer that came too early.
   */
  get #isAnswering(): boolean {
    if (!this.#dialog || this.#isTypingOn) return false;
    return this.#hasChosenQuestion || this.#prompts.draft.text.length < 2;
  }

  /** Calls the user if a turn took long and the user has typed nothing for a while. */
  #callIfLong(why: string): void {
    const { startedAt } = this.#state;
    const now = Date.now();
    if (startedAt !== undefined && now - Math.max(startedAt, this.#lastKeyAt) >= LONG_TURN_MS)
      this.#attention.call(why);
  }

  #endWork(): void {
    this.#state = endWork(this.#state);
    clearInterval(this.#spinner);
    this.#spinner = undefined;
    this.#transcript.release();
  }

  #release(): void {
    this.#transcript.release();
    this.#painter.schedule();
  }

  /** Prints a question that does not fit into the region, once. Another size of the window may require it later. */
  #printHidden(open: OpenDialog, hides: HiddenPart): void {
    if (hides === 'nothing' || hides === open.printed || open.printed === 'choices') return;
    this.#dialog = { ...open, printed: hides };
    this.#transcript.print(printedLines(open.dialog, hides).join('\n'));
    this.#painter.schedule();
  }

  /** Keeps the keys of a user who is typing away from a question that has just appeared. */
  #typeOn(): void {
    this.#isTypingOn = true;
    clearTimeout(this.#typingTimer);
    this.#typingTimer = setTimeout(() => {
      this.#isTypingOn = false;
      this.#painter.schedule();
    }, TYPING_MS);
  }

  #touch(): void {
    if (this.#isTypingOn) this.#typeOn();
    this.#lastKeyAt = Date.now();
    this.#hasAnsweredAlone = false;
    clearTimeout(this.#singleKey);
    this.#listener?.touched();
  }

  #take(key: Key): void {
    const isInterrupt = key.ctrl === true && key.name === 'c';
    // The user may have meant the question that is already answered.
    const isLateEnter = key.name === 'return' && this.#hasAnsweredAlone;
    if (!isInterrupt || this.#input.isSearching) this.#touch();
    if (this.#dialog && isLateEnter) this.#dialog = { ...this.#dialog, hint: ENTER_AGAIN };
    else if (this.#dialog && this.#isAnswering) this.#takeForDialog(this.#dialog, key);
    else if (this.#dialog && !this.#isTypingOn && isArrow(key)) this.#hasChosenQuestion = true;
    // An Enter that was meant for the prompt must not be lost in a question: the text stays in the line.
    else if (!((this.#dialog || this.#isTypingOn) && key.name === 'return'))
      this.#act(this.#prompts.take(key));
    this.#painter.paint();
  }

  #takeForDialog(shown: OpenDialog, key: Key): void {
    const open: OpenDialog = { ...shown, hint: undefined };
    this.#dialog = open;
    const before = this.#answers.draft.text;
    const pressed = dialogKey(open, key, before);
    if (pressed.kind === 'select') this.#dialog = { ...open, selected: pressed.selected, hasTyped: false };
    else if (pressed.kind === 'answer') this.#listener?.line(pressed.line);
    else {
      this.#act(this.#answers.take(key));
      const typed = this.#answers.draft.text;
      // If the text searches, other choices are listed now.
      if (typed !== before && this.#dialog === open)
        this.#dialog = { ...open, hasTyped: true, ...(open.dialog.isSearchable && { selected: 0 }) };
      if (typed.length === 1 && isWholeKey(open, typed))
        this.#singleKey = setTimeout(() => {
          if (this.#dialog?.dialog !== open.dialog || this.#answers.draft.text !== typed) return;
          this.#hasAnsweredAlone = true;
          this.#listener?.line(typed);
        }, SINGLE_KEY_MS);
    }
  }

  #act(action: InputAction | undefined): void {
    switch (action?.kind) {
      case undefined:
        return;
      case 'submit':
        return this.#submit(action);
      case 'choices': {
        const { paint, signs } = this.#setup.style;
        return this.print(
          paint('dim', choiceRows(action.names, this.#painter.size.columns, signs.more).join('\n')),
        );
      }
      case 'editor':
        return this.#perform(action.action);
    }
  }

  #perform(action: Extract<InputAction, { kind: 'editor' }>['action']): void {
    switch (action) {
      case 'interrupt':
        return this.#listener?.interrupt();
      case 'leave':
        return this.#listener?.end();
      case 'escape':
        return this.#escape();
      case 'show output':
        return this.#listener?.line('/output');
      case 'next mode':
        return this.#listener?.nextMode();
      case 'edit outside':
        return void this.#editOutside();
      case 'paste image':
        return void this.#pasteImage();
      case 'clear':
        return this.#painter.clear();
      case 'suspend':
        this.#painter.pause();
        return this.#keyboard.suspend(() => this.#painter.resume());
    }
  }

  /** Interrupts. At an empty prompt, a second Esc opens the list of earlier prompts. */
  #escape(): void {
    const now = Date.now();
    const isSecond = now - this.#escapedAt < DOUBLE_ESC_MS;
    const isAtPrompt = this.#isAsking && !this.#dialog && this.#prompts.draft.text === '';
    this.#escapedAt = isAtPrompt && !isSecond ? now : Number.NEGATIVE_INFINITY;
    if (isAtPrompt && isSecond) this.#submit({ kind: 'submit', text: '/rewind', shown: '/rewind' });
    else this.#listener?.escape(this.#input.fullText);
  }

  #submit({ text, shown }: Extract<InputAction, { kind: 'submit' }>): void {
    if (this.#isAsking && !this.#dialog) {
      if (text.trim() === '') return;
      this.#isAsking = false;
      const indent = ' '.repeat(stripVTControlCharacters(this.#prompt).length);
      const { paint } = this.#setup.style;
      const lines = shown.split('\n').map((line) => paint('bold', line));
      // Empty rows separate the prompt from the turn before it, and from its answer.
      this.#transcript.print(`\n${this.#prompt}${lines.join(`\n${indent}`)}\n`);
    }
    this.#listener?.line(text);
    this.#painter.schedule();
  }

  async #editOutside(): Promise<void> {
    const edit =
      this.#setup.editOutside ?? (await import('../terminal/input/external-editor.ts')).editOutside;
    const input = this.#input;
    this.#painter.pause();
    this.#keyboard.release();
    const edited = await edit(input.textToEdit, this.#setup.env);
    if (this.#isClosed) return;
    this.#keyboard.seize();
    if (edited.ok) input.takeEdited(escapeControls(edited.text));
    else this.print(this.#setup.style.paint('dim', `  (${escapeControls(edited.message)})`));
    this.#painter.resume();
  }

  async #pasteImage(): Promise<void> {
    const { clipboardImage } = await import('../terminal/input/clipboard-image.ts');
    const input = this.#input;
    const pasted = await clipboardImage(process.platform, this.#setup.env);
    if (this.#isClosed) return;
    if (pasted.ok) input.pasteImage(pasted.file);
    else this.print(this.#setup.style.paint('dim', `  (${escapeControls(pasted.message)})`));
    this.#painter.schedule();
  }

  #compose(size: RegionSize): RegionFrame | undefined {
    if (this.#isClosed) return undefined;
    const { style } = this.#setup;
    const isAsking = this.#dialog !== undefined;
    const hint = this.#isAnswering || this.#prompts.draft.text.length < 2 ? {} : { hint: EDITS_PROMPT };
    const region = composeRegion(
      {
        open: this.#transcript.open,
        activity: activityRows(this.#state, this.#queued, { style, now: Date.now(), isAsking }),
        facts: [
          ...(this.#prompts.vimMode === 'normal' ? [style.paint('cyan', 'NORMAL')] : []),
          ...this.#facts,
        ],
        dialog: this.#dialog && dialogRows({ ...this.#dialog, ...hint }, this.#answers.draft.text, style),
        menu: this.#input.menu ? menuRows(this.#input.menu, style) : [],
        input: this.#inputFrames.frame(
          {
            input: this.#input,
            prompt: this.#input === this.#answers ? this.#answerPrompt : this.#prompt,
            isWorking: this.#state.startedAt !== undefined && !isAsking,
          },
          size,
        ),
      },
      size,
      style,
    );
    if (this.#dialog) this.#printHidden(this.#dialog, region.hides);
    return region;
  }
}
