/** The screen for a terminal that can move its cursor. It reads single keys and shows the input line below the output. */
import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from '../terminal/escape-controls.ts';
import { choiceRows, type Completed } from '../terminal/completion/complete.ts';
import type { Recall } from '../terminal/input/prompt-history.ts';
import type { Style } from '../terminal/style.ts';
import {
  type Draft,
  draftOf,
  EMPTY,
  insert,
  type Key,
  press,
  type EditorAction,
} from '../terminal/input/editor.ts';
import {
  type ScreenFrame,
  frameOf,
  type FrameSpace,
  searchFrame,
  withStatus,
} from '../terminal/input/frame.ts';
import {
  found,
  hitOf,
  Keyboard,
  NEW_SEARCH,
  type Search,
  type Searched,
  searchKey,
} from '../terminal/input/search.ts';
import { ScreenWriter } from './screen-writer.ts';
import type { Screen, ScreenListener } from '../terminal/screen.ts';

export interface KeyScreenSetup {
  readonly recall: Recall;
  readonly style: Style;
  /** Completes the input line on Tab. */
  readonly complete: (draft: Draft) => Completed;
}

/** The number of rows that the input line leaves to the output. */
const ROWS_ABOVE = 2;
/** The maximum number of rows of the input line. */
const MAX_ROWS = 12;

