/**
 * I5 for the log: retracted messages are not in its projection, and the projection equals the sent
 * messages.
 */
import {
  buildRequest,
  type EntryBody,
  History,
  type LoopEvent,
  type Message,
  projectLog,
  requestSpec,
} from '@heddle/core';
import { USER_CONTEXT } from '../play.ts';
import type { ReadAttempt, RunReading } from '../reading.ts';
import { plainBytes } from './requests.ts';

export type EntriesOf = (event: LoopEvent) => readonly EntryBody[];

export function checkProjection(reading: RunReading, entriesOf: EntriesOf = entriesOfMessages): string[] {
  const { events, buried, run, attempts } = reading;
  const complaints: string[] = [];
  const entries: EntryBody[] = run.messages.flatMap(entryOf);
  let next = 0;
  let isOpaque = false;
  for (const { at, event } of events) {
    for (let attempt = attempts[next]; attempt !== undefined && attempt.at < at; attempt = attempts[++next])
      if (!isOpaque) complaints.push(...differences(reading, attempt, projectLog(entries)));
    entries.push(...entriesOf(event));
    isOpaque ||= hidesSomething(event) || refusedBefore(attempts, next);
  }
  for (const message of projectLog(entries))
    if (buried.has(message.uuid))
      complaints.push(`${message.uuid} was retracted, and is in the log's projection`);
  return complaints;
}

/** A collapse changes the sent messages, not the stored ones. */
function hidesSomething(event: LoopEvent): boolean {
  return event.type === 'context' && event.report.level === 'drain';
}

/** A note in place of a refused block exists only in the run. */
function refusedBefore(attempts: readonly ReadAttempt[], next: number): boolean {
  return attempts.slice(0, next).some(({ end }) => {
    const record = end?.record;
    return typeof record === 'object' && record.type === 'model_error' && record.class === 'refused_block';
  });
}

/** A session resumed at this point would send the same. */
function differences(
  { run }: RunReading,
  { request, number }: ReadAttempt,
  messages: readonly Message[],
): string[] {
  const resumed = (continuesAnswer: boolean) =>
    buildRequest(
      requestSpec({
        model: request.model,
        maxOutputTokens: 1,
        systemPrompt: [],
        systemContext: {},
        userContext: run.plan.settings.userContext ? USER_CONTEXT : {},
        tools: [],
        skipCacheWrite: true,
        continuesAnswer,
      }),
      History.of(messages),
    ).request;
  const sent = plainBytes(request);
  if (plainBytes(resumed(false)) === sent || plainBytes(resumed(true)) === sent) return [];
  return [
    `request ${number} is not what the log says:\n  sent ${sent}\n  log  ${plainBytes(resumed(false))}`,
  ];
}

function entriesOfMessages(event: LoopEvent): readonly EntryBody[] {
  switch (event.type) {
    case 'message':
      return entryOf(event.message);
    case 'tombstone':
      return [{ type: 'tombstone', uuids: event.uuids }];
    case 'context':
      return [event];
    default:
      return [];
  }
}

function entryOf(message: Message): readonly EntryBody[] {
  switch (message.type) {
    case 'user':
      return [{ type: 'user', message }];
    case 'assistant':
      return [{ type: 'assistant', message }];
    case 'system':
      return [{ type: 'system', message }];
    case 'attachment':
      return [{ type: 'attachment', message }];
    case 'progress':
    case 'tombstone':
    case 'tool_use_summary':
      return [];
  }
}
