/** Converts the stream of the model to parts: its text in full, and its thinking as a short note. */
import type { ApiEvent } from '@heddle/core';
import { escapeControls } from '../../terminal/escape-controls.ts';
import type { Style } from '../../terminal/style.ts';
import { shortened } from '../../terminal/amounts.ts';
import type { OutputPart } from '../../terminal/screen.ts';

const THOUGHT_LENGTH = 100;
/** The maximum stored length of a thought. It is shown shortened. */
const KEPT_THOUGHT = 400;

export class StreamedText {
  readonly #style: Style;
  /** Text of the current block was shown. */
  #isShown = false;
  /** The current block has begun, and not ended. */
  #isOpen = false;
  /** The current thought; undefined outside of a thinking block. */
  #thought: string | undefined;

  constructor(style: Style) {
    this.#style = style;
  }

  get isShown(): boolean {
    return this.#isShown;
  }

  /** Returns true if the event replaces the text on the screen: its block begins again, as thinking. */
  isReplacedBy(event: ApiEvent): boolean {
    return this.#isOpen && this.#isShown && event.type === 'content_block_start';
  }

  /** Returns true if the completed block was shown while it streamed. */
  takeIsShown(): boolean {
    const isShown = this.#isShown;
    this.#isShown = false;
    return isShown;
  }

  observe(event: ApiEvent): readonly OutputPart[] {
    switch (event.type) {
      case 'content_block_start':
        this.#isShown = false;
        this.#isOpen = true;
        if (event.content_block.type !== 'thinking') return [];
        this.#thought = '';
        return [{ kind: 'stream', text: this.#style.paint('dim', '(thinking ') }];
      case 'content_block_delta': {
        const { delta } = event;
        if (delta.type === 'thinking_delta') this.#think(delta.thinking);
        if (delta.type !== 'text_delta' || delta.text === '') return [];
        this.#isShown = true;
        return [{ kind: 'stream', text: escapeControls(delta.text) }];
      }
      case 'content_block_stop':
        return this.end();
      default:
        return [];
    }
  }

  /** Ends the current block. */
  end(): readonly OutputPart[] {
    const end: OutputPart = { kind: 'end of stream' };
    this.#isOpen = false;
    if (this.#thought === undefined) return this.#isShown ? [end] : [];
    const { paint, signs } = this.#style;
    const thought = escapeControls(shortened(this.#thought, THOUGHT_LENGTH, signs.more));
    this.#thought = undefined;
    return [{ kind: 'stream', text: paint('dim', `${thought || signs.more})`) }, end];
  }

  #think(more: string): void {
    if (this.#thought !== undefined && this.#thought.length < KEPT_THOUGHT) this.#thought += more;
  }
}
