/**
 * Converts a step to acts on the wire, in order: events, waits, and one end. Pure, and shared by the
 * scripted model and the fake API, so that a script means the same in both.
 */
import type { ApiEvent, Done, ModelError, ModelRecord, StopReason } from '@heddle/core';
import type { Act, EndAct } from './act.ts';
import { blockActs } from './blocks.ts';
import { errorOf } from './errors.ts';
import { foreign } from './foreign.ts';
import { isGate, type ScriptPart, stepParts, type ScriptedUsage, type ScriptStep } from './part.ts';

/** The facts about a call that its step needs. */
export interface ActSettings {
  readonly call: number;
  readonly model: string;
  /** For the computed usage. */
  readonly inputTokens: number;
  /** Signs a thinking block in the model's name. */
  readonly sign: (thinking: string) => string;
}

export function actsOf(step: ScriptStep, setting: ActSettings): readonly Act[] {
  const parts = stepParts(step);
  const stream = new Stream(setting, usageOf(parts));
  for (const part of parts) {
    stream.play(part);
    if (stream.ended) break;
  }
  stream.end({ act: 'done' });
  const breakAt = parts.find((part) => 'part' in part && part.part === 'break_at');
  return breakAt !== undefined && 'events' in breakAt ? brokenAt(stream.acts, breakAt.events) : stream.acts;
}

/** Returns the records of a port for this step, without waits and gates. */
export function recordsOf(step: ScriptStep, setting: ActSettings): readonly ModelRecord[] {
  return actsOf(step, setting).flatMap((act): ModelRecord[] => {
    if (act.act === 'event') return [act.event];
    return act.act === 'wait' || act.act === 'gate' ? [] : [lastRecord(act, setting.call)];
  });
}

export function lastRecord(end: EndAct, call: number): Done | ModelError {
  const requestId = requestIdOf(call);
  switch (end.act) {
    case 'done':
      return { type: 'done', requestId };
    case 'fail':
      return end.error.status === undefined ? end.error : { requestId, ...end.error };
    case 'hang_up':
      return errorOf('network', end.clean ? { message: 'The stream ended without message_stop' } : {});
    case 'silence':
      return errorOf('stall');
  }
}

export function requestIdOf(call: number): string {
  return `req_${call}`;
}

class Stream {
  readonly acts: Act[] = [];
  ended = false;
  readonly #setting: ActSettings;
  readonly #usage: ScriptedUsage;
  #began = false;
  #stopped = false;
  #blocks = 0;
  #calls = 0;
  #characters = 0;
  #pace = 0;

  constructor(setting: ActSettings, usage: ScriptedUsage) {
    this.#setting = setting;
    this.#usage = usage;
  }

  play(part: ScriptPart): void {
    if (isGate(part)) return void this.acts.push({ act: 'gate', gate: part });
    switch (part.part) {
      case 'pause':
        return void this.acts.push({ act: 'wait', ms: part.ms });
      case 'pace':
        this.#pace = part.ms;
        return;
      case 'begin':
        return this.#begin();
      case 'ping':
        return this.#event({ type: 'ping' });
      case 'foreign_event':
        return this.#event(foreign(part.event));
      case 'stop':
        return this.#stop(part.reason, part.sequence);
      case 'fail':
        return this.end({ act: 'fail', error: part.error });
      case 'hang_up':
        return this.end({ act: 'hang_up', clean: part.clean });
      case 'stall':
        return this.end({ act: 'silence', ms: part.ms });
      case 'usage':
      case 'break_at':
        return;
      case 'text':
      case 'thinking':
      case 'redacted_thinking':
      case 'tool_use':
      case 'foreign_block': {
        const { acts, characters } = blockActs(part, this.#blocks++, this.#setting.sign);
        this.#characters += characters;
        if (part.part === 'tool_use' && part.unfinished === undefined) this.#calls++;
        for (const act of acts) {
          if (act.act === 'event') this.#event(act.event);
          else this.acts.push(act);
        }
      }
    }
  }

  end(end: EndAct): void {
    if (this.ended) return;
    if (end.act === 'done') {
      if (!this.#stopped) this.#stop(this.#calls > 0 ? 'tool_use' : 'end_turn');
      this.#event({ type: 'message_stop' });
    }
    this.acts.push(end);
    this.ended = true;
  }

  #begin(): void {
    if (this.#began) return;
    this.#began = true;
    const { call, model, inputTokens } = this.#setting;
    const counted = {
      input_tokens: inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    };
    const usage = { ...counted, ...this.#usage, output_tokens: 1 };
    this.#event({ type: 'message_start', message: { ...EMPTY_ANSWER, id: `msg_${call}`, model, usage } });
  }

  #stop(reason: StopReason | null, sequence?: string): void {
    this.#stopped = true;
    const output_tokens = this.#usage.output_tokens ?? Math.max(1, Math.ceil(this.#characters / 4));
    this.#event({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: sequence ?? null },
      usage: { output_tokens },
    });
  }

  #event(event: ApiEvent): void {
    if (event.type !== 'message_start') this.#begin();
    if (this.#pace > 0) this.acts.push({ act: 'wait', ms: this.#pace });
    this.acts.push({ act: 'event', event });
  }
}

/** The server's data at the start of a response. */
const EMPTY_ANSWER = {
  type: 'message',
  role: 'assistant',
  content: [],
  stop_reason: null,
  stop_sequence: null,
} as const;

function usageOf(parts: readonly ScriptPart[]): ScriptedUsage {
  const usage: Record<string, unknown> = {};
  for (const part of parts) if ('part' in part && part.part === 'usage') Object.assign(usage, part.usage);
  return usage;
}

function brokenAt(acts: readonly Act[], events: number): readonly Act[] {
  let seen = 0;
  const kept: Act[] = [];
  for (const act of acts) {
    if (act.act === 'event' && seen++ === events) break;
    if (act.act === 'done' || act.act === 'fail' || act.act === 'hang_up' || act.act === 'silence') break;
    kept.push(act);
  }
  return [...kept, { act: 'hang_up', clean: false }];
}
