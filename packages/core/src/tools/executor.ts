/**
 * Schedules the calls of one answer. It never starts a call by itself. It announces a call that is ready, the driver yields
 * the intent, and the driver calls `begin` when that yield has returned. So the intent of a running call is always stored.
 *
 * - While the answer streams, only calls without effects start (read-only and concurrency-safe).
 * - After it ended, calls run in order: concurrency-safe neighbors together, every other call alone.
 * - Results are returned in the order of the calls, exactly one for each.
 */
import { INTERRUPT, WAIT_OVER } from '../abort.ts';
import type { Clock } from '../clock.ts';
import { cloneJson, type Json } from '../json.ts';
import type { Limits } from '../machine/config.ts';
import type { HookMessage } from '../machine/effects.ts';
import type { ToolUseBlock } from '../messages/blocks.ts';
import { errorMessage } from '../thrown.ts';
import {
  permitCall,
  type CallPipeline,
  classifyCall,
  describe,
  failedCall,
  runCall,
} from './call-pipeline.ts';
import {
  type ClassifiedCall,
  isCallOpen,
  isWaiting,
  newSlot,
  nextCalls,
  type Settled,
  siblingsOf,
  type Slot,
  startOfBatch,
} from './slot.ts';
import { INTERRUPTED_CALL, NOT_RUN, SIBLING_FAILED, type ToolUseContext } from './tool.ts';

export type ToolUpdate =
  | {
      readonly type: 'ready';
      readonly slot: Slot;
      readonly call: ClassifiedCall;
      readonly workingDirectory: string;
    }
  | { readonly type: 'progress'; readonly slot: Slot; readonly data: Json }
  | { readonly type: 'settled' };

interface ExecutorSetup {
  readonly pipeline: CallPipeline;
  readonly context: ToolUseContext;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'toolConcurrency' | 'abortGraceMs' | 'blockGraceMs'>;
  readonly emit: (update: ToolUpdate) => void;
  /** Called when a denial ends the whole turn. */
  readonly onInterrupt: () => void;
}

export class StreamingToolExecutor {
  readonly #setup: ExecutorSetup;
  readonly #slots: Slot[] = [];
  /** The work that has started and not ended. */
  readonly #children = new Map<Promise<void>, Slot>();
  readonly #onAbort = (): void => this.#abort();
  #context: ToolUseContext;
  /** Contexts of the calls before this index are part of `#context`. */
  #applied = 0;
  #streamEnded = false;
  #closed = false;

