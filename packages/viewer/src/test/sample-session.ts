/** Sample sessions for tests, pictures and measurements: written by the journal, with times of a plausible run. */
import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { newSession } from '@heddle/agent';
import { folderBeside } from '@heddle/agent/sessions';
import type { ContentBlock, EntryBody, Message } from '@heddle/core';

export const SAMPLE_START = Date.UTC(2026, 2, 14, 9, 30);

/** A red dot of one pixel. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** Collects entries with their times. Each method advances the clock by the time that the step takes. */
export class SampleLog {
  readonly entries: { readonly at: number; readonly body: EntryBody }[] = [];
  now = SAMPLE_START;
  #number = 0;
  #model = 'claude-opus-4-5';
  #cached = 0;
  #size = 9_000;

  add(body: EntryBody): void {
    this.entries.push({ at: this.now, body });
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }

  begin(cwd: string): this {
    this.add({
      type: 'session',
      snapshot: {
        cwd,
        model: this.#model,
        systemPrompt: ['You are a careful engineer. '.repeat(400)],
        userContext: {},
        systemContext: {},
      },
    });
    return this;
  }

  prompt(content: string | readonly ContentBlock[]): this {
    this.add({ type: 'user', message: { type: 'user', uuid: this.#uuid(), at: this.now, content } });
    this.#size += 200;
    return this;
  }

  /** One block of an answer, after `ms`. */
  block(ms: number, block: ContentBlock): this {
    this.now += ms;
    const message = {
      type: 'assistant',
      uuid: this.#uuid(),
      at: this.now,
      responseId: `response-${this.#number}`,
      model: this.#model,
      content: [block],
    } as const;
    this.add({ type: 'assistant', message });
    return this;
  }

  text(ms: number, text: string): this {
    return this.block(ms, { type: 'text', text });
  }

  call(ms: number, id: string, name: string, input: Record<string, string>): this {
    return this.block(ms, { type: 'tool_use', id, name, input });
  }

  /** The end of an answer. `costUsd` is left out for a model without a price. */
  answer(ms: number, output: number, costUsd?: number): this {
    this.now += ms;
    const read = this.#cached;
    const usage = {
      input_tokens: 40,
      output_tokens: output,
      cache_creation_input_tokens: Math.max(0, this.#size - read),
      cache_read_input_tokens: read,
    };
    this.#cached = this.#size;
    this.#size += output;
    const known = costUsd === undefined ? {} : { costUsd };
    const responseId = `response-${this.#number}`;
    const stopReason = 'end_turn';
    this.add({ type: 'answer', responseId, model: this.#model, stopReason, usage, ...known });
    return this;
  }

  intent(id: string, tool: string): this {
    this.add({ type: 'intent', toolUseId: id, tool, input: {}, effect: 'writing' });
    return this;
  }

  result(id: string, content: string, isError = false): this {
    this.add({ type: 'outcome', toolUseId: id, isError });
    const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError } as const;
    this.add({
      type: 'user',
      message: { type: 'user', uuid: this.#uuid(), at: this.now, content: [block] },
    });
    this.#size += content.length / 4;
    return this;
  }

  nextTurn(turnCount: number): this {
    this.add({ type: 'transition', transition: { reason: 'next_turn' }, turnCount });
    return this;
  }

  fallback(model: string): this {
    const content = `${this.#model} is overloaded. ${model} answers instead.`;
    const message = {
      type: 'system',
      uuid: this.#uuid(),
      at: this.now,
      subtype: 'model_fallback',
      content,
    } as const;
    this.add({ type: 'system', message });
    this.#model = model;
    this.#cached = 0;
    return this;
  }

  compact(summary: string, tokensAfter: number): this {
    const tokensBefore = Math.round(this.#size);
    const message: Message = { type: 'user', uuid: this.#uuid(), at: this.now, content: summary };
    this.add({
      type: 'context',
      report: { level: 'autocompact', tokensBefore, tokensAfter, rewrotePrefix: true },
      messages: [message],
    });
    this.#size = tokensAfter;
    this.#cached = 0;
    return this;
  }

  end(): this {
    this.add({ type: 'end', terminal: { reason: 'completed' } });
    return this;
  }

  #uuid(): string {
    return `message-${++this.#number}`;
  }
}

/** A session with two turns: parallel tools, a question, a retry, a fallback, a compaction and a failed test. */
export function sampleLog(cwd: string): SampleLog {
  const log = new SampleLog().begin(cwd);
  log.wait(400).prompt('The date parser fails for leap years. Find the cause and fix it.');
  log.block(2_300, {
    type: 'thinking',
    thinking: 'I should read the parser and its tests first.',
    signature: 's',
  });
  log.text(600, 'I read the parser and its tests **at the same time**, and run the suite.');
  log.call(300, 'read-1', 'Read', { file_path: 'src/date.ts' }).intent('read-1', 'Read');
  log.call(250, 'read-2', 'Read', { file_path: 'src/date.test.ts' }).intent('read-2', 'Read');
  log.wait(200).result('read-1', 'export function isLeap(year) {\n  return year % 4 === 0;\n}\n'.repeat(30));
  log.call(350, 'grep-1', 'Grep', { pattern: 'isLeap', path: 'src' }).intent('grep-1', 'Grep');
  log.answer(500, 412, 0.061);
  log.wait(300).result('grep-1', 'src/date.ts:12\nsrc/calendar.ts:40');
  log.wait(500).result('read-2', "test('1900 is not a leap year', …)\n".repeat(40));
  log.nextTurn(2).call(3_100, 'bash-1', 'Bash', { command: 'npm test -- date' }).answer(200, 120, 0.034);
  log.add({ type: 'ask', toolUseId: 'bash-1', tool: 'Bash', input: {} });
  log.wait(4_200).add({ type: 'ask_answer', toolUseId: 'bash-1', behavior: 'allow' });
  log.wait(60).intent('bash-1', 'Bash').wait(5_600);
  log.result(
    'bash-1',
    'FAIL src/date.test.ts\n  1900 is not a leap year\n    expected false, received true',
    true,
  );
  log.nextTurn(3);
  const overloaded = {
    type: 'model_error',
    class: 'overloaded',
    message: 'Overloaded',
    status: 529,
  } as const;
  log.wait(1_200).add({ type: 'retry', attempt: 2, delayMs: 1_500, error: overloaded });
  log.wait(2_700).add({ type: 'retry', attempt: 3, delayMs: 2_000, error: overloaded });
  log.wait(2_300).fallback('claude-sonnet-4-5');
  log.text(2_600, 'A year that is divisible by 100 is a leap year **only** if 400 divides it. The fix:');
  log.call(900, 'edit-1', 'Edit', {
    file_path: 'src/date.ts',
    old_string: 'export function isLeap(year) {\n  return year % 4 === 0;\n}',
    new_string:
      'export function isLeap(year) {\n  if (year % 400 === 0) return true;\n  return year % 4 === 0 && year % 100 !== 0;\n}',
  });
  log.answer(300, 310, 0.021).intent('edit-1', 'Edit').wait(90).result('edit-1', 'src/date.ts was changed.');
  log.nextTurn(4).call(2_000, 'bash-2', 'Bash', { command: 'npm test -- date' }).answer(150, 80, 0.009);
  log.intent('bash-2', 'Bash').wait(5_100).result('bash-2', 'PASS src/date.test.ts (14 tests)');
  log.nextTurn(5).text(2_200, 'Leap years are correct now: `1900` is not one, `2000` is. All 14 tests pass.');
  log.answer(100, 95, 0.008).end();

  log.wait(40 * 60_000);
  log.prompt([
    { type: 'text', text: 'Also check the calendar page. Here is a screenshot.' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } },
  ]);
  log
    .wait(6_500)
    .compact(
      'The user asked for a fix of leap years. It is done, and tests pass. Next: the calendar page.',
      2_100,
    );
  log.call(2_700, 'agent-1', 'Agent', { description: 'Check the calendar page' }).answer(200, 150, 0.012);
  log
    .intent('agent-1', 'Agent')
    .wait(14_000)
    .result('agent-1', 'The calendar page uses isLeap and is correct.');
  log.nextTurn(2).text(1_900, 'The calendar page uses the corrected function. There is nothing to change.');
  log.answer(100, 60, 0.006).end();
  return log;
}

/** The same task on another day: fewer steps, and an end with an error. */
export function otherLog(cwd: string): SampleLog {
  const log = new SampleLog();
  log.now = SAMPLE_START - 26 * 3_600_000;
  log.begin(cwd).prompt('The date parser fails for leap years. Find the cause and fix it.');
  log
    .call(3_300, 'read-1', 'Read', { file_path: 'src/date.ts' })
    .answer(200, 90, 0.052)
    .intent('read-1', 'Read');
  log.wait(150).result('read-1', 'export function isLeap(year) {\n  return year % 4 === 0;\n}\n').nextTurn(2);
  log
    .call(2_900, 'bash-1', 'Bash', { command: 'npm test -- date' })
    .answer(200, 70, 0.011)
    .intent('bash-1', 'Bash');
  log.wait(5_300).result('bash-1', 'FAIL src/date.test.ts', true).nextTurn(3);
  const overloaded = {
    type: 'model_error',
    class: 'overloaded',
    message: 'Overloaded',
    status: 529,
  } as const;
  log.wait(1_000).add({ type: 'retry', attempt: 2, delayMs: 1_500, error: overloaded });
  log.wait(3_000).add({ type: 'end', terminal: { reason: 'api_error', error: overloaded } });
  return log;
}

/** A subagent that worked while the second turn of the sample waited for it. */
function subagentLog(cwd: string, start: number): SampleLog {
  const log = new SampleLog();
  log.now = start;
  log.begin(cwd).prompt('Check the calendar page');
  log.call(2_500, 'sub-1', 'Grep', { pattern: 'isLeap' }).answer(100, 60, 0.002).intent('sub-1', 'Grep');
  log.wait(700).result('sub-1', 'src/calendar.ts:40').nextTurn(2);
  log
    .call(3_000, 'sub-2', 'Read', { file_path: 'src/calendar.ts' })
    .answer(100, 50, 0.002)
    .intent('sub-2', 'Read');
  log.wait(300).result('sub-2', 'const days = isLeap(year) ? 366 : 365;').nextTurn(3);
  log.text(3_000, 'The calendar page is correct.').answer(100, 40, 0.002).end();
  return log;
}

interface SamplePlace {
  readonly configDir: string;
  readonly cwd: string;
}

/** Writes a log as a session. Returns its file. */
export function writeLog({ entries }: Pick<SampleLog, 'entries'>, place: SamplePlace, id: string): string {
  let now = SAMPLE_START;
  const opened = newSession({ place, version: 'test', durability: 'process', now: () => now }, id);
  if (!opened.ok) throw new Error(opened.message);
  const { journal } = opened.session;
  for (const { at, body } of entries) {
    now = at;
    journal.append(body);
  }
  journal.close();
  if (journal.path === undefined) throw new Error('The journal has no file.');
  return journal.path;
}

/** Writes the sample with its subagent. Returns the file of the session. */
export function writeSample(place: SamplePlace, id: string): string {
  const log = sampleLog(place.cwd);
  const file = writeLog(log, place, id);
  const started =
    log.entries.find(({ body }) => body.type === 'intent' && body.toolUseId === 'agent-1')?.at ?? 0;
  const folder = path.join(folderBeside(file), 'subagents');
  mkdirSync(folder, { recursive: true });
  const written = writeLog(
    subagentLog(place.cwd, started),
    { configDir: folder, cwd: place.cwd },
    'agent-a1',
  );
  renameSync(written, path.join(folder, 'agent-a1.jsonl'));
  return file;
}