export class KeyScreen implements Screen {
  readonly readsKeys = true;
  readonly isPipe = false;
  readonly #setup: KeyScreenSetup;
  readonly #writer: ScreenWriter;
  readonly #keyboard: Keyboard;
  #listener: ScreenListener | undefined;
  #draft: Draft = EMPTY;
  #prompt = '';
  /** A line is requested. Otherwise the input line is only shown while it contains text. */
  #asking = false;
  /** The current history search. Its match is shown instead of the draft. */
  #search: Search | undefined;
  /** The text that Ctrl-U, K, W or Alt-D removed last. */
  #cut = '';
  /** The status row above the input line. */
  #status: string | undefined;
  #closed = false;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, setup: KeyScreenSetup) {
    this.#setup = setup;
    this.#writer = new ScreenWriter(output, setup.style, () => this.#frame());
    this.#keyboard = new Keyboard(input, output, {
      key: (key) => this.#take(key),
      paste: (text) => {
        this.#listener?.touched();
        this.#search = undefined;
        this.#edit(insert(this.#draft, text));
      },
      end: () => this.#listener?.gone(),
    });
  }

  listen(listener: ScreenListener): void {
    this.#listener = listener;
  }

  print(text: string): void {
    this.#writer.print(text);
  }

  stream(text: string): void {
    this.#writer.stream(text);
  }

  output(text: string): void {
    this.#writer.output(text);
  }

  markAnswer(): void {
    this.#writer.markAnswer();
  }

  retractAnswer(): boolean {
    return this.#writer.retractAnswer();
  }

  endStream(): void {
    this.#writer.endStream();
  }

  ask(prompt: string): void {
    this.#writer.tearOff();
    this.#search = undefined;
    this.#prompt = prompt;
    this.#asking = true;
    this.#writer.redraw();
  }

  reprompt(prompt: string): void {
    if (this.#prompt === prompt) return;
    this.#prompt = prompt;
    this.#writer.redraw();
  }

  status(text: string | undefined): void {
    if (this.#status === text) return;
    this.#status = text;
    this.#writer.redraw();
  }

  busy(prompt: string): void {
    this.#prompt = prompt;
    this.#asking = false;
    this.#writer.redraw();
  }

  put(text: string): void {
    const parts = [text, this.#draft.text].filter((part) => part !== '');
    this.#edit(draftOf(parts.join('\n')));
  }

  takeDraft(): string {
    const { text } = this.#draft;
    this.#setup.recall.rest();
    this.#edit(EMPTY);
    return text;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#writer.redraw();
    this.#writer.endStream();
    this.#keyboard.close();
  }

  #take(key: Key): void {
    const pressed = press(this.#draft, key);
    if (this.#search || pressed.kind !== 'wish' || pressed.wish !== 'interrupt') this.#listener?.touched();
    if (this.#search) return this.#searched(searchKey(this.#search, key));
    if (pressed.kind === 'wish') return this.#grant(pressed.wish);
    if (pressed.cut) this.#cut = pressed.cut;
    this.#edit(pressed.draft);
  }

  #edit(draft: Draft): void {
    this.#draft = draft;
    this.#writer.redraw();
  }

  #grant(wish: EditorAction): void {
    switch (wish) {
      case 'submit':
        return this.#submit();
      case 'interrupt':
        return this.#listener?.interrupt();
      case 'leave':
        return this.#listener?.end();
      case 'escape':
        return this.#listener?.escape(this.#draft.text);
      case 'older':
        return this.#recalled(this.#setup.recall.older(this.#draft.text));
      case 'newer':
        return this.#recalled(this.#setup.recall.newer());
      case 'search':
        this.#search = NEW_SEARCH;
        return this.#writer.redraw();
      case 'complete':
        return this.#completed(this.#setup.complete(this.#draft));
      case 'put back':
        return this.#edit(insert(this.#draft, this.#cut));
      case 'next mode':
        return this.#listener?.nextMode();
      case 'edit outside':
        return void this.#editOutside();
      case 'clear':
        return this.#writer.clear();
      case 'suspend':
        this.#writer.pause();
        return this.#keyboard.suspend(() => this.#writer.resume());
    }
  }

  #recalled(text: string | undefined): void {
    if (text !== undefined) this.#edit(draftOf(text));
  }

  #searched(searched: Searched): void {
    const match = this.#match();
    this.#search = searched.kind === 'search' ? searched.search : undefined;
    if (searched.kind === 'take' && match !== undefined) this.#draft = draftOf(match);
    if (searched.kind === 'take' && searched.submit && match !== undefined) this.#submit();
    else this.#writer.redraw();
  }

  #match(): string | undefined {
    return this.#search && found(this.#search, this.#setup.recall.newestFirst);
  }

  #completed(completed: Completed): void {
    if (completed.kind === 'draft') return this.#edit(completed.draft);
    if (completed.kind === 'nothing') return;
    const { paint, signs } = this.#setup.style;
    const rows = choiceRows(completed.names, this.#writer.columns, signs.more);
    this.#writer.print(paint('dim', rows.join('\n')));
  }

  async #editOutside(): Promise<void> {
    const { editOutside } = await import('../terminal/input/external-editor.ts');
    this.#writer.pause();
    this.#keyboard.release();
    const edited = await editOutside(this.#draft.text, process.env);
    if (this.#closed) return;
    this.#keyboard.seize();
    if (edited.ok) this.#draft = draftOf(escapeControls(edited.text));
    this.#writer.resume();
    if (!edited.ok) this.print(this.#setup.style.paint('dim', `  (${escapeControls(edited.message)})`));
  }

  #submit(): void {
    const { text } = this.#draft;
    this.#setup.recall.rest();
    this.#draft = EMPTY;
    if (this.#asking) {
      this.#asking = false;
      const indent = ' '.repeat(stripVTControlCharacters(this.#prompt).length);
      this.#writer.print(`${this.#prompt}${text.replaceAll('\n', `\n${indent}`)}`);
    } else this.#writer.redraw();
    this.#listener?.line(text);
  }

  #frame(): ScreenFrame | undefined {
    if (this.#closed) return undefined;
    const { columns, rows } = this.#writer;
    const maxRows = Math.max(1, Math.min(MAX_ROWS, rows - ROWS_ABOVE));
    const space = { columns, maxRows };
    const line = this.#lineFrame(space);
    if (this.#status === undefined) return line;
    return withStatus(this.#status, line, space, (text) => this.#setup.style.paint('dim', text));
  }

  /** Lays out the input line. Returns undefined if it is hidden. */
  #lineFrame(space: FrameSpace): ScreenFrame | undefined {
    if (this.#search) {
      const match = this.#match();
      const isMissing = match === undefined && this.#search.query !== '';
      const prompt = `${isMissing ? 'not found' : 'search'} "${this.#search.query}": `;
      const paint = (text: string): string => this.#setup.style.paint('yellow', text);
      return searchFrame(prompt, hitOf(this.#search, match ?? ''), space, paint);
    }
    if (!this.#asking && this.#draft.text === '') return undefined;
    return frameOf(stripVTControlCharacters(this.#prompt), this.#draft, space, this.#prompt);
  }
}
