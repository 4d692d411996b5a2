/** Queued commands, spent tokens, hooks without an answer to judge, summaries. */
import type { LoopEvent } from '@heddle/core';
import { SUMMARIZER } from '../context.ts';
import { completeCallIds, errorClassOf, placed, type RunReading } from '../reading.ts';

export function checkCommands({ events, leftAt, terminal, iterations }: RunReading): string[] {
  const complaints: string[] = [];
  const states = new Map<string, string[]>();
  for (const { at, event } of events) {
    if (event.type !== 'command') continue;
    states.set(event.commandId, [...(states.get(event.commandId) ?? []), event.state]);
    const last = iterations.at(-1);
    if (event.state === 'started' && terminal?.reason === 'max_turns' && at > (last?.at ?? 0))
      complaints.push(`${event.commandId} was swallowed by a run that could not answer it`);
  }
  for (const [id, seen] of states) {
    const expected = terminal === undefined ? 'started' : 'started,completed';
    const isDone = seen.join() === expected || (leftAt !== undefined && seen.join() === 'started,completed');
    if (!isDone) complaints.push(`${id}: ${seen.join()}`);
  }
  return complaints;
}

/**
 * The server's usage is reported exactly once, as an answer or as spent, and before more is spent (I7 for
 * budgets).
 */
export function checkBill(reading: RunReading): string[] {
  const { iterations, events, abortedAt, terminal, leftAt } = reading;
  const complaints = spentUntold(reading);
  if (leftAt !== undefined || terminal === undefined) return complaints;
  for (const iteration of iterations) {
    const began = iteration.attempts.filter(({ end }) => end?.began === true && end.record !== 'threw');
    const cutShort = iteration.attempts.some(({ end }) => end === undefined || end.record === 'threw');
    const billed = events.filter(
      ({ at, event }) => at > iteration.at && at < iteration.until && isBill(event),
    ).length;
    const isAborted = abortedAt !== undefined && abortedAt < iteration.until;
    if (cutShort || isAborted) {
      if (billed > iteration.attempts.length) complaints.push('more was billed than was asked for');
    } else if (billed !== began.length)
      complaints.push(`${began.length} answers began, ${billed} were billed`);
  }
  return complaints;
}

/** A host with a budget must know the cost of an attempt before the next one begins. */
function spentUntold({ attempts, events }: RunReading): string[] {
  return attempts.flatMap((next, index) => {
    const before = attempts[index - 1];
    if (before?.end?.began !== true) return [];
    const since = before.endedAt ?? before.at;
    const isStored = events.some(({ at, event }) => at > since && at < next.at && isBill(event));
    return isStored ? [] : [`request ${next.number} began before the cost of the last one was stored`];
  });
}

/** The usage of a context level is not an attempt at an answer. */
function isBill(event: LoopEvent): boolean {
  return event.type === 'answer_end' || (event.type === 'spent' && event.model !== SUMMARIZER);
}

/** Stop hooks run only after an answer that they could judge. */
export function checkStopHooks({ log, attempts }: RunReading): string[] {
  return placed(log, 'port').flatMap(({ port, at }) => {
    if (port !== 'stop_hooks') return [];
    const end = attempts.findLast((attempt) => attempt.at < at)?.end;
    if (end === undefined) return ['stop hooks ran without an answer'];
    if (completeCallIds(end).length > 0) return ['stop hooks ran although calls were waiting'];
    return errorClassOf(end) === undefined ? [] : ['stop hooks ran after an error'];
  });
}

export function checkSummaries({ events, calls }: RunReading): string[] {
  const seen = new Set<string>();
  return events.flatMap(({ event }) => {
    if (event.type !== 'tool_use_summary') return [];
    const key = event.toolUseIds.join();
    const again = seen.has(key);
    seen.add(key);
    const unknown = event.toolUseIds.filter((id) => !calls.has(id));
    return [
      ...(again ? [`summary of ${key} twice`] : []),
      ...unknown.map((id) => `summary of unknown ${id}`),
    ];
  });
}
