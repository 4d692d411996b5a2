// Writes long sessions with the journal itself, for `bench:resume`.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { newSession, type Session } from '@heddle/agent';
import type { EntryBody, Message } from '@heddle/core';

export interface Shape {
  readonly id: string;
  readonly about: string;
  readonly messages: number;
  /** Characters of a result for the model, and of its data for clients, of every fourth call. */
  readonly result: number;
  readonly structured: number;
  /** A compaction replaces the history after this many messages. 0: never. */
  readonly boundaryEvery: number;
}

export interface Written {
  readonly logMB: number;
  readonly blobsMB: number;
  /** Log and blobs of the last tenth, as a share of those of the first. */
  readonly growth: number;
  readonly microsecondsAnEntry: number;
}

export function writeSession(shape: Shape, place: { configDir: string; cwd: string }): Written {
  const opened = newSession({ place, version: 'bench', durability: 'process', now: Date.now }, shape.id);
  if (!opened.ok) throw new Error(opened.message);
  const { session } = opened;
  const log = session.journal.path ?? '';
  const blobs = path.join(path.dirname(log), 'blobs');
  const before = sizeOf(blobs);
  const sizes: number[] = [];
  let entries = 0;
  let ns = 0n;
  const store = (body: EntryBody): void => {
    const startedAt = process.hrtime.bigint();
    session.journal.append(body);
    ns += process.hrtime.bigint() - startedAt;
    session.projection.apply(body);
    entries++;
  };
  store({ type: 'session', snapshot: { cwd: place.cwd, model: 'claude', systemPrompt: ['Be careful.'], userContext: {}, systemContext: {} } });
  store({ type: 'user', message: { type: 'user', ...stamp(), content: 'A long job.' } });
  for (let step = 1; step <= shape.messages / 2; step++) {
    takeStep(shape, step, session, store);
    if (step % (shape.messages / 20) === 0) sizes.push(statSync(log).size + sizeOf(blobs) - before);
  }
  store({ type: 'end', terminal: { reason: 'completed' } });
  session.journal.close();
  const steps = sizes.map((size, index) => size - (sizes[index - 1] ?? 0));
  return {
    logMB: statSync(log).size / 1e6,
    blobsMB: (sizeOf(blobs) - before) / 1e6,
    growth: (steps.at(-1) ?? 0) / (steps[0] ?? 1),
    microsecondsAnEntry: Number(ns) / 1_000 / entries,
  };
}

function takeStep(shape: Shape, step: number, session: Session, store: (body: EntryBody) => void): void {
  const toolUseId = `toolu_${shape.id}_${step}`;
  const input = { command: `work on part ${step}` };
  const usage = { input_tokens: 10, output_tokens: 50, cache_creation_input_tokens: 100, cache_read_input_tokens: 10_000 };
  const responseId = `msg_${step}`;
  const model = 'claude';
  store({
    type: 'assistant',
    message: { type: 'assistant', ...stamp(), responseId, model, content: [{ type: 'tool_use', id: toolUseId, name: 'Bash', input }] },
  });
  store({ type: 'answer', responseId, model, stopReason: 'tool_use', usage, costUsd: 0.01 });
  store({ type: 'intent', toolUseId, tool: 'Bash', input, effect: 'writing' });
  store({ type: 'outcome', toolUseId, isError: false });
  store({
    type: 'user',
    message: {
      type: 'user',
      ...stamp(),
      content: [{ type: 'tool_result', tool_use_id: toolUseId, content: textOf(step, shape.result) }],
      toolUseResult: { stdout: textOf(step, step % 4 === 0 ? shape.structured : 100) },
    },
  });
  store({ type: 'transition', transition: { reason: 'next_turn' }, turnCount: step + 1 });
  if (shape.boundaryEvery > 0 && (step * 2) % shape.boundaryEvery === 0 && step * 2 < shape.messages) {
    const kept = [...session.projection.messages].slice(-6);
    const summary: Message = { type: 'user', ...stamp(), content: textOf(step, 8_000), isMeta: true };
    const report = { level: 'autocompact', tokensBefore: 900_000, tokensAfter: 20_000, rewrotePrefix: true } as const;
    store({ type: 'context', report, messages: [summary, ...kept] });
  }
}

let stamps = 0;

function stamp(): { uuid: string; at: number } {
  return { uuid: `00000000-0000-4000-8000-${String(++stamps).padStart(12, '0')}`, at: Date.now() };
}

/** Lines like the output of a program. No two texts are equal, so that no blob is shared. */
function textOf(step: number, characters: number): string {
  const line = `part ${step}: src/some/folder/file.ts:${step % 977} "ok", \t${(step * 7919) % 104_729} checks\n`;
  return line.repeat(Math.ceil(characters / line.length)).slice(0, characters);
}

function sizeOf(folder: string): number {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
  } catch {
    return 0;
  }
}
