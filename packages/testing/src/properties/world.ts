/** The environment of a planned run: a clock, a signal, and one ordered log of all events. */
import type { Done, JsonObject, LoopEvent, ModelError, ModelRequest, Terminal } from '@heddle/core';
import { createClock, type VirtualClock } from '../clock.ts';
import { type Fault, Hits } from './hits.ts';
import type { ConsumerPatience, RunPlan } from './plan.ts';

export type WorldEvent =
  /** The consumer asked for more: everything yielded before has been stored. */
  | { readonly what: 'asked' }
  | { readonly what: 'event'; readonly event: LoopEvent }
  | { readonly what: 'request'; readonly number: number; readonly request: ModelRequest }
  | { readonly what: 'request_end'; readonly number: number; readonly end: AnswerEnd }
  | { readonly what: 'port'; readonly port: Port }
  | { readonly what: 'before_hook'; readonly id: string }
  | { readonly what: 'question'; readonly id: string; readonly signal: AbortSignal }
  | { readonly what: 'question_end'; readonly id: string; readonly interrupts: boolean }
  | ({ readonly what: 'effect' } & WorldEffect)
  | { readonly what: 'effect_end'; readonly id: string }
  | { readonly what: 'abort'; readonly reason: string }
  /** The consumer stops and is released. */
  | { readonly what: 'left' }
  | { readonly what: 'gone' }
  | { readonly what: 'end'; readonly terminal: Terminal }
  /** The generator threw, was stuck, or never ended. */
  | { readonly what: 'broke'; readonly how: string };

export type Port = 'prepare' | 'drain' | 'compact' | 'stop_hooks' | 'gather' | 'take_queued' | 'ask';

export interface WorldEffect {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly hasEffects: boolean;
  readonly alone: boolean;
  readonly deaf: boolean;
  readonly signal: AbortSignal;
}

/** The port's records of one response, as far as the loop has read them. */
export interface AnswerEnd {
  readonly record: Done | ModelError | 'threw';
  readonly stopReason: string | null;
  /** Every finished block: the id of the call, or undefined for another block. */
  readonly blocks: readonly (string | undefined)[];
  readonly hasOpenBlock: boolean;
  readonly began: boolean;
}

export class TestWorld {
  readonly clock: VirtualClock = createClock({ auto: true });
  readonly controller = new AbortController();
  readonly log: WorldEvent[] = [];
  readonly hits = new Hits();
  readonly #patience: ConsumerPatience;
  #ticks = 0;

  constructor({ consumer }: RunPlan) {
    const { patience } = consumer;
    this.#patience = patience;
    if (patience.until !== 'time') return;
    const never = new AbortController().signal;
    void this.clock.sleep(patience.at, never).then(() => this.#abort(patience.how, 'time'));
  }

  note(happening: WorldEvent): void {
    this.log.push(happening);
  }

  hit(fault: Fault): void {
    this.hits.fault(fault);
  }

  /** Called when a port is entered or left. */
  tick(): void {
    const patience = this.#patience;
    if (patience.until === 'tick' && this.#ticks++ === patience.at) this.#abort(patience.how, 'await');
  }

  /** The delay of every port before it returns. */
  async wait(ms: number, signal: AbortSignal = NEVER): Promise<void> {
    this.tick();
    await (ms > 0 ? this.clock.sleep(ms, signal) : Promise.resolve());
    this.tick();
  }

  /** Called with the number of events that the consumer has. Returns true if it stops. */
  loses(count: number): boolean {
    const patience = this.#patience;
    if (patience.until !== 'event' || count !== patience.at) return false;
    if (patience.how === 'leave') return true;
    this.#abort(patience.how, 'event');
    return false;
  }

  #abort(how: 'interrupt' | 'cancel', at: 'event' | 'await' | 'time'): void {
    if (this.controller.signal.aborted || this.log.some(({ what }) => what === 'end' || what === 'left'))
      return;
    this.hit(`consumer: ${how}s at ${at === 'time' ? 'a time' : at === 'await' ? 'an await' : 'an event'}`);
    this.note({ what: 'abort', reason: how });
    this.controller.abort(how);
  }
}

const NEVER = new AbortController().signal;