  constructor(setup: ExecutorSetup) {
    this.#setup = setup;
    this.#context = setup.context;
    if (setup.signal.aborted) this.#closed = true;
    else setup.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Adds a complete call. `badInput` is set if its JSON is invalid. */
  addTool(block: ToolUseBlock, badInput?: string): void {
    // Copied, because hooks and tools receive the input and must not change the history.
    const slot = newSlot({ ...block, input: cloneJson(block.input) });
    this.#slots.push(slot);
    if (this.#closed) return this.#settle(slot, failedCall(NOT_RUN));
    if (badInput !== undefined) return this.#settle(slot, failedCall(badInput));
    this.#follow(slot, this.#classify(slot));
  }

  /** Lets calls with effects start. The stream ended well, or its answer was cut after complete calls. */
  finishStream(): void {
    this.#streamEnded = true;
    this.#advance();
  }

  /** Starts a call. Its intent was yielded, and the consumer asked for the next event. */
  begin(slot: Slot): void {
    if (slot.state !== 'ready' || !slot.call) return;
    slot.state = 'running';
    this.#follow(slot, this.#run(slot, slot.call));
  }

  /** Returns the settled calls before the first open one. Each call is returned once. */
  takeResults(): Slot[] {
    const taken: Slot[] = [];
    for (const slot of this.#slots) {
      if (slot.state === 'delivered') continue;
      if (slot.state !== 'settled') break;
      slot.state = 'delivered';
      taken.push(slot);
    }
    // An abort has nothing left to end. The listener is removed, so that a long run does not collect listeners.
    if (this.#streamEnded && this.finished) this.#close();
    return taken;
  }

  get finished(): boolean {
    return this.#slots.every((slot) => slot.state === 'delivered');
  }

  get stoppedBy(): HookMessage | undefined {
    return this.#slots.find((slot) => slot.stoppedBy)?.stoppedBy;
  }

  /** The context after the calls so far. Changes of a batch are applied in the order of its calls. */
  get context(): ToolUseContext {
    this.#apply(this.#slots.length);
    return this.#context;
  }

  /** The context after the calls whose results were taken. Later calls may still run. */
  get deliveredContext(): ToolUseContext {
    const end = this.#slots.findIndex((slot) => slot.state !== 'delivered');
    const delivered = end < 0 ? this.#slots : this.#slots.slice(0, end);
    return delivered.reduce(
      (context, { settled }) => changed(context, settled?.newContext),
      this.#setup.context,
    );
  }

  /** Removes a call whose block was retracted. */
  drop(toolUseId: string): void {
    const index = this.#slots.findIndex((slot) => slot.block.id === toolUseId);
    const [slot] = index < 0 ? [] : this.#slots.splice(index, 1);
    if (slot) this.#cancel(slot, 'dropped', NOT_RUN);
    this.#advance();
  }

  /** Ends all calls of a discarded attempt and withdraws open questions. No result is returned afterwards. */
  discard(): void {
    this.#close();
    for (const slot of this.#slots) {
      this.#cancel(slot, 'discarded', NOT_RUN);
      slot.state = 'delivered';
    }
  }

  /** Gives every call a result. Calls that have not started get `notRun`, and running calls are aborted. */
  async close(notRun: string): Promise<void> {
    this.#abort(notRun);
    await allEnded(this.#slots);
  }

  /** Aborts all calls, also those that a new message does not interrupt. Waits for their end within the grace period. */
  async stop(): Promise<void> {
    this.#abort();
    this.#endRunning(
      this.#slots.filter((slot) => slot.state === 'running'),
      'run over',
    );
    if (this.#children.size > 0) {
      await this.#within(this.#setup.limits.abortGraceMs, Promise.all(this.#children.keys()));
    }
  }

  async #classify(slot: Slot): Promise<void> {
    const classified = await classifyCall(
      slot.block.name,
      slot.block.input,
      this.#context,
      slot.controller.signal,
    );
    if (slot.state !== 'classifying') return;
    if (classified.ok) {
      slot.call = classified.call;
      slot.state = 'queued';
    } else this.#settle(slot, failedCall(classified.message));
    this.#advance();
  }

  /** Advances every call that may proceed. */
  #advance(): void {
    if (this.#closed) return;
    const { toolConcurrency } = this.#setup.limits;
    for (const { slot, call, index } of nextCalls(this.#slots, toolConcurrency, this.#streamEnded)) {
      // The previous call of this loop may have ended the turn, and this call with it.
      if (!isWaiting(slot)) continue;
      const isPermitted = slot.state === 'permitted';
      this.#follow(slot, isPermitted ? this.#announce(slot, call) : this.#permit(slot, call, index));
    }
  }

  async #permit(slot: Slot, given: ClassifiedCall, index: number): Promise<void> {
    slot.state = 'permitting';
    const start = startOfBatch(this.#slots, index);
    this.#apply(start);
    const permitted = await permitCall(slot, given, this.#setup.pipeline, this.#context, start > 0);
    if (slot.state !== 'permitting') return;
    if (permitted.ok) {
      // A hook or the user may have changed the input, and the call may now have to run alone. So it queues again.
      slot.call = permitted.call;
      slot.state = 'permitted';
    } else {
      this.#settle(slot, failedCall(this.#setup.pipeline.redact(permitted.message)));
      if (permitted.interrupt) this.#setup.onInterrupt();
    }
    this.#advance();
  }

  async #announce(slot: Slot, call: ClassifiedCall): Promise<void> {
    slot.state = 'ready';
    if (call.tool.describeIntent) slot.details = await describe(call, this.#context);
    const { workingDirectory } = this.#context;
    if (slot.state === 'ready') this.#setup.emit({ type: 'ready', slot, call, workingDirectory });
  }

  async #run(slot: Slot, call: ClassifiedCall): Promise<void> {
    const report = (data: Json): void => {
      if (slot.state === 'running')
        this.#setup.emit({ type: 'progress', slot, data: this.#setup.pipeline.redact(data) });
    };
    const settled = await runCall(slot, call, this.#setup.pipeline, this.#context, report);
    if (slot.state !== 'running') return;
    this.#settle(slot, settled);
    // A command also fails if it is aborted. Its siblings received the same abort.
    if (settled.result.isError && call.tool.failureCancelsSiblings && !this.#closed) {
      for (const sibling of siblingsOf(this.#slots, slot)) {
        this.#cancel(sibling, 'sibling failed', SIBLING_FAILED);
      }
    }
    this.#advance();
  }

  #settle(slot: Slot, settled: Settled): void {
    slot.settled = settled;
    slot.state = 'settled';
    slot.end.resolve();
    this.#setup.emit({ type: 'settled' });
  }

  /** Ends a call that has not settled, with the reason as its result. */
  #cancel(slot: Slot, reason: unknown, message: string): void {
    if (!isCallOpen(slot)) return;
    slot.controller.abort(reason);
    this.#settle(slot, failedCall(message));
  }

  #abort(notRun = NOT_RUN): void {
    if (this.#closed) return;
    this.#close();
    const { reason } = this.#setup.signal;
    for (const slot of this.#slots) if (slot.state !== 'running') this.#cancel(slot, reason, notRun);
    const running = this.#slots.filter((slot) => slot.state === 'running');
    const spared = running.filter(
      (slot) => reason === INTERRUPT && slot.call?.tool.interruptBehavior === 'block',
    );
    this.#endRunning(
      running.filter((slot) => !spared.includes(slot)),
      reason,
    );
    if (spared.length > 0) void this.#endSpared(spared, reason);
  }

  /** Ends the spared calls after a longer grace period. A signal aborts only once, so no second abort would end them. */
  async #endSpared(spared: readonly Slot[], reason: unknown): Promise<void> {
    await this.#within(this.#setup.limits.blockGraceMs, allEnded(spared));
    this.#endRunning(
      spared.filter((slot) => slot.state === 'running'),
      reason,
    );
  }

  #endRunning(running: readonly Slot[], reason: unknown): void {
    if (running.length === 0) return;
    for (const slot of running) slot.controller.abort(reason);
    void this.#giveUpAfterGrace(running, reason);
  }

