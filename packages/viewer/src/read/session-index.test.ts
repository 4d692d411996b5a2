import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FactPage, withoutRepeatedAnswers } from '../model/facts.ts';
import { requestCosts } from '../model/money.ts';
import { runsOf } from '../model/runs.ts';
import { timelineOf } from '../model/timeline.ts';
import { parseOwn } from '../model/parse-own.ts';
import { readPage } from '../test/facts.ts';
import { sampleLog, writeLog } from '../test/sample-session.ts';
import { pricedPage } from './priced-facts.ts';
import { rowOf, searchLines } from './transcript-rows.ts';
import { SessionIndex } from './session-index.ts';

let home = '';
let sample = '';

beforeAll(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'heddle-index-'));
  sample = writeLog(sampleLog('/project'), { configDir: home, cwd: home }, 'sample');
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

function fileWith(...lines: (string | Buffer)[]): string {
  const file = path.join(home, `${lines.length}-${Math.random().toString(36).slice(2)}.jsonl`);
  writeFileSync(file, Buffer.concat(lines.map((line) => Buffer.from(line))));
  return file;
}

test('takes requests, tokens, costs and calls of another program from its messages', async () => {
  const line = (fields: object, message: object): string =>
    `${JSON.stringify({ timestamp: '2026-01-02T03:04:05.678Z', parentUuid: null, cwd: '/p', ...fields, message })}\n`;
  const answer = (uuid: string, id: string, content: object, output: number): string =>
    line(
      { type: 'assistant', uuid },
      {
        id,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [content],
        usage: { input_tokens: 10, output_tokens: output, cache_read_input_tokens: 2_000 },
      },
    );
  const index = new SessionIndex(
    fileWith(
      line({ type: 'user', uuid: 'u1' }, { role: 'user', content: 'Fix it' }),
      answer('a1', 'm1', { type: 'text', text: 'I look.' }, 3),
      answer('a2', 'm1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } }, 40),
      line(
        { type: 'user', uuid: 'u2' },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true }],
        },
      ),
      answer('a3', 'm2', { type: 'text', text: 'Fixed.' }, 5),
    ),
  );
  const page = await pricedPage(index.page(0, 100), () =>
    Promise.resolve((_model, usage) => usage.output_tokens),
  );
  const facts = withoutRepeatedAnswers(parseOwn<FactPage>(page).facts);
  expect(requestCosts(facts)).toMatchObject([
    { line: 2, costUsd: 40, tokens: { input: 10, cacheRead: 2_000 } },
    { line: 4, totalUsd: 45 },
  ]);
  expect(runsOf(facts)).toMatchObject([{ requests: 2, tools: 1, failedTools: 1, costUsd: 45 }]);
  expect(timelineOf(facts)).toMatchObject({
    models: [{ state: 'answered' }, { state: 'answered' }],
    tools: [{ tool: 'Bash', isError: true, endedAt: facts[0]?.at }],
  });
});

describe('reading in pages', () => {
  test('gives the same facts in small pages as in one', () => {
    const whole = readPage(new SessionIndex(sample));
    const index = new SessionIndex(sample);
    const facts = [];
    for (let from = 0, more = true; more; ) {
      const page = readPage(index, from, 7);
      facts.push(...page.facts);
      ({ next: from, more } = page);
    }
    expect(facts).toEqual(whole.facts);
  });

  test('ends a page when its time is over, and continues with the next', () => {
    const line =
      readFileSync(sample, 'utf8')
        .split('\n')
        .find((text) => text.includes('leap years')) ?? '';
    const file = fileWith(`${line.replace('leap years', 'x'.repeat(100_000))}\n`.repeat(60));
    const index = new SessionIndex(file);
    const first = parseOwn<FactPage>(index.page(0, 60, 0));
    expect(first).toMatchObject({ more: true });
    expect(first.next).toBeGreaterThan(0);
    expect(first.next).toBeLessThan(60);
    const rest = parseOwn<FactPage>(index.page(first.next, 60));
    expect(rest).toMatchObject({ next: 60, more: false });
  });

  test('reads only what was appended, and starts again if the file was replaced', () => {
    const file = fileWith(readFileSync(sample));
    const index = new SessionIndex(file);
    const first = readPage(index);
    const text = readFileSync(sample, 'utf8');
    appendFileSync(file, text.slice(text.lastIndexOf('{"type":"end"')));
    const second = readPage(index, first.next);
    expect(second.facts.map(({ type }) => type)).toEqual(['end']);
    expect(second.version).toBe(first.version);
    writeFileSync(file, text.slice(0, text.indexOf('\n') + 1));
    expect(readPage(index).version).not.toBe(first.version);
  });
});

