/**
 * Writes the transcript and the region to the terminal. Keys are shown at once, events at up to 30 frames per second.
 * Many rows are written in steps, so that keys are read between them.
 */
import { eraseRegion, patchRegion, type Reflow, type RegionFrame, type ShownRegion } from './region.ts';
import type { RegionSize } from './view.ts';
import type { Transcript } from './transcript.ts';

const FRAME_MS = 33;
/** The bytes of one step. A terminal shows them within a few milliseconds. */
const STEP_BYTES = 32_768;

export interface PainterSetup {
  readonly transcript: Transcript;
  /** Composes the region for this size. Undefined if there is none. */
  readonly compose: (size: RegionSize) => RegionFrame | undefined;
  readonly reflow: Reflow;
}

export class Painter {
  readonly #output: NodeJS.WriteStream;
  readonly #setup: PainterSetup;
  #shown: ShownRegion | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastFrameAt = 0;
  #isPaused = false;
  #isAskingSize = false;

  constructor(output: NodeJS.WriteStream, setup: PainterSetup) {
    this.#output = output;
    this.#setup = setup;
    output.on('resize', () => {
      if (!this.#isAskingSize) this.paint();
    });
    // A closed terminal is reported by the input side.
    output.on('error', () => undefined);
  }

  /** The last known size. */
  get size(): RegionSize {
    try {
      const [columns, rows] = this.#output.getWindowSize();
      return { columns: Math.max(2, columns || 80), rows: Math.max(2, rows || 24) };
    } catch {
      return { columns: 80, rows: 24 };
    }
  }

  /** Redraws the region at once. The transcript follows with the next frame. */
  paint(): void {
    if (this.#isPaused) return;
    this.#write([]);
  }

  /** Draws a frame soon. */
  schedule(): void {
    if (this.#timer !== undefined || this.#isPaused) return;
    const wait = Math.max(0, this.#lastFrameAt + FRAME_MS - performance.now());
    this.#timer = setTimeout(() => this.flush(), wait);
  }

  /** Writes the next rows of the transcript, and the region below them. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isPaused) return;
    const { transcript } = this.#setup;
    this.#write(transcript.takeRows(STEP_BYTES));
    if (transcript.hasRows) this.#timer = setTimeout(() => this.flush());
  }

  /** Removes the region for another program, which uses the terminal until `resume`. */
  pause(): void {
    this.flush();
    this.#removeRegion();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.flush();
  }

  /** Shows an empty screen above the region. Line feeds move the rows into the scrollback, so nothing is lost. */
  clear(): void {
    this.#removeRegion();
    this.#output.write('\r\n'.repeat(this.size.rows));
    this.paint();
  }

  /** Rings the bell of the terminal, which may show a notification. */
  ring(): void {
    if (!this.#isPaused) this.#output.write('\u0007');
  }

  /** Writes everything that waits, and removes the region. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isPaused = false;
    while (this.#setup.transcript.hasRows) this.#write(this.#setup.transcript.takeRows(STEP_BYTES));
    this.#removeRegion();
    this.#isPaused = true;
  }

  /** Asks the terminal, because a frame may be drawn before the signal about a new size arrives. */
  #currentSize(): RegionSize {
    // Node has no public way to ask again. Without this method, the last known size is used.
    const refresh: unknown = Reflect.get(this.#output, '_refreshSize');
    this.#isAskingSize = true;
    if (typeof refresh === 'function') refresh.call(this.#output);
    this.#isAskingSize = false;
    return this.size;
  }

  #removeRegion(): void {
    const { columns } = this.#currentSize();
    if (this.#shown) this.#output.write(eraseRegion(this.#shown, columns, this.#setup.reflow));
    this.#shown = undefined;
  }

  #write(above: readonly string[]): void {
    const size = this.#currentSize();
    const { columns } = size;
    const frame = this.#setup.compose(size);
    const bytes = patchRegion({ shown: this.#shown, frame, above, columns, reflow: this.#setup.reflow });
    this.#shown = frame && { frame, columns };
    this.#lastFrameAt = performance.now();
    if (bytes !== '') this.#output.write(bytes);
  }
}
