/**
 * Writes the transcript and the region to the terminal. Keys are shown at once, events at up to 30 frames per second.
 * Many rows are written in steps, so that keys are read between them.
 */
import {
  eraseRegion,
  eraseResized,
  patchRegion,
  type Reflow,
  type RegionFrame,
  type ShownRegion,
} from './region.ts';
import type { RegionSize } from './view.ts';
import type { Transcript } from './transcript.ts';

const FRAME_MS = 33;
/** The bytes of one step. A terminal shows them within a few milliseconds. */
const STEP_BYTES = 32_768;
/** Asks the terminal for the position of the cursor. */
const ASK_POSITION = '\u001b[6n';
/** A terminal that has not reported the position by then does not report it. */
const POSITION_MS = 150;

export interface PainterSetup {
  readonly transcript: Transcript;
  /** Composes the region for this size. Undefined if there is none. */
  readonly compose: (size: RegionSize) => RegionFrame | undefined;
  readonly reflow: Reflow;
}

export class Painter {
  readonly #output: NodeJS.WriteStream;
  readonly #setup: PainterSetup;
  #shown: (ShownRegion & { readonly size: RegionSize }) | undefined;
  /** The window was resized, and the terminal was asked for the position of the cursor. */
  #locating: NodeJS.Timeout | undefined;
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
    if (this.#isReady()) this.#write([]);
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
    if (!this.#isReady()) return;
    const { transcript } = this.#setup;
    this.#write(transcript.takeRows(STEP_BYTES));
    if (transcript.isWaiting) this.#timer ??= setTimeout(() => this.flush());
  }

  /** Receives the position of the cursor. `row` starts at 1. */
  locate(row: number): void {
    if (this.#locating !== undefined) this.#afterResize(row - 1);
  }

  /** Removes the region for another program, which uses the terminal until `resume`. */
  pause(): void {
    if (this.#locating !== undefined) this.#afterResize(undefined);
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

  /** Writes bytes that do not move the cursor. */
  send(bytes: string): void {
    if (!this.#isPaused) this.#output.write(bytes);
  }

  /** Writes everything that waits, and removes the region. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.#locating !== undefined) this.#afterResize(undefined);
    this.#isPaused = false;
    while (this.#setup.transcript.isWaiting) this.#write(this.#setup.transcript.takeRows(STEP_BYTES));
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

  /**
   * Returns false if nothing may be drawn now. After a resize the region may be anywhere, so the terminal is asked for the
   * position of the cursor first.
   */
  #isReady(): boolean {
    if (this.#isPaused || this.#locating !== undefined) return false;
    const { columns, rows } = this.#currentSize();
    const size = this.#shown?.size;
    if (!size || (size.columns === columns && size.rows === rows)) return true;
    this.#locating = setTimeout(() => this.#afterResize(undefined), POSITION_MS);
    // The reply may arrive before this call returns.
    this.#output.write(ASK_POSITION);
    return false;
  }

  /** Erases what is left of the region, and draws it for the new size. `above`: the rows above the cursor, if known. */
  #afterResize(above: number | undefined): void {
    clearTimeout(this.#locating);
    this.#locating = undefined;
    const { columns, rows } = this.#currentSize();
    if (this.#shown) {
      const rowsAbove = Math.min(above ?? rows, rows - 1);
      const erased = eraseResized(this.#shown, { columns, rowsAbove, reflow: this.#setup.reflow });
      this.#setup.transcript.keepOpen(erased.kept);
      this.#shown = undefined;
      this.#output.write(erased.bytes);
    }
    this.flush();
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
    this.#shown = frame && { frame, columns, size };
    this.#lastFrameAt = performance.now();
    if (bytes !== '') this.#output.write(bytes);
  }
}
