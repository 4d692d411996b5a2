/** Lays out the input line for the region: the prompt with its draft, a search in the history, or a hint in an empty line. */
import { stripVTControlCharacters } from 'node:util';
import type { Draft } from '../terminal/input/editor.ts';
import { frameOf, type FrameSpace, searchFrame } from '../terminal/input/frame.ts';
import type { Style } from '../terminal/style.ts';
import { fitRow } from './cells.ts';
import type { PromptInput } from './prompt-input.ts';
import type { RegionFrame } from './region.ts';
import type { RegionSize } from './view.ts';

/** The maximum number of rows of the input line. */
const MAX_INPUT_ROWS = 12;
/** The hint in the empty input line during a turn. */
const PLACEHOLDER = 'typed text joins this turn';

export interface ShownInput {
  readonly input: Pick<PromptInput, 'draft' | 'search'>;
  readonly prompt: string;
  /** A turn runs, and no question is open. */
  readonly isWorking: boolean;
}

interface LaidOutInput extends FrameSpace {
  readonly prompt: string;
  readonly draft: Draft;
  readonly frame: RegionFrame;
}

export class InputFrames {
  readonly #style: Style;
  /** The last layout. Most frames show the same draft again. */
  #last: LaidOutInput | undefined;

  constructor(style: Style) {
    this.#style = style;
  }

  frame({ input, prompt, isWorking }: ShownInput, { columns, rows }: RegionSize): RegionFrame {
    const { paint, signs } = this.#style;
    const space = { columns, maxRows: Math.max(1, Math.min(MAX_INPUT_ROWS, Math.floor(rows / 3))) };
    const { search, draft } = input;
    if (search) {
      const label = `${search.isMissing ? 'not found' : 'search'} "${search.query}": `;
      return searchFrame(label, search, space, (text) => paint('yellow', text));
    }
    const frame = this.#layOut(prompt, draft, space);
    if (!isWorking || draft.text !== '') return frame;
    const hint = (row: string): string => fitRow(row + paint('dim', PLACEHOLDER), columns - 1, signs.more);
    return { ...frame, rows: frame.rows.map(hint) };
  }

  #layOut(prompt: string, draft: Draft, space: FrameSpace): RegionFrame {
    const last = this.#last;
    const isSame =
      last?.prompt === prompt &&
      last.draft === draft &&
      last.columns === space.columns &&
      last.maxRows === space.maxRows;
    if (isSame) return last.frame;
    const frame = frameOf(stripVTControlCharacters(prompt), draft, space, prompt);
    this.#last = { prompt, draft, ...space, frame };
    return frame;
  }
}
