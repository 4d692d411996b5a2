/**
 * Intents come before effects. No effect is early, repeated, or beside an incompatible one. An abort lets
 * nothing begin. I7.
 */
import { queryConfig } from '@heddle/core';
import { mayStartEarly } from '../planned-tools.ts';
import { type ReadAttempt, type BegunEffect, completeCallIds, placed, type RunReading } from '../reading.ts';
import type { Port } from '../world.ts';

export function checkIntents({ log, events, effects }: RunReading): string[] {
  const complaints: string[] = [];
  const intents = new Map<string, { readonly at: number; readonly input: string }>();
  for (const { at, event } of events) {
    if (event.type !== 'tool_intent') continue;
    if (intents.has(event.toolUseId)) complaints.push(`two intents of ${event.toolUseId}`);
    intents.set(event.toolUseId, { at, input: JSON.stringify(event.input) });
  }
  const begun = new Set<string>();
  for (const { id, at, input } of effects) {
    if (begun.has(id)) complaints.push(`${id} ran twice`);
    begun.add(id);
    const intent = intents.get(id);
    if (intent === undefined) {
      complaints.push(`${id} ran without an intent`);
      continue;
    }
    // Stored means: the consumer has asked for more since.
    const stored = log.findIndex((happening, place) => place > intent.at && happening.what === 'asked');
    if (stored < 0 || stored > at) complaints.push(`${id} ran before its intent was stored`);
    if (intent.input !== JSON.stringify(input))
      complaints.push(`${id} ran with an input that was not announced`);
  }
  return complaints;
}

export function checkEarliness(reading: RunReading): string[] {
  const { effects, log, calls, buried, attempts } = reading;
  const complaints: string[] = [];
  const endOf = (id: string) => attemptOf(attempts, id)?.endedAt ?? Number.POSITIVE_INFINITY;
  for (const { id, at, hasEffects, alone } of effects) {
    if ((hasEffects || alone) && at < endOf(id))
      complaints.push(`${id} began before the answer was complete`);
    const call = calls.get(id);
    if (hasEffects && call && buried.has(call.uuid)) complaints.push(`${id} had effects, and was retracted`);
  }
  for (const { number, id } of cutCalls(attempts)) {
    const call = calls.get(id);
    const wentOn = reading.iterations.some(
      ({ attempts, transition }) => transition !== undefined && attempts.at(-1)?.number === number,
    );
    if (wentOn && call && !buried.has(call.uuid)) complaints.push(`${id} was cut, and stands`);
    if (effects.some((effect) => effect.id === id && effect.hasEffects))
      complaints.push(`${id} was cut, and ran`);
  }
  for (const { id, at } of placed(log, 'before_hook')) {
    const tool = calls.get(id)?.tool ?? '';
    if (!mayStartEarly(tool, {}) && at < endOf(id)) complaints.push(`a hook before ${id} ran too early`);
  }
  return complaints;
}

/** Calls at the end of an answer that was cut: the missing part is unknown. */
function cutCalls(attempts: readonly ReadAttempt[]): { readonly number: number; readonly id: string }[] {
  return attempts.flatMap(({ number, end }) => {
    const id = end?.blocks.at(-1);
    return end && id !== undefined && !completeCallIds(end).includes(id) ? [{ number, id }] : [];
  });
}

/** Returns the attempt of a call. Ids contain it: `call_<attempt>_<block>`. */
function attemptOf(attempts: readonly ReadAttempt[], id: string): ReadAttempt | undefined {
  return attempts[Number(id.split('_')[1]) - 1];
}

export function checkCompany({ effects, run }: RunReading): string[] {
  const { limits } = queryConfig({ sessionId: '', ...run.plan.settings.config });
  const complaints: string[] = [];
  for (const effect of effects) {
    // A call that ignores its abort does not count as running beside others.
    const beside = effects.filter(
      (other) => other !== effect && runsAt(other, effect.at) && !(other.deaf && other.signal.aborted),
    );
    if (beside.length + 1 > limits.toolConcurrency) complaints.push(`${beside.length + 1} calls at once`);
    for (const other of beside)
      if (effect.alone || other.alone) complaints.push(`${effect.id} ran beside ${other.id}`);
  }
  return complaints;
}

function runsAt({ at, endedAt = Number.POSITIVE_INFINITY }: BegunEffect, place: number): boolean {
  return at < place && place < endedAt;
}

/** These get the signal, and end by it. */
const OF_A_RUN_THAT_ENDS: ReadonlySet<Port> = new Set<Port>(['gather', 'stop_hooks']);

/**
 * Nothing with a cost, a question or an effect begins after an abort, and nothing that obeys the signal
 * outlives it.
 */
export function checkAbort(reading: RunReading): string[] {
  const { log, effects, endedAt, calls, buried, messages } = reading;
  const complaints: string[] = [];
  const denied = placed(log, 'question_end').flatMap(({ id, interrupts }) => {
    const call = calls.get(id);
    const result = messages.find(({ outcome }) => outcome?.toolUseId === id);
    return interrupts && call && result && !buried.has(call.uuid) ? [result.at] : [];
  });
  const aborted = Math.min(reading.abortedAt ?? Number.POSITIVE_INFINITY, ...denied);
  for (const [at, happening] of log.entries()) {
    if (at < aborted) continue;
    if (happening.what === 'request') complaints.push(`request ${happening.number} after the abort`);
    if (happening.what === 'effect') complaints.push(`${happening.id} began after the abort`);
    if (happening.what === 'port' && !OF_A_RUN_THAT_ENDS.has(happening.port))
      complaints.push(`${happening.port} after the abort`);
  }
  const over = endedAt ?? placed(log, 'gone')[0]?.at;
  for (const { id, endedAt: end = Number.POSITIVE_INFINITY, deaf } of effects)
    if (over !== undefined && end > over && !deaf) complaints.push(`${id} outlived the run`);
  for (const { id, signal, at } of placed(log, 'question')) {
    const answered = log.some(
      (other, place) => place > at && other.what === 'question_end' && other.id === id,
    );
    if (!answered && !signal.aborted) complaints.push(`the question about ${id} was never withdrawn`);
  }
  return complaints;
}
