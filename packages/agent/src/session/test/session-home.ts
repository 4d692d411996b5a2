/** A home of its own for each test, and the entries that a conversation is made of. */
import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AssistantMessage, Entry, EntryBody, Message, UserMessage } from '@heddle/core';
import { decodeEntry } from '../codec/decode.ts';
import { newSession, type OpenedSession, type OpenSetup, type Session } from '../open/open.ts';
import { sessionFile, type SessionPlace } from '../files/paths.ts';
import { omitUndefined } from '@heddle/core';

export interface SessionHome {
  readonly place: SessionPlace;
  readonly setup: OpenSetup;
  readonly file: (id: string) => string;
  readonly lines: (id: string) => string[];
  /** A new session, open. */
  readonly begin: (id: string) => Session;
}

export function createSessionHome(more: Partial<OpenSetup> = {}): SessionHome {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'heddle-session-'));
  const place = { configDir: path.join(folder, 'config'), cwd: folder };
  const setup: OpenSetup = { place, version: 'test', durability: 'process', now: () => 1_000, ...more };
  const file = (id: string): string => sessionFile(place, id);
  return {
    place,
    setup,
    file,
    lines: (id) => readFileSync(file(id), 'utf8').trimEnd().split('\n'),
    begin: (id) => sessionOf(newSession(setup, id)),
  };
}

export function sessionOf(opened: OpenedSession): Session {
  if (!opened.ok) throw new Error(opened.message);
  return opened.session;
}

export function reasonOf(opened: OpenedSession): string {
  return opened.ok ? 'it was opened' : opened.message;
}

export function entryOf(line: string): Entry {
  const decoded = decodeEntry(line);
  if (decoded.kind !== 'entry') throw new Error(`The line is ${decoded.kind}: ${line}`);
  return decoded.entry;
}

export function uuidsOf(session: Session): string[] {
  return [...session.projection.messages].map((message: Message) => message.uuid);
}

export const user = (uuid: string, content: UserMessage['content'] = uuid): EntryBody => ({
  type: 'user',
  message: { type: 'user', uuid, at: 1_000, content },
});

const answer = (uuid: string, content: AssistantMessage['content']): EntryBody => ({
  type: 'assistant',
  message: { type: 'assistant', uuid, at: 1_000, responseId: 'msg_1', model: 'm', content },
});

export const assistant = (uuid: string, text = uuid): EntryBody => answer(uuid, [{ type: 'text', text }]);

export const callOf = (uuid: string, toolUseId: string): EntryBody =>
  answer(uuid, [{ type: 'tool_use', id: toolUseId, name: 'Bash', input: {} }]);

export const resultOf = (uuid: string, toolUseId: string, content = 'done'): EntryBody =>
  user(uuid, [{ type: 'tool_result', tool_use_id: toolUseId, content }]);

export const intentOf = (
  toolUseId: string,
  effect: 'read_only' | 'idempotent' | 'writing' = 'writing',
): EntryBody => ({ type: 'intent', toolUseId, tool: 'Bash', input: {}, effect });

export const tombstone = (...uuids: string[]): EntryBody => ({ type: 'tombstone', uuids });

export const spent = (outputTokens: number, costUsd?: number, model = 'm'): EntryBody => ({
  type: 'spent',
  model,
  usage: {
    input_tokens: 0,
    output_tokens: outputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  },
  ...omitUndefined({ costUsd }),
});

/** A compaction that left these messages. */
export const boundary = (...uuids: string[]): EntryBody => ({
  type: 'context',
  report: { level: 'autocompact', tokensBefore: 100, tokensAfter: 10, rewrotePrefix: true },
  messages: uuids.map((uuid) => ({ type: 'user', uuid, at: 1_000, content: uuid })),
});
