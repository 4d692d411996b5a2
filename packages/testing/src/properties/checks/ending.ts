/**
 * I3: one terminal and nothing after it, and bounded iterations between two good answers, with bounded
 * attempts in each.
 */
import { queryConfig, type TransitionReason } from '@heddle/core';
import { completeCallIds, errorClassOf, type ReadIteration, placed, type RunReading } from '../reading.ts';
import type { AnswerEnd } from '../world.ts';

export function checkEnding(reading: RunReading): string[] {
  const { log, endedAt, leftAt, iterations } = reading;
  const complaints = placed(log, 'broke').map(({ how }) => how);
  const over = endedAt ?? leftAt;
  if (over === undefined) return complaints.length > 0 ? complaints : ['the run never ended'];
  if (placed(log, 'end').length + placed(log, 'left').length > 1) complaints.push('it ended twice');
  for (const { what } of log.slice(over + 1))
    if (what === 'event' || what === 'request' || what === 'effect' || what === 'port')
      complaints.push(`${what} after the end`);
  if (iterations.at(-1)?.transition !== undefined && leftAt === undefined)
    complaints.push('it announced a continuation, and ended');
  return [
    ...complaints,
    ...betweenGoodAnswers(iterations),
    ...attemptsOfIteration(reading),
    ...fallbacksOfRun(reading),
  ];
}

const RECOVERIES: readonly (readonly [TransitionReason, number])[] = [
  ['max_output_tokens_escalate', 1],
  ['max_output_tokens_recovery', 3],
  ['collapse_drain_retry', 1],
  ['reactive_compact_retry', 1],
];

function betweenGoodAnswers(iterations: readonly ReadIteration[]): string[] {
  const complaints: string[] = [];
  const counts = new Map<TransitionReason, number>();
  for (const { transition } of iterations) {
    if (transition === undefined) continue;
    const bound = RECOVERIES.find(([reason]) => reason === transition.reason)?.[1];
    if (bound === undefined) {
      counts.clear();
      continue;
    }
    const count = (counts.get(transition.reason) ?? 0) + 1;
    counts.set(transition.reason, count);
    if (count > bound) complaints.push(`${transition.reason} ${count} times without a good answer`);
  }
  return complaints;
}

/** Each fallback model takes over once at most. */
function fallbacksOfRun({ messages, run }: RunReading): string[] {
  const changes = messages.flatMap(({ message }) =>
    message.type === 'system' && message.subtype === 'model_fallback' ? [message.content] : [],
  );
  const most = run.plan.settings.fallbacks;
  const complaints = changes.filter((text) => /^Switched from (\S+) to \1:/.test(text));
  if (changes.length > most) complaints.push(`${changes.length} changes of the model, and ${most} fallbacks`);
  return complaints;
}

/**
 * The attempts that one iteration may use: each model's tries, the pauses, the refused blocks and one
 * re-ask.
 */
function attemptsOfIteration({ iterations, run, events }: RunReading): string[] {
  const { retry } = queryConfig({ sessionId: '', ...run.plan.settings.config });
  const models = 1 + run.plan.settings.fallbacks;
  const most: Record<Remedy, number> = {
    'another try': models * retry.maxAttempts,
    // One more: a surplus pause that left nothing is retried like any other empty answer.
    'a pause': retry.maxPauses + 1,
    'a refused block': retry.maxRefusedBlocks,
    'a re-ask': 1,
    'no thinking': models,
  };
  const complaints: string[] = [];
  for (const { attempts } of iterations) {
    const counts = new Map<Remedy, number>();
    for (const [index, { end, number, at }] of attempts.slice(0, -1).entries()) {
      const next = attempts[index + 1]?.at ?? at;
      if (end === undefined) continue;
      if (completeCallIds(end).length > 0) complaints.push(`the calls of request ${number} were thrown away`);
      const retried = events.some((one) => one.at > at && one.at < next && one.event.type === 'retry');
      const remedy = retried ? 'another try' : remedyFor(end);
      counts.set(remedy, (counts.get(remedy) ?? 0) + 1);
    }
    const goesOn = (counts.get('a pause') ?? 0) + (counts.get('a re-ask') ?? 0);
    if (goesOn > retry.maxPauses + 1) complaints.push(`asked to continue ${goesOn} times for one answer`);
    for (const [remedy, count] of counts)
      if (count > most[remedy]) complaints.push(`${remedy} ${count} times for one answer`);
  }
  return complaints;
}

type Remedy = 'another try' | 'a pause' | 'a refused block' | 'a re-ask' | 'no thinking';

/** The reason for the next attempt, if it was not reported as a retry. */
function remedyFor(end: AnswerEnd): Remedy {
  const error = errorClassOf(end);
  if (error === 'refused_block') return 'a refused block';
  if (error === 'bad_request') return 'no thinking';
  if (error !== undefined) return 'another try';
  return end.stopReason === 'pause_turn' ? 'a pause' : 'a re-ask';
}
