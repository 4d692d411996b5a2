/** One tool call on its way: classified → permitted → ready → running → settled. Unknown, denied, invalid and aborted calls walk the same road. */
import type { JsonObject } from '../json.ts';
import type { ToolUseBlock } from '../messages/blocks.ts';
import type { Spent } from '../messages/usage.ts';
import type { HookWord } from '../machine/happened.ts';
import type { PermittedPlace, ToolUseContext } from './context.ts';
import type { ReadOnlyRun } from './permission.ts';
import type { EffectClass, Tool, ToolResult } from './tool.ts';

type SlotState =
  /** Its input is being read; whether it may run beside others is not yet known. */
  | 'classifying'
  /** Waits for its turn. */
  | 'queued'
  /** Hooks and permission are being asked. */
  | 'permitting'
  /** May run as soon as the order of things allows. */
  | 'permitted'
  /** Its intent is on the way to the consumer; the call begins when that yield has returned. */
  | 'ready'
  | 'running'
  | 'settled'
  /** The result was yielded. */
  | 'delivered';

export interface Slot {
  readonly block: ToolUseBlock;
  /** Ends this call, and withdraws its open question. */
  readonly controller: AbortController;
  state: SlotState;
  call: ClassifiedCall | undefined;
  settled: Settled | undefined;
  /** Resolves when it has settled. */
  readonly end: { readonly promise: Promise<void>; resolve(): void };
  /** Text that hooks want the model to see after the result. */
  readonly remarks: string[];
  /** A hook said: do not continue after this batch. */
  stoppedBy: HookWord | undefined;
  details: JsonObject | undefined;
}

export interface ClassifiedCall {
  readonly tool: Tool;
  /** As the schema read it. */
  readonly input: unknown;
  /** As the model, a hook or a person wrote it. */
  readonly raw: JsonObject;
  readonly safe: boolean;
  /** May be thrown away, so it may start before the answer is complete. */
  readonly early: boolean;
  readonly effect: EffectClass;
  /** Once it is permitted: where its paths led then. */
  readonly places?: readonly PermittedPlace[];
  /** Set when it was permitted on that condition. */
  readonly readOnlyRun?: ReadOnlyRun;
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

/** Has no result yet. */
export function isOpen({ state }: Slot): boolean {
  return state !== 'settled' && state !== 'delivered';
}

/** For its turn, to be permitted or to run. */
export function isWaiting({ state }: Slot): boolean {
  return state === 'queued' || state === 'permitted';
}

/** Under way, or about to be: its intent may have been stored. */
export function isActive({ state }: Slot): boolean {
  return state === 'ready' || state === 'running';
}

/** Takes one of the places that are limited: someone is asked about it, or it runs. */
export function isUnderWay(slot: Slot): boolean {
  return slot.state === 'permitting' || isActive(slot);
}
