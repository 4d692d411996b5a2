/** I3: one terminal and nothing after it; a bounded number of passes between two good answers, and of attempts in each. */
import { queryConfig, type TransitionReason } from '@heddle/core';
import { type Pass, placed, type Reading } from '../reading.ts';

export function checkEnding(reading: Reading): string[] {
  const { log, endedAt, leftAt, passes } = reading;
  const complaints = placed(log, 'broke').map(({ how }) => how);
  const over = endedAt ?? leftAt;
  if (over === undefined) return complaints.length > 0 ? complaints : ['the run never ended'];
  if (placed(log, 'end').length + placed(log, 'left').length > 1) complaints.push('it ended twice');
  for (const { what } of log.slice(over + 1))
    if (what === 'event' || what === 'request' || what === 'effect' || what === 'door')
      complaints.push(`${what} after the end`);
  if (passes.at(-1)?.transition !== undefined && leftAt === undefined)
    complaints.push('it said that it would go on, and ended');
  return [...complaints, ...betweenGoodAnswers(passes), ...attemptsOfPass(reading)];
}

const RECOVERIES: readonly (readonly [TransitionReason, number])[] = [
  ['max_output_tokens_escalate', 1],
  ['max_output_tokens_recovery', 3],
  ['collapse_drain_retry', 1],
  ['reactive_compact_retry', 1],
];

function betweenGoodAnswers(passes: readonly Pass[]): string[] {
  const complaints: string[] = [];
  const counts = new Map<TransitionReason, number>();
  for (const { transition } of passes) {
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

/** What one pass may spend on its answer: each model's tries, the pauses, the refused blocks and one re-ask. */
function attemptsOfPass({ passes, run }: Reading): string[] {
  const { retry } = queryConfig({ sessionId: '', ...run.plan.settings.config });
  const models = run.plan.settings.fallback ? 2 : 1;
  const most = models * retry.maxAttempts + retry.maxPauses + retry.maxRefusedBlocks + 1;
  return passes
    .filter(({ attempts }) => attempts.length > most)
    .map(({ attempts }) => `${attempts.length} attempts at one answer, at most ${most}`);
}
