/**
 * Pastes in the input line. For a long text, the line shows a short mark, and the text replaces it when the line is sent.
 * The path of an image becomes a mention, because terminals paste the path of a file that is dropped on their window. An
 * image from the clipboard is a mark, too.
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Draft } from '../terminal/input/editor.ts';
import { isLongPaste } from '../terminal/input/long-paste.ts';

/** The start of a line that the conversation runs instead of sending it. */
const COMMAND = /^\s*[/!#]/;
const MARK = /\[(?:Pasted text|Image) #\d+(?: \+\d+ lines)?\]/g;
const IMAGE_MARK = /(\[Image #\d+\])/;

interface Folded {
  /** The mark in the line. */
  readonly mark: string;
  /** The text that is sent. */
  readonly text: string;
  readonly kind: 'paste' | 'image';
}

export class FoldedPastes {
  readonly #folded: Folded[] = [];

  /** Returns the text for the line: the paste itself, or a mark. */
  fold(pasted: string): string {
    const image = droppedImage(pasted);
    if (image !== undefined) return `@"${image}" `;
    const text = escapeControls(pasted.replaceAll(/\r\n?/g, '\n'));
    return this.#foldText(text);
  }

  #foldText(text: string): string {
    if (!isLongPaste(text)) return text;
    const lines = text.split('\n').length;
    return this.#add((number) => `[Pasted text #${number} +${lines} lines]`, { text, kind: 'paste' });
  }

  /** Returns a mark that is replaced by a mention of the file. */
  foldImage(file: string): string {
    return this.#add((number) => `[Image #${number}]`, { text: `@"${file}"`, kind: 'image' });
  }

  /** The texts that the line does not show. */
  get texts(): readonly string[] {
    return this.#folded.filter(({ kind }) => kind === 'paste').map(({ text }) => text);
  }

  /** Replaces the marks by their texts. A mark that was edited stays as it is. A text at the start is never a command. */
  unfold(line: string): string {
    return guarded(line, this.#replaceMarks(line));
  }

  /** Returns the line as an editor shows it. Beside a long paste, images stay marks. */
  toEdit(line: string): string {
    return this.#hasPaste(line) ? guarded(line, this.#replaceMarks(line, 'paste')) : this.unfold(line);
  }

  /**
   * Returns the line for a text that was edited. If the line contained a long paste, everything between the words around its marks
   * stays a paste: it is not known which of it the user wrote.
   */
  refold(line: string, edited: string): string {
    if (!this.#hasPaste(line)) return edited;
    if (edited === this.toEdit(line)) return line;
    const marks = [...line.matchAll(MARK)].filter(([mark]) => this.#foldedAs(mark)?.kind === 'paste');
    const before = line.slice(0, marks[0]?.index);
    const last = marks.at(-1);
    const after = last ? line.slice(last.index + last[0].length) : '';
    const start = edited.startsWith(before) ? before : '';
    const end = edited.slice(start.length).endsWith(after) ? after : '';
    const pieces = edited.slice(start.length, edited.length - end.length).split(IMAGE_MARK);
    return start + pieces.map((piece) => this.#foldText(piece)).join('') + end;
  }

  /** Removes the whole mark before the cursor. Returns undefined if there is none. */
  eraseMark({ text, cursor }: Draft): Draft | undefined {
    const mark = [...text.slice(0, cursor).matchAll(MARK)].at(-1);
    if (!mark || mark.index + mark[0].length !== cursor || this.#replaceMarks(mark[0]) === mark[0])
      return undefined;
    return { text: text.slice(0, mark.index) + text.slice(cursor), cursor: mark.index };
  }

  #replaceMarks(line: string, kind?: Folded['kind']): string {
    return line.replaceAll(MARK, (mark) => {
      const folded = this.#foldedAs(mark);
      return folded && (kind ?? folded.kind) === folded.kind ? folded.text : mark;
    });
  }

  #foldedAs(mark: string): Folded | undefined {
    return this.#folded.find((folded) => folded.mark === mark);
  }

  #hasPaste(line: string): boolean {
    return this.#replaceMarks(line, 'paste') !== line;
  }

  #add(markOf: (number: number) => string, folded: Omit<Folded, 'mark'>): string {
    const mark = markOf(this.#folded.length + 1);
    this.#folded.push({ ...folded, mark });
    return mark;
  }
}

/** Returns the unfolded line. A text that the line did not show is never a command. */
function guarded(line: string, unfolded: string): string {
  const isHiddenStart = unfolded.trimStart()[0] !== line.trimStart()[0];
  return isHiddenStart && COMMAND.test(unfolded) ? `Pasted text:\n${unfolded}` : unfolded;
}

const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
const MAX_PATH = 4_096;

/** Returns the absolute path if the paste is the path of an image that exists: plain, quoted, escaped, or a `file:` address. */
function droppedImage(pasted: string): string | undefined {
  const text = pasted.trim();
  if (text.length > MAX_PATH || /[\r\n]/.test(text)) return undefined;
  const quoted = /^(['"])(.*)\1$/.exec(text)?.[2];
  try {
    const file = text.startsWith('file:')
      ? fileURLToPath(text)
      : (quoted ?? (path.sep === '/' ? text.replaceAll(/\\(.)/g, '$1') : text));
    const isUsable =
      path.isAbsolute(file) && IMAGE.test(file) && !file.includes('"') && escapeControls(file) === file;
    return isUsable && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