  /** Settles calls that did not end within the grace period, so that a tool that ignores its signal cannot block the turn. */
  async #giveUpAfterGrace(running: readonly Slot[], reason: unknown): Promise<void> {
    await this.#within(this.#setup.limits.abortGraceMs, allEnded(running));
    for (const slot of running) this.#cancel(slot, reason, INTERRUPTED_CALL);
    for (const [work, slot] of this.#children) if (running.includes(slot)) this.#children.delete(work);
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    await Promise.race([work, this.#setup.clock.sleep(ms, timer.signal)]);
    timer.abort(WAIT_OVER);
  }

  #close(): void {
    this.#closed = true;
    this.#setup.signal.removeEventListener('abort', this.#onAbort);
  }

  #apply(upTo: number): void {
    for (; this.#applied < upTo; this.#applied++) {
      this.#context = changed(this.#context, this.#slots[this.#applied]?.settled?.newContext);
    }
  }

  #follow(slot: Slot, work: Promise<void>): void {
    const followed = work.catch((thrown: unknown) => {
      // The stages do not throw. A getter of a tool may, and that must not end the process.
      if (isCallOpen(slot)) this.#settle(slot, failedCall(this.#setup.pipeline.redact(errorMessage(thrown))));
      this.#advance();
    });
    this.#children.set(followed, slot);
    void followed.finally(() => this.#children.delete(followed));
  }
}

async function allEnded(slots: readonly Slot[]): Promise<void> {
  await Promise.all(slots.map((slot) => slot.end.promise));
}

/** Ignores a change that throws. The call has already settled, so its result cannot report the error. */
function changed(context: ToolUseContext, change: Settled['newContext']): ToolUseContext {
  try {
    return change?.(context) ?? context;
  } catch {
    return context;
  }
}
