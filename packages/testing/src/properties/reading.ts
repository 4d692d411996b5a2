/**
 * Reads the log of a run into data for the checks. Uses only the public events, nothing of the loop's
 * internals.
 */
import type {
  AssistantMessage,
  LoopEvent,
  MessageEvent,
  ModelRequest,
  Terminal,
  Transition,
} from '@heddle/core';
import type { PlayedRun } from './play.ts';
import type { AnswerEnd, WorldEffect, WorldEvent } from './world.ts';

/** `at` is a place in the log. */
export interface Placed {
  readonly at: number;
}

export interface ReadAttempt extends Placed {
  readonly number: number;
  readonly request: ModelRequest;
  /** Undefined if the loop left before the end of the response. */
  endedAt: number | undefined;
  end: AnswerEnd | undefined;
}

export interface Call extends Placed {
  readonly id: string;
  readonly responseId: string;
  readonly uuid: string;
  readonly tool: string;
}

export interface BegunEffect extends Placed, WorldEffect {
  endedAt: number | undefined;
}

/** One pass of the loop: from its announcement to the next one, or to the end. */
export interface ReadIteration extends Placed {
  until: number;
  /** The reason why the loop continued after it. */
  transition: Transition | undefined;
  readonly attempts: ReadAttempt[];
  /** Messages that report a failed call. */
  readonly released: (Placed & { readonly message: AssistantMessage })[];
}

export interface RunReading {
  readonly run: PlayedRun;
  readonly log: readonly WorldEvent[];
  readonly events: readonly (Placed & { readonly event: LoopEvent })[];
  readonly messages: readonly (Placed & MessageEvent)[];
  readonly attempts: readonly ReadAttempt[];
  readonly iterations: readonly ReadIteration[];
  readonly effects: readonly BegunEffect[];
  readonly calls: ReadonlyMap<string, Call>;
  readonly tombstones: readonly (Placed & { readonly uuids: readonly string[] })[];
  /** Retracted messages with their positions. */
  readonly buried: ReadonlyMap<string, number>;
  readonly abortedAt: number | undefined;
  readonly leftAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly terminal: Terminal | undefined;
}

export function readRun(run: PlayedRun): RunReading {
  const { log } = run;
  const events = placed(log, 'event');
  const messages = events.flatMap(({ at, event }) => (event.type === 'message' ? [{ at, ...event }] : []));
  const tombstones = events.flatMap(({ at, event }) =>
    event.type === 'tombstone' ? [{ at, uuids: event.uuids }] : [],
  );
  const attempts = attemptsOf(log);
  const end = placed(log, 'end')[0];
  return {
    run,
    log,
    events,
    messages,
    attempts,
    iterations: iterationsOf(log, attempts),
    effects: effectsOf(log),
    calls: callsOf(messages),
    tombstones,
    buried: new Map(tombstones.flatMap(({ at, uuids }) => uuids.map((uuid) => [uuid, at] as const))),
    abortedAt: placed(log, 'abort')[0]?.at,
    leftAt: placed(log, 'left')[0]?.at,
    endedAt: end?.at,
    terminal: end?.terminal,
  };
}

export function placed<What extends WorldEvent['what']>(
  log: readonly WorldEvent[],
  what: What,
): (Placed & Extract<WorldEvent, { what: What }>)[] {
  return log.flatMap((happening, at) => (isA(happening, what) ? [{ ...happening, at }] : []));
}

function isA<What extends WorldEvent['what']>(
  happening: WorldEvent,
  what: What,
): happening is Extract<WorldEvent, { what: What }> {
  return happening.what === what;
}

function attemptsOf(log: readonly WorldEvent[]): ReadAttempt[] {
  const attempts: ReadAttempt[] = [];
  for (const [at, happening] of log.entries()) {
    if (happening.what === 'request') {
      const { number, request } = happening;
      attempts.push({ at, number, request, endedAt: undefined, end: undefined });
    } else if (happening.what === 'request_end') {
      const attempt = attempts[happening.number - 1];
      if (attempt === undefined) continue;
      attempt.endedAt = at;
      attempt.end = happening.end;
    }
  }
  return attempts;
}

function iterationsOf(log: readonly WorldEvent[], attempts: readonly ReadAttempt[]): ReadIteration[] {
  const iterations: ReadIteration[] = [];
  for (const { at, event } of placed(log, 'event')) {
    const iteration = iterations.at(-1);
    if (event.type === 'stream_request_start') {
      if (iteration !== undefined) iteration.until = at;
      iterations.push({ at, until: log.length, transition: undefined, attempts: [], released: [] });
    } else if (event.type === 'transition' && iteration !== undefined)
      iteration.transition = event.transition;
    else if (event.type === 'message' && event.message.type === 'assistant' && event.message.apiError)
      iteration?.released.push({ at, message: event.message });
  }
  for (const attempt of attempts)
    iterations.findLast((iteration) => iteration.at < attempt.at)?.attempts.push(attempt);
  return iterations;
}

function effectsOf(log: readonly WorldEvent[]): BegunEffect[] {
  const effects: BegunEffect[] = [];
  for (const [at, happening] of log.entries()) {
    if (happening.what === 'effect') {
      const { what: _what, ...effect } = happening;
      effects.push({ ...effect, at, endedAt: undefined });
    } else if (happening.what === 'effect_end') {
      const effect = effects.find(({ id, endedAt }) => id === happening.id && endedAt === undefined);
      if (effect !== undefined) effect.endedAt = at;
    }
  }
  return effects;
}

function callsOf(messages: readonly (Placed & MessageEvent)[]): Map<string, Call> {
  const calls = new Map<string, Call>();
  for (const { at, message } of messages) {
    if (message.type !== 'assistant') continue;
    const { responseId, uuid } = message;
    for (const block of message.content)
      if (block.type === 'tool_use')
        calls.set(block.id, { at, id: block.id, responseId, uuid, tool: block.name });
  }
  return calls;
}

/**
 * Returns the error class of an attempt by the rules of the API alone. Undefined if its answer is valid.
 */
export function errorClassOf({ record, stopReason }: AnswerEnd): string | undefined {
  if (record === 'threw') return 'internal';
  if (record.type === 'model_error') return record.class;
  switch (stopReason) {
    case 'max_tokens':
      return 'output_cap';
    case 'model_context_window_exceeded':
      return 'overflow';
    case 'refusal':
      return 'refusal';
    default:
      return undefined;
  }
}

/** The complete calls of an answer. The last block of a cut one counts as unfinished. */
export function completeCallIds({ blocks, stopReason, hasOpenBlock }: AnswerEnd): string[] {
  const wasCut = stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded';
  const whole = wasCut && !hasOpenBlock ? blocks.slice(0, -1) : blocks;
  return whole.filter((id) => id !== undefined);
}
