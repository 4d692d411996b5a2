/**
 * One tool call and its states: classified → permitted → ready → running → settled. Unknown, denied, invalid and aborted calls
 * go through the same states. The functions decide which calls may proceed, and where a batch of calls starts and ends.
 */
import type { JsonObject } from '../json.ts';
import type { HookMessage } from '../machine/effects.ts';
import type { ToolUseBlock } from '../messages/blocks.ts';
import type { Spent } from '../messages/usage.ts';
import type {
  EffectClass,
  FileLimits,
  PermittedPlace,
  ReadOnlyRun,
  Tool,
  ToolResult,
  ToolUseContext,
} from './tool.ts';

type SlotState =
  /** The input is being read. It is not known yet whether the call may run beside others. */
  | 'classifying'
  /** The call waits for its turn. */
  | 'queued'
  /** Hooks run, and permission is being decided. */
  | 'permitting'
  /** The call may run as soon as the order of the calls allows it. */
  | 'permitted'
  /** The intent is on its way to the consumer. The call starts when that yield has returned. */
  | 'ready'
  | 'running'
  | 'settled'
  /** The result was yielded. */
  | 'delivered';

export interface Slot {
  readonly block: ToolUseBlock;
  /** Ends this call and withdraws its open permission question. */
  readonly controller: AbortController;
  state: SlotState;
  call: ClassifiedCall | undefined;
  settled: Settled | undefined;
  /** Resolves when it has settled. */
  readonly end: { readonly promise: Promise<void>; resolve(): void };
  /** Texts of hooks for the model. They follow the result. */
  readonly remarks: string[];
  /** A hook stops the run after this batch. */
  stoppedBy: HookMessage | undefined;
  details: JsonObject | undefined;
}

export interface ClassifiedCall {
  readonly tool: Tool;
  /** The input as the schema parsed it. */
  readonly input: unknown;
  /** The input as the model, a hook or a user wrote it. */
  readonly raw: JsonObject;
  readonly safe: boolean;
  /** The call has no effects, so it may start before the answer is complete. */
  readonly early: boolean;
  readonly effect: EffectClass;
  /** The places of its paths when it was permitted. */
  readonly places?: readonly PermittedPlace[];
  /** The environment of its command when it was permitted. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Set if the call was permitted only as a read-only run. */
  readonly readOnlyRun?: ReadOnlyRun;
  readonly fileLimits?: FileLimits;
}

export interface Settled {
  readonly result: ToolResult;
  /** A tool's structured output, for SDK clients. */
  readonly data?: unknown;
  readonly spent?: readonly Spent[];
  readonly newContext?: (current: ToolUseContext) => ToolUseContext;
}

export function newSlot(block: ToolUseBlock): Slot {
  return {
    block,
    controller: new AbortController(),
    state: 'classifying',
    call: undefined,
    settled: undefined,
    end: Promise.withResolvers(),
    remarks: [],
    stoppedBy: undefined,
    details: undefined,
  };
}

/** True if the call has no result yet. */
export function isCallOpen({ state }: Slot): boolean {
  return state !== 'settled' && state !== 'delivered';
}

/** True if the call waits to be permitted or to run. */
export function isWaiting({ state }: Slot): boolean {
  return state === 'queued' || state === 'permitted';
}

/** True if the call runs or is about to run. Its intent may have been stored. */
function isActive({ state }: Slot): boolean {
  return state === 'ready' || state === 'running';
}

/** True if the call counts against the concurrency limit: permission is being decided, or it runs. */
function isUnderWay(slot: Slot): boolean {
  return slot.state === 'permitting' || isActive(slot);
}

interface NextCall {
  readonly slot: Slot;
  readonly call: ClassifiedCall;
  readonly index: number;
}

/**
 * The waiting calls that may proceed now, in the order of the calls. Safe neighbors proceed together, up to the limit. Any other
 * call proceeds alone, and no call overtakes it. Before the answer has ended, only calls without effects proceed.
 */
export function nextCalls(slots: readonly Slot[], concurrency: number, streamEnded: boolean): NextCall[] {
  const next: NextCall[] = [];
  // Calls that started early count as well, wherever they are in the order.
  let available = concurrency - slots.filter(isUnderWay).length;
  let isFirst = true;
  for (const [index, slot] of slots.entries()) {
    if (!isCallOpen(slot)) continue;
    const { call } = slot;
    // The input was not read yet. Later calls may have to wait for this one.
    if (!call) return next;
    const itsTurn = call.safe || (isFirst && !slots.some((other) => other !== slot && isActive(other)));
    if (isWaiting(slot) && itsTurn && (streamEnded || call.early)) {
      if (available <= 0) return next;
      next.push({ slot, call, index });
      available--;
    }
    if (!call.safe) return next;
    isFirst = false;
  }
  return next;
}

/**
 * The index at which the batch of a call starts. Neighbors that may run together are a batch. A call that cannot run (unknown
 * tool, bad input) does not belong to a batch and does not split one.
 */
export function startOfBatch(slots: readonly Slot[], index: number): number {
  if (runsAlone(slots[index])) return index;
  let start = index;
  while (start > 0 && !runsAlone(slots[start - 1])) start--;
  return start;
}

/** The other calls of its batch. A call that runs alone has none. */
export function siblingsOf(slots: readonly Slot[], slot: Slot): Slot[] {
  const index = slots.indexOf(slot);
  if (index < 0 || runsAlone(slot)) return [];
  const start = startOfBatch(slots, index);
  const end = slots.findIndex((other, at) => at > index && runsAlone(other));
  return slots.slice(start, end < 0 ? slots.length : end).filter((other) => other !== slot && other.call);
}

function runsAlone(slot: Slot | undefined): boolean {
  return slot?.call !== undefined && !slot.call.safe;
}