describe('a hostile file', () => {
  const session = () => readFileSync(sample, 'utf8').split('\n')[0] ?? '';
  const user = (content: string): string =>
    `${JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content }, timestamp: '2026-01-01T00:00:00Z' })}\n`;

  test('damaged, unknown and torn lines are facts, and the others are read', () => {
    const file = fileWith(
      session(),
      '\n',
      'not json\n',
      '{"type":"new kind","x":1}\n',
      user('hello'),
      '{"type":"us',
    );
    const page = readPage(new SessionIndex(file));
    expect(page.facts.map(({ type }) => type)).toEqual(['session', 'damaged', 'foreign', 'message']);
    expect(page.torn).toBe(true);
  });

  test('broken UTF-8 is replaced, and wrong types in a message do no harm', () => {
    const broken = Buffer.concat([
      Buffer.from('{"type":"user","uuid":"u","message":{"role":"user","content":"a'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from('"}}\n'),
    ]);
    const odd =
      '{"type":"assistant","uuid":"a","message":{"content":[{"type":"text","text":5},{"type":"tool_use"}]}}\n';
    const usage = '{"type":"answer","model":"m","usage":{"input_tokens":"many"}}\n';
    const file = fileWith(session(), '\n', broken, odd, usage);
    const index = new SessionIndex(file);
    const { facts } = readPage(index);
    expect(facts.map(({ type }) => type)).toEqual(['session', 'message', 'message', 'answer']);
    expect(facts[1]).toMatchObject({ label: 'a\ufffd\ufffd(' });
    expect(facts[3]).toMatchObject({ tokens: { input: 0 } });
    for (const { line, decoded } of index.lines(0)) rowOf(decoded, line, 100);
  });

  test('a line of many megabytes is skipped without being held in memory', () => {
    const huge = Buffer.alloc(70 * 1024 * 1024, 'x');
    const file = fileWith(session(), '\n', huge, '\n', user('after it'));
    const { facts } = readPage(new SessionIndex(file));
    expect(facts.map(({ type }) => type)).toEqual(['session', 'damaged', 'message']);
    expect(facts[1]).toMatchObject({ size: huge.length });
    rmSync(file);
  });
});

describe('transcript rows', () => {
  const rows = () => {
    const index = new SessionIndex(sample);
    return [...index.lines(0)].flatMap(({ line, decoded }) => rowOf(decoded, line, 100) ?? []);
  };

  test('contain prompts, thinking, calls, results, pictures and changes of files', () => {
    const parts = rows().flatMap((row) => row.parts);
    const kinds = new Set(parts.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['text', 'thinking', 'call', 'result', 'media', 'note']));
    const edit = parts.find((part) => part.kind === 'call' && part.tool === 'Edit');
    expect(edit).toMatchObject({ change: { path: 'src/date.ts' } });
  });

  test('cut long texts and state their size', () => {
    const long = rows()
      .flatMap((row) => row.parts)
      .filter(({ size }) => size > 100 && size < 10_000);
    expect(long.length).toBeGreaterThan(0);
    for (const part of long) if (part.kind === 'result') expect(part.text).toHaveLength(100);
  });
});

test('a search finds text in any case and stops when the client has gone', async () => {
  const index = new SessionIndex(sample);
  const { hits } = await searchLines(index, 'leap year', () => false);
  expect(hits.length).toBeGreaterThan(2);
  for (const { excerpt, start, end } of hits)
    expect(excerpt.slice(start, end).toLowerCase()).toBe('leap year');
  expect((await searchLines(index, 'LEAP YEAR', () => false)).hits).toEqual([]);
});
