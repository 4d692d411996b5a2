/** Long pastes in the input line: the line shows a short mark, and the text replaces it when the line is sent. */
import { escapeControls } from '../terminal/escape-controls.ts';
import type { Draft } from '../terminal/input/editor.ts';

/** A longer paste is folded. */
const MAX_LINES = 10;
const MAX_LENGTH = 2_000;
const MARK = /\[Pasted text #(\d+) \+(\d+) lines\]/g;

export class FoldedPastes {
  readonly #texts: string[] = [];

  /** Returns the text for the line: the paste itself, or a mark. */
  fold(pasted: string): string {
    const text = escapeControls(pasted.replaceAll(/\r\n?/g, '\n'));
    const lines = text.split('\n').length;
    if (lines <= MAX_LINES && text.length <= MAX_LENGTH) return text;
    this.#texts.push(text);
    return markOf(this.#texts.length, text);
  }

  /** Replaces the marks by their texts. A mark that was edited stays as it is. */
  unfold(line: string): string {
    return line.replaceAll(MARK, (mark, number: string) => {
      const text = this.#texts[Number(number) - 1];
      return text !== undefined && markOf(Number(number), text) === mark ? text : mark;
    });
  }

  /** Removes the whole mark before the cursor. Returns undefined if there is none. */
  eraseMark({ text, cursor }: Draft): Draft | undefined {
    const mark = [...text.slice(0, cursor).matchAll(MARK)].at(-1);
    if (!mark || mark.index + mark[0].length !== cursor || this.unfold(mark[0]) === mark[0]) return undefined;
    return { text: text.slice(0, mark.index) + text.slice(cursor), cursor: mark.index };
  }
}

function markOf(number: number, text: string): string {
  return `[Pasted text #${number} +${text.split('\n').length} lines]`;
}
