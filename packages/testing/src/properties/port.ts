/** The planned model: the scripted one behind a port that writes down what the loop has taken from it. */
import type { ModelPort, ModelRecord, ModelRequest, RecordIterator } from '@heddle/core';
import {
  breakOff,
  call,
  cut,
  fail,
  foreignBlock,
  hangUp,
  pause,
  pauseTurn,
  redacted,
  refuse,
  say,
  stall,
  think,
  unfinished,
  usage,
  windowFull,
} from '../scripted/builders.ts';
import { type ScriptedModel, scriptedModel } from '../scripted/model.ts';
import type { BlockPart, Part } from '../scripted/part.ts';
import type { Fault } from './hits.ts';
import { callId, type PlannedAttempt, type PlannedBlock, type PlannedEnd, type RunPlan } from './plan.ts';
import type { AnswerEnd, World } from './world.ts';

export interface PlannedModel {
  readonly port: ModelPort;
  /** Its judge has seen every request. */
  readonly model: ScriptedModel;
}

export function plannedModel(plan: RunPlan, world: World): PlannedModel {
  const model = scriptedModel((request, number) => stepOf(plan.attempts[number - 1], number, request), {
    clock: world.clock,
    badSignatures: 'violation',
  });
  const port: ModelPort = (request, signal) => {
    const number = model.calls.length + 1;
    const attempt = plan.attempts[number - 1];
    world.note({ what: 'request', number, request });
    for (const fault of faultsOf(attempt, plan.settings.fallback)) world.hit(fault);
    const records = model(request, signal)[Symbol.asyncIterator]();
    const taken = new Taken(number, attempt?.end.end === 'throws', world);
    return {
      [Symbol.asyncIterator]: () => (plan.settings.readyPort ? eager(records, taken) : plain(records, taken)),
    };
  };
  return { port, model };
}

/** Follows what the loop takes. */
class Taken {
  readonly #number: number;
  readonly #throws: boolean;
  readonly #world: World;
  readonly #blocks: (string | undefined)[] = [];
  #open: { readonly id: string | undefined } | undefined;
  #stopReason: string | null = null;
  #began = false;

  constructor(number: number, throws: boolean, world: World) {
    this.#number = number;
    this.#throws = throws;
    this.#world = world;
  }

  take(record: ModelRecord): ModelRecord {
    this.#world.tick();
    switch (record.type) {
      case 'message_start':
        this.#began = true;
        break;
      case 'content_block_start': {
        const block = record.content_block;
        this.#open = { id: block.type === 'tool_use' ? block.id : undefined };
        break;
      }
      case 'content_block_stop':
        this.#blocks.push(this.#open?.id);
        this.#open = undefined;
        break;
      case 'message_delta':
        this.#stopReason = record.delta.stop_reason;
        break;
      case 'done':
      case 'model_error': {
        const threw = this.#throws && record.type === 'model_error' && record.class === 'network';
        this.#end(threw ? 'threw' : record);
        if (threw) throw new Error('the port broke its promise');
        break;
      }
      default:
        break;
    }
    return record;
  }

  #end(record: AnswerEnd['record']): void {
    const end: AnswerEnd = {
      record,
      stopReason: this.#stopReason,
      blocks: this.#blocks,
      hasOpenBlock: this.#open !== undefined,
      began: this.#began,
    };
    this.#world.note({ what: 'request_end', number: this.#number, end });
  }
}

function plain(records: RecordIterator, taken: Taken): RecordIterator {
  return {
    async next() {
      const next = await records.next();
      return next.done === true ? next : { done: false, value: taken.take(next.value) };
    },
    return: () => leave(records),
  };
}

/** Fetches ahead, so that much is there before it is asked for. */
function eager(records: RecordIterator, taken: Taken): RecordIterator {
  const here: ModelRecord[] = [];
  let arrived = Promise.withResolvers<void>();
  let ended = false;
  const fetch = async (): Promise<void> => {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      here.push(next.value);
      arrived.resolve();
      arrived = Promise.withResolvers();
    }
    ended = true;
    arrived.resolve();
  };
  void fetch();
  const first = (): ModelRecord | undefined => {
    const record = here.shift();
    return record && taken.take(record);
  };
  return {
    ready: first,
    async next() {
      while (here.length === 0 && !ended) await arrived.promise;
      const value = first();
      return value === undefined ? { done: true, value: undefined } : { done: false, value };
    },
    return: () => leave(records),
  };
}

async function leave(records: RecordIterator): Promise<IteratorResult<ModelRecord, unknown>> {
  await records.return?.();
  return { done: true, value: undefined };
}

