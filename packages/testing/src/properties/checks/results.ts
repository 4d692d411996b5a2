/** I2: every call has exactly one result in all cases, and results come in the order of the calls. */
import type { RunReading } from '../reading.ts';

export function checkResults(reading: RunReading): string[] {
  const { messages, buried, calls, leftAt, iterations } = reading;
  const complaints: string[] = [];
  const results = new Map<string, number[]>();
  for (const { at, message, outcome } of messages) {
    if (message.type !== 'user' || typeof message.content === 'string') continue;
    const ids = message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    if (ids.length > 0 && (ids.length > 1 || outcome?.toolUseId !== ids[0]))
      complaints.push(`the outcome of ${ids.join()} says ${outcome?.toolUseId ?? 'nothing'}`);
    if (buried.has(message.uuid)) continue;
    for (const id of ids) results.set(id, [...(results.get(id) ?? []), at]);
  }
  for (const { id, uuid, at } of calls.values()) {
    const found = results.get(id) ?? [];
    results.delete(id);
    if (buried.has(uuid)) {
      if (found.length > 0) complaints.push(`${id} was retracted, its result was not`);
      continue;
    }
    if (found.length > 1 || (found.length === 0 && leftAt === undefined))
      complaints.push(`${id} has ${found.length} results`);
    const iteration = iterations.findLast((iteration) => iteration.at < at);
    for (const place of found)
      if (place < at || place > (iteration?.until ?? 0))
        complaints.push(`the result of ${id} stands elsewhere`);
  }
  for (const id of results.keys()) complaints.push(`a result of ${id}, which was never called`);
  return [...complaints, ...outOfOrder(reading), ...repairedPairs(reading)];
}

function outOfOrder({ messages, calls, buried }: RunReading): string[] {
  const last = new Map<string, number>();
  const complaints: string[] = [];
  for (const { message, outcome } of messages) {
    const call = outcome && calls.get(outcome.toolUseId);
    if (call === undefined || buried.has(message.uuid)) continue;
    if (call.at < (last.get(call.responseId) ?? 0)) complaints.push(`the result of ${call.id} came too late`);
    last.set(call.responseId, call.at);
  }
  return complaints;
}

/** The request builder can repair missing pairs. A loop with a consistent history never needs it. */
function repairedPairs({ events }: RunReading): string[] {
  return events
    .flatMap(({ event }) => (event.type === 'mended' ? event.mends : []))
    .filter((repair) => /had no result|without its call|a second (?:result|call)|id of a call/.test(repair));
}
