/** The model's words as they come: its text as it streams, of what it thinks a short note. */
import type { ApiEvent } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { shortened } from '../../terminal/amounts.ts';
import type { OutputPart } from '../screen/screen.ts';

const THOUGHT_LENGTH = 100;
/** More of a thought is not kept: it is shown shortened. */
const KEPT_THOUGHT = 400;

export class StreamedText {
  readonly #style: Style;
  /** Text of the block that streams now was shown. */
  #isSaid = false;
  /** Undefined: nothing is being thought. */
  #thought: string | undefined;

  constructor(style: Style) {
    this.#style = style;
  }

  get isSaid(): boolean {
    return this.#isSaid;
  }

  /** Whether the block that is complete now was shown as it streamed. */
  takeIsSaid(): boolean {
    const isSaid = this.#isSaid;
    this.#isSaid = false;
    return isSaid;
  }

  hear(event: ApiEvent): readonly OutputPart[] {
    switch (event.type) {
      case 'content_block_start':
        this.#isSaid = false;
        if (event.content_block.type !== 'thinking') return [];
        this.#thought = '';
        return [{ kind: 'stream', text: this.#style.paint('dim', '(thinking ') }];
      case 'content_block_delta': {
        const { delta } = event;
        if (delta.type === 'thinking_delta') this.#think(delta.thinking);
        if (delta.type !== 'text_delta' || delta.text === '') return [];
        this.#isSaid = true;
        return [{ kind: 'stream', text: escapeControls(delta.text) }];
      }
      case 'content_block_stop':
        return this.end();
      default:
        return [];
    }
  }

  /** Nothing more of this block comes. */
  end(): readonly OutputPart[] {
    const end: OutputPart = { kind: 'end of stream' };
    if (this.#thought === undefined) return this.#isSaid ? [end] : [];
    const { paint, signs } = this.#style;
    const thought = escapeControls(shortened(this.#thought, THOUGHT_LENGTH, signs.more));
    this.#thought = undefined;
    return [{ kind: 'stream', text: paint('dim', `${thought || signs.more})`) }, end];
  }

  #think(more: string): void {
    if (this.#thought !== undefined && this.#thought.length < KEPT_THOUGHT) this.#thought += more;
  }
}