function stepOf(attempt: PlannedAttempt | undefined, number: number, request: ModelRequest): readonly Part[] {
  if (attempt === undefined) return [say(`Done ${number}.`)];
  const parts: Part[] = [];
  if (attempt.outputTokens !== undefined) parts.push(usage({ output_tokens: attempt.outputTokens }));
  for (const [index, block] of attempt.blocks.entries()) {
    const isOpen = isUnfinished(attempt) && index === attempt.blocks.length - 1;
    const whole = blockOf(block, number, index);
    if (block.waitMs > 0) parts.push(pause(block.waitMs));
    parts.push(isOpen ? unfinished(whole, attempt.unfinished) : whole);
  }
  return [...parts, ...endOf(attempt.end, request)];
}

/** Every block says something that no other does, so that it can be recognised in a request. */
function blockOf(block: PlannedBlock, number: number, index: number): BlockPart {
  const mark = `<${number}.${index}>`;
  switch (block.kind) {
    case 'text':
      return say(`Words ${mark} of the model, and a few more`);
    case 'blank':
      return say(' \n');
    case 'thinking':
      return think(`Thoughts ${mark} of the model`);
    case 'redacted_thinking':
      return redacted(`secret ${mark}`);
    case 'foreign':
      return foreignBlock({ type: 'poem', verse: mark });
    case 'call': {
      const name = block.form === 'unknown_tool' ? 'Nonsense' : block.tool;
      const input = { value: block.value, ...(FORMS[block.form] ?? {}) };
      const id = callId(number, index);
      return block.form === 'bad_json' ? call(name, {}, id, { json: ['{"value'] }) : call(name, input, id);
    }
  }
}

const FORMS: Readonly<Record<string, { readonly [key: string]: true }>> = {
  rejected: { reject: true },
  invalid: { invalid: true },
};

function endOf(end: PlannedEnd, request: ModelRequest): readonly Part[] {
  switch (end.end) {
    case 'stop':
      return [];
    case 'cut':
      return [cut()];
    case 'window_full':
      return [windowFull()];
    case 'pause':
      return [pauseTurn()];
    case 'refusal':
      return [refuse()];
    case 'reset':
    case 'throws':
      return [breakOff()];
    case 'closed':
      return [hangUp()];
    case 'stall':
      return [stall()];
    case 'error': {
      const { retryAfterMs, shouldRetry } = end;
      return [
        fail(end.class, {
          ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
          ...(shouldRetry === undefined ? {} : { shouldRetry }),
          ...(end.class === 'refused_block' ? { block: placeIn(request, end.place) } : {}),
        }),
      ];
    }
  }
}

function placeIn({ messages }: ModelRequest, place: number): { message: number; block: number } {
  const message = place % Math.max(1, messages.length);
  const blocks = messages.at(message)?.content.length ?? 1;
  return { message, block: Math.floor(place / 7) % Math.max(1, blocks) };
}

/** An answer that ends by itself has no open block. */
function isUnfinished({ end: { end }, unfinished, blocks }: PlannedAttempt): boolean {
  const endsByItself = end === 'stop' || end === 'pause' || end === 'refusal';
  return unfinished !== undefined && blocks.length > 0 && !endsByItself;
}

function* faultsOf(attempt: PlannedAttempt | undefined, fallback: boolean): Generator<Fault> {
  if (attempt === undefined) return;
  const { end, blocks } = attempt;
  if (isUnfinished(attempt)) yield 'model: block unfinished';
  if (blocks.length === 0 && end.end === 'stop') yield 'model: empty answer';
  if (blocks.some(({ kind }) => kind === 'blank')) yield 'model: blank text';
  if (blocks.some(({ kind }) => kind === 'foreign')) yield 'model: foreign block';
  for (const block of blocks) {
    const fault = block.kind === 'call' ? BAD_CALLS[block.form] : undefined;
    if (fault !== undefined) yield fault;
  }
  if (end.end !== 'error') {
    const fault = ENDINGS[end.end];
    if (fault !== undefined) yield fault;
    return;
  }
  if (end.class === 'not_found')
    yield fallback ? 'model: not_found, fallback' : 'model: not_found, no fallback';
  else yield `model: ${end.class}`;
  if ((end.retryAfterMs ?? 0) > 600_000) yield 'model: long retry-after';
  if (end.shouldRetry !== undefined) yield 'model: x-should-retry';
}

const BAD_CALLS: Readonly<Record<string, Fault>> = {
  unknown_tool: 'call: unknown tool',
  bad_json: 'call: bad JSON',
  rejected: 'call: input rejected',
  invalid: 'call: input invalid',
};

const ENDINGS: Readonly<Record<string, Fault>> = {
  cut: 'model: cut at the cap',
  window_full: 'model: window full',
  pause: 'model: pause',
  refusal: 'model: refusal',
  reset: 'model: stream reset',
  closed: 'model: stream closed early',
  stall: 'model: stall',
  throws: 'model: port throws',
};
