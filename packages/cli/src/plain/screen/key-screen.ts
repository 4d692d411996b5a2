/** A terminal that can move its cursor: keys come in one by one, and the line being typed stands below what is written. */
import { stripVTControlCharacters } from 'node:util';
import { escapeControls } from '../../terminal/escape-controls.ts';
import { choiceRows, type Completed } from '../completion/complete.ts';
import type { Recall } from '../prompts/prompt-history.ts';
import type { Style } from '../../terminal/style.ts';
import { type Draft, draftOf, EMPTY, insert, type Key, press, type EditorAction } from './editor.ts';
import { type ScreenFrame, frameOf, type FrameSpace, searchFrame, withStatus } from './frame.ts';
import { found, hitOf, Keyboard, NEW_SEARCH, type Search, type Searched, searchKey } from './search.ts';
import { ScreenWriter } from './screen-writer.ts';
import type { Screen, ScreenListener } from './screen.ts';

export interface KeyScreenSetup {
  readonly recall: Recall;
  readonly style: Style;
  /** What Tab makes of the line being typed. */
  readonly complete: (draft: Draft) => Completed;
}

/** Rows of the terminal that the line being typed leaves to the output, and the most it takes. */
const ROWS_ABOVE = 2;
const MOST_ROWS = 12;

export class KeyScreen implements Screen {
  readonly readsKeys = true;
  readonly isPipe = false;
  readonly #setup: KeyScreenSetup;
  readonly #paper: ScreenWriter;
  readonly #keyboard: Keyboard;
  #listener: ScreenListener | undefined;
  #draft: Draft = EMPTY;
  #prompt = '';
  /** A line is asked for; else it is only shown while something is typed. */
  #asking = false;
  /** An earlier prompt is looked for; what is found stands in the place of the draft. */
  #search: Search | undefined;
  /** What Ctrl-U, K, W or Alt-D took away last. */
  #cut = '';
  /** Stands above the line being typed. */
  #status: string | undefined;
  #closed = false;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream, setup: KeyScreenSetup) {
    this.#setup = setup;
    this.#paper = new ScreenWriter(output, setup.style, () => this.#frame());
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
    this.#paper.print(text);
  }

  stream(text: string): void {
    this.#paper.stream(text);
  }

  output(text: string): void {
    this.#paper.output(text);
  }

  markAnswer(): void {
    this.#paper.markAnswer();
  }

  retractAnswer(): boolean {
    return this.#paper.retractAnswer();
  }

  endStream(): void {
    this.#paper.endStream();
  }

  ask(prompt: string): void {
    this.#paper.tearOff();
    this.#search = undefined;
    this.#prompt = prompt;
    this.#asking = true;
    this.#paper.redraw();
  }

  reprompt(prompt: string): void {
    if (this.#prompt === prompt) return;
    this.#prompt = prompt;
    this.#paper.redraw();
  }

  status(text: string | undefined): void {
    if (this.#status === text) return;
    this.#status = text;
    this.#paper.redraw();
  }

  busy(prompt: string): void {
    this.#prompt = prompt;
    this.#asking = false;
    this.#paper.redraw();
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
    this.#paper.redraw();
    this.#paper.endStream();
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
    this.#paper.redraw();
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
        return this.#paper.redraw();
      case 'complete':
        return this.#completed(this.#setup.complete(this.#draft));
      case 'put back':
        return this.#edit(insert(this.#draft, this.#cut));
      case 'next mode':
        return this.#listener?.nextMode();
      case 'edit outside':
        return void this.#editOutside();
      case 'clear':
        return this.#paper.clear();
      case 'suspend':
        this.#paper.putAside();
        return this.#keyboard.suspend(() => this.#paper.takeBack());
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
    else this.#paper.redraw();
  }

  #match(): string | undefined {
    return this.#search && found(this.#search, this.#setup.recall.newestFirst);
  }

  #completed(completed: Completed): void {
    if (completed.kind === 'draft') return this.#edit(completed.draft);
    if (completed.kind === 'nothing') return;
    const { paint, signs } = this.#setup.style;
    const rows = choiceRows(completed.names, this.#paper.columns, signs.more);
    this.#paper.print(paint('dim', rows.join('\n')));
  }

  async #editOutside(): Promise<void> {
    const { editOutside } = await import('./external-editor.ts');
    this.#paper.putAside();
    this.#keyboard.release();
    const edited = await editOutside(this.#draft.text, process.env);
    if (this.#closed) return;
    this.#keyboard.seize();
    if (edited.ok) this.#draft = draftOf(escapeControls(edited.text));
    this.#paper.takeBack();
    if (!edited.ok) this.print(this.#setup.style.paint('dim', `  (${escapeControls(edited.message)})`));
  }

  #submit(): void {
    const { text } = this.#draft;
    this.#setup.recall.rest();
    this.#draft = EMPTY;
    if (this.#asking) {
      this.#asking = false;
      const indent = ' '.repeat(stripVTControlCharacters(this.#prompt).length);
      this.#paper.print(`${this.#prompt}${text.replaceAll('\n', `\n${indent}`)}`);
    } else this.#paper.redraw();
    this.#listener?.line(text);
  }

  #frame(): ScreenFrame | undefined {
    if (this.#closed) return undefined;
    const { columns, rows } = this.#paper;
    const maxRows = Math.max(1, Math.min(MOST_ROWS, rows - ROWS_ABOVE));
    const room = { columns, maxRows };
    const line = this.#lineFrame(room);
    if (this.#status === undefined) return line;
    return withStatus(this.#status, line, room, (text) => this.#setup.style.paint('dim', text));
  }

  /** The line being typed; undefined where none should be seen. */
  #lineFrame(room: FrameSpace): ScreenFrame | undefined {
    if (this.#search) {
      const match = this.#match();
      const isMissing = match === undefined && this.#search.query !== '';
      const prompt = `${isMissing ? 'not found' : 'search'} "${this.#search.query}": `;
      const paint = (text: string): string => this.#setup.style.paint('yellow', text);
      return searchFrame(prompt, hitOf(this.#search, match ?? ''), room, paint);
    }
    if (!this.#asking && this.#draft.text === '') return undefined;
    return frameOf(stripVTControlCharacters(this.#prompt), this.#draft, room, this.#prompt);
  }
}
