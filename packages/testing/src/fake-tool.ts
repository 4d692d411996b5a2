/** Fake tools: their results, durations, failures and reactions to an abort are all configured. */
import {
  type CallContext,
  type Clock,
  isJsonObject,
  type Json,
  type JsonObject,
  type Tool,
  type ToolOutput,
  type ToolResult,
  type ToolUseContext,
} from '@heddle/core';
import { type Gate, settleOrAbort } from './gate.ts';

export interface FakeToolOptions {
  readonly name: string;
  readonly description?: string;
  readonly inputJSONSchema?: JsonObject;
  /** Changes nothing. The default, which then is also concurrency-safe unless set otherwise. */
  readonly readOnly?: boolean;
  readonly concurrencySafe?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  readonly failureCancelsSiblings?: boolean;
  readonly maxResultSize?: number;
  readonly compactable?: boolean;
  readonly interruptBehavior?: 'cancel' | 'block';

  /** Rejects an input at the schema, with this message. */
  readonly rejects?: (input: JsonObject) => string | undefined;
  /** Rejects an input that the schema accepted, with this message. */
  readonly invalid?: (input: JsonObject) => string | undefined;
  readonly intent?: JsonObject;

  /** Reported as progress, in order, before any wait. */
  readonly progress?: readonly Json[];
  /** The duration of a call, on the clock beside it. */
  readonly delayMs?: number;
  readonly clock?: Clock;
  /** Blocks every call until it is opened. */
  readonly gate?: Gate;
  /** Waits continue after an abort, to test that the loop does not wait for such a tool. */
  readonly ignoresAbort?: boolean;

  /** The result for the model. Default: `<name> ok`. */
  readonly result?: string | ToolResult;
  /** Computes the result instead. `call` counts from 1. */
  readonly run?: (
    input: JsonObject,
    context: CallContext,
    call: number,
  ) => Promise<string | ToolResult> | string | ToolResult;
  /** The result is this error. */
  readonly fails?: string;
  /** The call throws this. */
  readonly throws?: string | Error;
  readonly newContext?: (current: ToolUseContext) => ToolUseContext;
}

export interface FakeTool extends Tool<JsonObject, ToolResult> {
  /** Every call that began, in order. */
  readonly calls: readonly FakeCall[];
}

export interface FakeCall {
  readonly toolUseId: string;
  readonly input: JsonObject;
  /** By the tool's clock; 0 without one. */
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly endedAt: number | undefined;
  readonly ended: 'returned' | 'threw' | 'aborted' | undefined;
}

export function fakeTool(options: FakeToolOptions): FakeTool {
  const calls: { -readonly [Key in keyof FakeCall]: FakeCall[Key] }[] = [];
  const { name, readOnly = true, concurrencySafe = readOnly } = options;
  const now = () => options.clock?.now() ?? 0;

  return {
    name,
    description: options.description ?? `The fake tool ${name}`,
    inputJSONSchema: options.inputJSONSchema ?? { type: 'object' },
    inputSchema: () => ({ safeParse: (value) => parsed(value, options.rejects) }),
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => concurrencySafe,
    isIdempotent: () => options.idempotent ?? readOnly,
    isDestructive: () => options.destructive ?? false,
    failureCancelsSiblings: options.failureCancelsSiblings ?? false,
    maxResultSize: options.maxResultSize ?? 100_000,
    compactable: options.compactable ?? false,
    interruptBehavior: options.interruptBehavior ?? 'cancel',
    validateInput(input) {
      const message = options.invalid?.(input);
      return message === undefined ? { ok: true } : { ok: false, message };
    },
    ...(options.intent === undefined ? {} : { describeIntent: intentOf(options.intent) }),
    async call(input, context, onProgress): Promise<ToolOutput<ToolResult>> {
      const { toolUseId } = context;
      const call: (typeof calls)[number] = {
        toolUseId,
        input,
        startedAt: now(),
        endedAt: undefined,
        ended: undefined,
      };
      calls.push(call);
      try {
        for (const data of options.progress ?? []) onProgress(data);
        await waitOf(options, context.signal);
        if (context.signal.aborted && options.ignoresAbort !== true) {
          call.ended = 'aborted';
          throw new Error(`${name} was aborted`);
        }
        const data = await resultOf(options, input, context, calls.length);
        call.ended = 'returned';
        return options.newContext === undefined ? { data } : { data, newContext: options.newContext };
      } finally {
        call.ended ??= 'threw';
        call.endedAt = now();
      }
    },
    toResult: (data) => data,
    calls,
  };
}

async function waitOf(
  { clock, delayMs, gate, ignoresAbort }: FakeToolOptions,
  signal: AbortSignal,
): Promise<void> {
  const observed = ignoresAbort === true ? DEAF : signal;
  if (delayMs !== undefined && clock !== undefined)
    await settleOrAbort(clock.sleep(delayMs, observed), observed);
  if (gate !== undefined) await gate.pass(observed);
}

/** A signal that never aborts. */
const DEAF = new AbortController().signal;

async function resultOf(
  { name, result, run, fails, throws }: FakeToolOptions,
  input: JsonObject,
  context: CallContext,
  call: number,
): Promise<ToolResult> {
  if (throws !== undefined) throw throws instanceof Error ? throws : new Error(throws);
  if (fails !== undefined) return { content: fails, isError: true };
  const given = run === undefined ? (result ?? `${name} ok`) : await run(input, context, call);
  return typeof given === 'string' ? { content: given } : given;
}

function intentOf(intent: JsonObject): () => Promise<JsonObject> {
  return () => Promise.resolve(intent);
}

function parsed(value: unknown, rejects: FakeToolOptions['rejects']) {
  if (!isJsonObject(value)) return failure('expected an object');
  const message = rejects?.(value);
  return message === undefined ? { success: true as const, data: value } : failure(message);
}

function failure(message: string) {
  return { success: false as const, error: { message, issues: [{ path: [], message }] } };
}
