/** Checks the stored lines of a session from outside. It shares only the codec with the worker. */
import { decodeLine } from '@heddle/agent/store';
import { callsOf, type Entry, queryConfig, replayLogEntries, resultsOf, textOf } from '@heddle/core';
import type { Seen } from '../client.ts';

export interface Verified {
  readonly problems: readonly string[];
  readonly calls: number;
  /** Calls whose result names the uncertainty. */
  readonly uncertain: number;
  readonly takeovers: number;
  readonly iterations: number;
  /** Billed requests to the model. */
  readonly billed: number;
}

/** `effects` are the ids of the calls that ran, in order. `turns` is the number of submitted prompts. */
export function verifySession(lines: readonly Seen[], effects: readonly string[], turns: number): Verified {
  const problems: string[] = [];
  const own = lines.filter(({ agent }) => agent === null);
  const entries = own.flatMap(({ line }) =>
    decodeLine(line).flatMap((decoded): Entry[] => (decoded.kind === 'entry' ? [decoded.entry] : [])),
  );
  for (const [at, { seq }] of lines.entries())
    if (seq !== at + 1) problems.push(`line ${at + 1} has number ${seq}`);
  const gone = new Set(entries.flatMap((entry) => (entry.type === 'tombstone' ? entry.uuids : [])));
  const calls: string[] = [];
  const results = new Map<string, string[]>();
  let prompts = 0;
  let ends = 0;
  for (const entry of entries) {
    if (entry.type === 'end') ends++;
    if (entry.type === 'assistant' && !gone.has(entry.message.uuid))
      calls.push(...callsOf([entry.message]).map(({ id }) => id));
    if (entry.type !== 'user' || gone.has(entry.message.uuid)) continue;
    const found = resultsOf(entry.message);
    if (found.length === 0 && !entry.message.isMeta) prompts++;
    for (const { tool_use_id: id, content = '' } of found)
      results.set(id, [...(results.get(id) ?? []), textOf(content)]);
  }
  if (prompts !== turns) problems.push(`${prompts} prompts instead of ${turns}`);
  if (ends !== turns) problems.push(`${ends} ends instead of ${turns}`);
  let uncertain = 0;
  for (const id of calls) {
    const reported = results.get(id) ?? [];
    const ran = effects.filter((effect) => effect === id).length;
    const isCertain = reported.length === 1 && reported[0] === `appended ${id}`;
    const isUncertain =
      reported.length === 1 && reported[0]?.includes('may or may not have taken effect') === true;
    if (isUncertain) uncertain++;
    if (ran > 1) problems.push(`${id} ran ${ran} times`);
    else if (isCertain && ran !== 1) problems.push(`${id} has a result and did not run`);
    else if (!isCertain && !isUncertain) problems.push(`${id} has the results ${JSON.stringify(reported)}`);
  }
  if (new Set(calls).size !== calls.length) problems.push('a call occurs twice');
  const replayed = replayLogEntries(entries, queryConfig({ sessionId: 's' }));
  for (const mismatch of replayed.mismatches) problems.push(`replay: ${JSON.stringify(mismatch)}`);
  const takeovers = lines.filter(({ kind }) => kind === 'taken').length - turns;
  const billed = entries.filter(({ type }) => type === 'answer' || type === 'spent').length;
  return { problems, calls: calls.length, uncertain, takeovers, iterations: replayed.confirmed, billed };
}
