/** The planned model: the scripted one behind a port that records what the loop has read. */
import type { ModelPort, ModelRecord, RecordIterator } from '@heddle/core';
import { type ScriptedModel, scriptedModel } from '../scripted/model.ts';
import type { Signatures } from '../validator/signatures.ts';
import type { RunPlan } from './plan.ts';
import { faultsOf, stepOf } from './steps.ts';
import type { AnswerEnd, TestWorld } from './world.ts';

export interface PlannedModel {
  readonly port: ModelPort;
  /** Its judge has checked every request. */
  readonly model: ScriptedModel;
}

export function plannedModel(plan: RunPlan, world: TestWorld, signatures: Signatures): PlannedModel {
  const model = scriptedModel((request, number) => stepOf(plan.attempts[number - 1], number, request), {
    clock: world.clock,
    badSignatures: 'violation',
    signatures,
  });
  const port: ModelPort = (request, signal) => {
    const number = model.calls.length + 1;
    const attempt = plan.attempts[number - 1];
    world.note({ what: 'request', number, request });
    for (const fault of faultsOf(attempt, plan.settings.fallbacks > 0)) world.hit(fault);
    const records = model(request, signal)[Symbol.asyncIterator]();
    const taken = new Taken(number, attempt?.end.end === 'throws', world);
    return {
      [Symbol.asyncIterator]: () => (plan.settings.readyPort ? eager(records, taken) : plain(records, taken)),
    };
  };
  return { port, model };
}

/** Tracks the records that the loop reads. */
class Taken {
  readonly #number: number;
  readonly #throws: boolean;
  readonly #world: TestWorld;
  readonly #blocks: (string | undefined)[] = [];
  #open: { readonly id: string | undefined } | undefined;
  #stopReason: string | null = null;
  #began = false;

  constructor(number: number, throws: boolean, world: TestWorld) {
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

/** Reads ahead, so that many records are available early. */
function eager(records: RecordIterator, taken: Taken): RecordIterator {
  const here: ModelRecord[] = [];
  let arrived = Promise.withResolvers<void>();
  const state = { ended: false };
  const fetch = async (): Promise<void> => {
    for (let next = await records.next(); next.done !== true; next = await records.next()) {
      here.push(next.value);
      arrived.resolve();
      arrived = Promise.withResolvers();
    }
    state.ended = true;
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
      while (here.length === 0 && !state.ended) await arrived.promise;
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
