/**
 * I1: every request is valid. I5: retracted messages are never sent. I8: a request begins with the one
 * before it.
 */
import { type AssistantMessage, type ModelRequest, textOf } from '@heddle/core';
import { messagesBytes } from '../../request-body.ts';
import type { ReadAttempt, RunReading } from '../reading.ts';

export function checkValidity({ run }: RunReading): string[] {
  return run.problems.map(({ message }) => message);
}

export function checkTombstones({ tombstones, messages, attempts }: RunReading): string[] {
  if (tombstones.length === 0) return [];
  const complaints: string[] = [];
  const yielded = new Map(messages.map((event) => [event.message.uuid, event]));
  for (const { at, uuids } of tombstones) {
    const marks = uuids.flatMap((uuid) => {
      const event = yielded.get(uuid);
      if (event === undefined) complaints.push(`${uuid} was retracted, and never yielded`);
      else if (event.at > at) complaints.push(`${uuid} was retracted before it was yielded`);
      return event?.message.type === 'assistant' ? marksOf(event.message) : [];
    });
    for (const attempt of attempts) {
      if (attempt.at < at) continue;
      const bytes = plainBytes(attempt.request);
      for (const mark of marks)
        if (bytes.includes(mark))
          complaints.push(`${mark} was retracted, and sent in request ${attempt.number}`);
    }
  }
  return complaints;
}

/** The texts that identify a message in a request. */
function marksOf({ content }: AssistantMessage): string[] {
  return content.flatMap((block) => {
    if (block.type === 'tool_use') return [`"${block.id}"`];
    const words = block.type === 'thinking' ? block.thinking : textOf([block]);
    return /<\d+\.\d+>/.exec(words || JSON.stringify(block)) ?? [];
  });
}

/** A finished call stays in every later request, as a call with its result or as text, until a context step replaces it. */
export function checkFinishedCalls({ run, messages, events, attempts, buried }: RunReading): string[] {
  const earlier = run.messages.map((message) => ({ at: -1, message }));
  const finished = [...earlier, ...messages].flatMap(({ at, message }) => {
    if (message.type !== 'user' || typeof message.content === 'string' || buried.has(message.uuid)) return [];
    return message.content.flatMap((block) =>
      block.type === 'tool_result' && typeof block.content === 'string'
        ? [{ at, id: block.tool_use_id, text: JSON.stringify(block.content).slice(1, -1) }]
        : [],
    );
  });
  const complaints: string[] = [];
  for (const { at: sentAt, number, request } of attempts) {
    const bytes = plainBytes(request);
    for (const { at, id, text } of finished) {
      if (at > sentAt || events.some((one) => one.at < sentAt && one.event.type === 'context')) continue;
      if (!bytes.includes(`"tool_use_id":"${id}"`) && !bytes.includes(text))
        complaints.push(`request ${number} has neither the result of ${id} nor its text`);
    }
  }
  return complaints;
}

/** Each rewrite has an announced reason. */
export function checkPrefix(reading: RunReading): string[] {
  const { attempts, events, run } = reading;
  const complaints: string[] = [];
  for (const [index, now] of attempts.entries()) {
    const before = attempts[index - 1];
    const between = events
      .filter(({ at }) => at > (before?.at ?? -1) && at < now.at)
      .map(({ event }) => event);
    const announced = between.filter(({ type }) => type === 'prefix_rewritten').length;
    if (before === undefined) {
      if (announced > 0) complaints.push('the first request rewrote something');
      continue;
    }
    const rewritten = !startsWith(now.request, before.request);
    // A fork without cache writes has no cache to lose.
    if (!run.plan.settings.skipCacheWrite && announced !== (rewritten ? 1 : 0))
      complaints.push(
        `request ${now.number} ${rewritten ? 'rewrote' : 'kept'} what was sent; announced ${announced} times`,
      );
    if (rewritten && reasonsFor(reading, before, now).length === 0)
      complaints.push(`request ${now.number} rewrote what was sent for no reason`);
  }
  return complaints;
}

function startsWith(now: ModelRequest, before: ModelRequest): boolean {
  return (
    headOf(now) === headOf(before) &&
    plainBytes(now).startsWith(plainBytes(before).slice(0, -LAST_BRACKETS.length))
  );
}

function reasonsFor(
  { events, buried, messages, iterations }: RunReading,
  before: ReadAttempt,
  now: ReadAttempt,
): string[] {
  const reasons: string[] = [];
  // A paused answer that cannot be last (it ends in thinking) is sent with our own text, which its rest
  // replaces.
  const iteration = iterations.findLast(({ at }) => at < before.at);
  const continued = iteration?.attempts.some(
    ({ at, end }) => at < before.at && end?.stopReason === 'pause_turn',
  );
  if (continued && before.request.messages.last()?.role === 'user') reasons.push('a pause');
  for (const { at, event } of events) {
    if (at < before.at || at > now.at) continue;
    if (event.type === 'context' && event.report.rewrotePrefix) reasons.push('a context step');
  }
  if (now.request.model !== before.request.model) reasons.push('another model');
  if (now.request.tools.length !== before.request.tools.length) reasons.push('other tools');
  const error = before.end?.record;
  if (typeof error === 'object' && error.type === 'model_error' && error.class === 'refused_block')
    reasons.push('a refused block');
  // Messages yielded by the attempt itself were never sent. Earlier ones may have been.
  const sentAndTakenBack = messages.some(
    ({ at, message }) => at < before.at && (buried.get(message.uuid) ?? 0) > before.at,
  );
  if (sentAndTakenBack) reasons.push('a tombstone');
  return reasons;
}

const LAST_BRACKETS = ']}]';
const MARK = ',"cache_control":{"type":"ephemeral"}';
const plain = new WeakMap<ModelRequest, string>();

/** The bytes of the sent messages without the marks, which move. */
export function plainBytes(request: ModelRequest): string {
  const known = plain.get(request);
  if (known !== undefined) return known;
  const bytes = Buffer.from(messagesBytes(request)).toString().replaceAll(MARK, '');
  plain.set(request, bytes);
  return bytes;
}

/** The part before the messages. Another model has its own cache, and a message announces the change. */
function headOf({ system, tools }: ModelRequest): string {
  const bare = (items: readonly { readonly cache_control?: unknown }[]) =>
    items.map(({ cache_control: _mark, ...rest }) => rest);
  return JSON.stringify([bare(tools), bare(system)]);
}

// I2: every call has exactly one result in all cases, and results come in the order of the calls.

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
