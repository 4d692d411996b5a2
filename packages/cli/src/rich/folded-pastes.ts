/**
 * Pastes in the input line. For a long text, the line shows a short mark, and the text replaces it when the line is sent.
 * An earlier prompt that the user may not have typed is folded, too, if something in it could count as a command or a mention.
 * The path of an image becomes a mention, because terminals paste the path of a file that is dropped on their window. An
 * image from the clipboard is a mark, too.
 */
import { writeMention } from '@heddle/agent';
import { statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Draft } from '../terminal/input/editor.ts';
import { isLongPaste } from '../terminal/input/long-paste.ts';

/** The start of a line that the conversation runs instead of sending it. */
const COMMAND = /^\s*[/!#]/;
const MARK = /\[(?:Pasted text|Earlier prompt|Image) #\d+(?: \+\d+ lines?)?\]/g;
const IMAGE_MARK = /(\[Image #\d+\])/;

interface Folded {
  /** The mark in the line. */
  readonly mark: string;
  /** The text that is sent. */
  readonly text: string;
  readonly kind: FoldedKind;
}

type FoldedKind = DataKind | 'image';
/** Texts that the user may not have written. They are never commands. */
type DataKind = 'paste' | 'prompt';

interface DataMark {
  readonly kind: DataKind;
  readonly start: number;
  readonly end: number;
}

const LABELS: Readonly<Record<DataKind, string>> = { paste: 'Pasted text', prompt: 'Earlier prompt' };

export class FoldedPastes {
  readonly #folded: Folded[] = [];

  /** Returns the text for the line: the paste itself, or a mark. */
  fold(pasted: string): string {
    const image = droppedImage(pasted);
    const mention = image === undefined ? undefined : writeMention(image);
    if (mention !== undefined) return `${mention} `;
    const text = cleaned(pasted);
    // A part of this path could be read as a mention of another file.
    if (image !== undefined) return this.#foldData(text, 'paste');
    return isLongPaste(text) ? this.#foldText(text, 'paste') : text;
  }

  /** Returns the text for the line for an earlier prompt that the user may not have typed: the prompt itself, or a mark. */
  foldPrompt(prompt: string): string {
    return this.#foldData(cleaned(prompt), 'prompt');
  }

  /** A short text stays visible if nothing in it has an effect. */
  #foldData(text: string, kind: DataKind): string {
    const hasEffect = text.includes('@') || COMMAND.test(text);
    return hasEffect || isLongPaste(text) ? this.#foldText(text, kind) : text;
  }

  #foldText(text: string, kind: DataKind): string {
    const lines = text.split('\n').length;
    const unit = lines === 1 ? 'line' : 'lines';
    return this.#add((number) => `[${LABELS[kind]} #${number} +${lines} ${unit}]`, { text, kind });
  }

  /** Returns a mark that is replaced by a mention of the file. */
  foldImage(file: string): string {
    return this.#add((number) => `[Image #${number}]`, { text: `@"${file}"`, kind: 'image' });
  }

  /** The texts that the line does not show. */
  get texts(): readonly string[] {
    return this.#folded.filter(({ kind }) => kind !== 'image').map(({ text }) => text);
  }

  /** Replaces the marks by their texts. A mark that was edited stays as it is. A text at the start is never a command. */
  unfold(line: string): string {
    return this.#guarded(line, this.#replaceMarks(line));
  }

  /** Returns the line as an editor shows it. Beside a long paste, images stay marks. */
  toEdit(line: string): string {
    const hasData = this.#dataMarks(line).length > 0;
    return hasData ? this.#guarded(line, this.#replaceData(line)) : this.unfold(line);
  }

  /**
   * Returns the line for a text that was edited. If the line contained a long paste, everything between the words around its marks
   * stays a paste: it is not known which of it the user wrote.
   */
  refold(line: string, edited: string): string {
    const marks = this.#dataMarks(line);
    const kind = marks[0]?.kind;
    if (kind === undefined) return edited;
    if (edited === this.toEdit(line)) return line;
    const before = line.slice(0, marks[0]?.start);
    const after = line.slice(marks.at(-1)?.end);
    const start = edited.startsWith(before) ? before : '';
    const end = edited.slice(start.length).endsWith(after) ? after : '';
    const pieces = edited.slice(start.length, edited.length - end.length).split(IMAGE_MARK);
    const folded = pieces.map((piece) => (IMAGE_MARK.test(piece) ? piece : this.#foldData(piece, kind)));
    return start + folded.join('') + end;
  }

  /** Removes the whole mark before the cursor. Returns undefined if there is none. */
  eraseMark({ text, cursor }: Draft): Draft | undefined {
    const mark = [...text.slice(0, cursor).matchAll(MARK)].at(-1);
    if (!mark || mark.index + mark[0].length !== cursor || this.#replaceMarks(mark[0]) === mark[0])
      return undefined;
    return { text: text.slice(0, mark.index) + text.slice(cursor), cursor: mark.index };
  }

  #replaceMarks(line: string): string {
    return line.replaceAll(MARK, (mark) => this.#foldedAs(mark)?.text ?? mark);
  }

  /** Replaces the marks of texts, but not those of images. */
  #replaceData(line: string): string {
    return line.replaceAll(MARK, (mark) => {
      const folded = this.#foldedAs(mark);
      return folded && folded.kind !== 'image' ? folded.text : mark;
    });
  }

  #foldedAs(mark: string): Folded | undefined {
    return this.#folded.find((folded) => folded.mark === mark);
  }

  /** The places of the marks that are not images. */
  #dataMarks(line: string): readonly DataMark[] {
    return [...line.matchAll(MARK)].flatMap(({ 0: mark, index }) => {
      const kind = this.#foldedAs(mark)?.kind;
      return kind === undefined || kind === 'image' ? [] : [{ kind, start: index, end: index + mark.length }];
    });
  }

  /** Returns the unfolded line. A text that the line did not show is never a command. */
  #guarded(line: string, unfolded: string): string {
    const isHiddenStart = unfolded.trimStart()[0] !== line.trimStart()[0];
    const label = LABELS[this.#dataMarks(line)[0]?.kind ?? 'paste'];
    return isHiddenStart && COMMAND.test(unfolded) ? `${label}:\n${unfolded}` : unfolded;
  }

  #add(markOf: (number: number) => string, folded: Omit<Folded, 'mark'>): string {
    const mark = markOf(this.#folded.length + 1);
    this.#folded.push({ ...folded, mark });
    return mark;
  }
}

function cleaned(text: string): string {
  return escapeControls(text.replaceAll(/\r\n?/g, '\n'));
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
    const isUsable = path.isAbsolute(file) && IMAGE.test(file) && escapeControls(file) === file;
    return isUsable && statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}
