// Writes many sessions with the journal itself, for `bench:sessions`.
import { utimesSync } from 'node:fs';
import { newSession } from '@heddle/agent';
import type { EntryBody } from '@heddle/core';

export interface Crowd {
  readonly sessions: number;
  /** Characters of conversation in each. */
  readonly characters: number;
  /** Occurs once, in the oldest session. */
  readonly rare: string;
  /** Occurs once in every session. */
  readonly common: string;
}

const MINUTE = 60_000;

export function writeSessions({ sessions, characters, rare, common }: Crowd, place: { configDir: string; cwd: string }): void {
  const start = Date.now() - sessions * MINUTE;
  for (let session = 0; session < sessions; session++) {
    const at = start + session * MINUTE;
    const opened = newSession({ place, version: 'bench', durability: 'process', now: () => at }, idOf(session));
    if (!opened.ok) throw new Error(opened.message);
    const { journal } = opened.session;
    for (const entry of entriesOf(session, at, characters, session === 0 ? `${common} ${rare}` : common)) journal.append(entry);
    journal.close();
    utimesSync(journal.path ?? '', at / 1_000, at / 1_000);
  }
}

function idOf(session: number): string {
  return `${session.toString(16).padStart(8, '0')}-0000-4000-8000-${String(session).padStart(12, '0')}`;
}

function* entriesOf(session: number, at: number, characters: number, said: string): Generator<EntryBody> {
  const model = 'claude';
  const snapshot = { cwd: '/project', model, systemPrompt: ['Be careful.'], userContext: {}, systemContext: {} };
  yield { type: 'session', snapshot };
  yield { type: 'user', message: { type: 'user', uuid: `u${session}`, at, content: `Task ${session}: look at part ${session % 97} and repair it` } };
  let written = 0;
  for (let step = 0; written < characters; step++) {
    const toolUseId = `toolu_${session}_${step}`;
    const responseId = `msg_${session}_${step}`;
    const input = { command: `grep -n "part ${step}" src/some/folder/*.ts` };
    const usage = { input_tokens: 10, output_tokens: 50, cache_creation_input_tokens: 100, cache_read_input_tokens: 10_000 };
    const result = outputOf(session, step);
    written += result.length + 1_500;
    yield {
      type: 'assistant',
      message: { type: 'assistant', uuid: `a${session}-${step}`, at, responseId, model, content: [{ type: 'tool_use', id: toolUseId, name: 'Bash', input }] },
    };
    yield { type: 'answer', responseId, model, stopReason: 'tool_use', usage, costUsd: 0.01 };
    yield { type: 'intent', toolUseId, tool: 'Bash', input, effect: 'read_only' };
    yield { type: 'outcome', toolUseId, isError: false };
    yield {
      type: 'user',
      message: { type: 'user', uuid: `r${session}-${step}`, at, content: [{ type: 'tool_result', tool_use_id: toolUseId, content: result }] },
    };
    yield { type: 'transition', transition: { reason: 'next_turn' }, turnCount: step + 2 };
  }
  const text = `Part ${session % 97} is repaired. ${said}`;
  yield { type: 'assistant', message: { type: 'assistant', uuid: `z${session}`, at, responseId: `z${session}`, model, content: [{ type: 'text', text }] } };
  yield { type: 'end', terminal: { reason: 'completed' } };
}

/** Lines like the output of a search. No two outputs are equal. */
function outputOf(session: number, step: number): string {
  const lines = Array.from({ length: 20 + ((session + step) % 40) }, (_, line) => {
    const number = (session * 7_919 + step * 104_729 + line * 31) % 999_983;
    return `src/some/folder/file-${number % 977}.ts:${number}:  const value${number} = measure("part ${step}", ${number % 13});`;
  });
  return lines.join('\n');
}
