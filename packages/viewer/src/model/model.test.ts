import { describe, expect, test } from 'vitest';
import { factsOf } from '../test/facts.ts';
import { otherLog, SAMPLE_START, SampleLog, sampleLog } from '../test/sample-session.ts';
import { comparedFigures, comparedRows } from './compare.ts';
import { digestOf, statisticsOf } from './statistics.ts';
import { costsByModel, requestCosts } from './money.ts';
import { isFailedEnd, runsOf } from './runs.ts';
import { lanesOf, timelineOf } from './timeline.ts';
import { layoutOf, timeAxis } from './timeline-layout.ts';
import { windowHistory } from './window.ts';

const facts = factsOf(sampleLog('/project'));
const at = (time: number | undefined): number => (time ?? 0) - SAMPLE_START;

describe('timeline', () => {
  const timeline = timelineOf(facts);

  test('has one bar per attempt, from the time the request could be sent', () => {
    expect(timeline.models.filter(({ state }) => state === 'answered')).toHaveLength(7);
    expect(timeline.models.filter(({ state }) => state === 'failed')).toHaveLength(2);
    const [first] = timeline.models;
    expect(at(first?.from)).toBe(400);
    expect(at(first?.firstAt)).toBe(2_700);
    expect(at(first?.to)).toBe(4_900);
  });

  test('shows tools that run while the model streams', () => {
    const [model] = timeline.models;
    const read = timeline.tools.find(({ id }) => id === 'read-1');
    expect(read?.startedAt).toBeLessThan(model?.to ?? 0);
    expect(read?.endedAt).toBeLessThan(model?.to ?? 0);
  });

  test('separates the time of the question from the time of the run', () => {
    const bash = timeline.tools.find(({ id }) => id === 'bash-1');
    expect((bash?.answeredAt ?? 0) - (bash?.askedAt ?? 0)).toBe(4_200);
    expect((bash?.endedAt ?? 0) - (bash?.startedAt ?? 0)).toBe(5_600);
    expect(bash?.isError).toBe(true);
    const { bars } = layoutOf(timeline, []);
    const bar = bars.find(({ title }) => title === 'Bash: npm test -- date');
    expect(bar?.segments.map(({ style }) => style)).toEqual(['queue', 'ask', 'error']);
  });

  test('starts the request after the last retry and its delay', () => {
    expect(timeline.marks.map(({ kind }) => kind)).toEqual([
      'prompt',
      'retry',
      'retry',
      'fallback',
      'end',
      'prompt',
      'context',
      'end',
    ]);
    const fallback = timeline.marks.find(({ kind }) => kind === 'fallback');
    const after = timeline.models.find(({ model }) => model === 'claude-sonnet-4-5');
    expect(after?.from).toBe(fallback?.at);
  });

  test('extends an open call to the present while the session runs', () => {
    const log = new SampleLog().begin('/p').prompt('Go');
    log.call(1_000, 'a', 'Bash', { command: 'sleep 9' }).answer(10, 5).intent('a', 'Bash');
    const now = log.now + 5_000;
    const { bars } = layoutOf(timelineOf(factsOf(log), now), []);
    const open = bars.find(({ isOpen }) => isOpen);
    expect(open?.to).toBe(now);
  });

  test('puts overlapping calls into separate lanes and reuses free ones', () => {
    const spans = [
      { from: 0, to: 10 },
      { from: 5, to: 8 },
      { from: 9, to: 12 },
      { from: 11, to: 13 },
    ];
    expect(lanesOf(spans)).toEqual([0, 1, 1, 0]);
  });

  test('shortens idle time between turns on the axis', () => {
    const { bars } = layoutOf(timeline, []);
    const axis = timeAxis(bars);
    expect(timeline.to - timeline.from).toBeGreaterThan(40 * 60_000);
    expect(axis.length).toBeLessThan(2 * 60_000);
    expect(axis.breaks).toHaveLength(1);
    for (const { from } of bars) expect(axis.timeAt(axis.position(from))).toBeCloseTo(from, 0);
  });
});

describe('runs', () => {
  const runs = runsOf(facts);

  test('start with a prompt and count requests, tools, money and recoveries', () => {
    expect(runs.map(({ prompt }) => prompt.slice(0, 20))).toEqual([
      'The date parser fail',
      'Also check the calen',
    ]);
    const [first, second] = runs;
    expect(first).toMatchObject({ requests: 5, tools: 6, failedTools: 1, end: { reason: 'completed' } });
    expect(first?.costUsd).toBeCloseTo(0.133, 6);
    expect([...(first?.recoveries ?? [])]).toEqual([
      ['retry: overloaded', 2],
      ['model fallback', 1],
    ]);
    expect([...(second?.recoveries ?? [])]).toEqual([['autocompact', 1]]);
  });

  test('a run without an end is unfinished, and an error is a failure', () => {
    const log = new SampleLog().begin('/p').prompt('Go').text(10, 'Half');
    expect(runsOf(factsOf(log))[0]?.end).toBeUndefined();
    expect(isFailedEnd({ reason: 'api_error', message: '' })).toBe(true);
    expect(isFailedEnd({ reason: 'completed', message: '' })).toBe(false);
  });
});

describe('window', () => {
  const { samples, changes } = windowHistory(facts);

  test('the kinds of each request add up to the count of the server', () => {
    expect(samples).toHaveLength(7);
    for (const { total, system, tools, messages, results } of samples)
      expect(Math.abs(system + tools + messages + results - total)).toBeLessThanOrEqual(2);
  });

  test('newer logs state window, threshold and sizes', () => {
    const log = new SampleLog().begin('/p').prompt('Go');
    const chars = { system: 100, tools: 300, messages: 400, results: 200 };
    log.wait(50).add({ type: 'request', model: 'm', chars, window: 200_000, threshold: 160_000 });
    log.text(1_000, 'Hello').answer(10, 5);
    const own = factsOf(log);
    expect(windowHistory(own).samples).toMatchObject([{ window: 200_000, threshold: 160_000 }]);
    const [sample] = windowHistory(own).samples;
    expect(sample?.tools).toBe(Math.round((sample?.total ?? 0) * 0.3));
    expect(at(timelineOf(own).models[0]?.from)).toBe(50);
  });

  test('results grow with tool output and shrink at a compaction', () => {
    const results = samples.map((sample) => sample.results);
    expect(results[1]).toBeGreaterThan(results[0] ?? 0);
    expect(results[5]).toBe(0);
    expect(changes).toMatchObject([{ level: 'autocompact', tokensAfter: 2_100, messagesAfter: 1 }]);
  });
});

describe('money', () => {
  const costs = requestCosts(facts);

  test('adds up the cost of each request', () => {
    expect(costs.map(({ costUsd }) => costUsd)).toEqual([0.061, 0.034, 0.021, 0.009, 0.008, 0.012, 0.006]);
    expect(costs.at(-1)?.totalUsd).toBeCloseTo(0.151, 6);
    expect(costsByModel(costs).map(({ model, requests }) => [model, requests])).toEqual([
      ['claude-opus-4-5', 2],
      ['claude-sonnet-4-5', 5],
    ]);
  });

  test('names the cause of each lost cache prefix', () => {
    expect(costs.flatMap(({ cacheMiss }) => cacheMiss ?? [])).toEqual([
      'The model changed from claude-opus-4-5 to claude-sonnet-4-5.',
      'autocompact rewrote the history.',
    ]);
  });

  test('reports an expired cache, and a loss without a cause in the log', () => {
    const usage = (read: number, write: number) => ({
      input_tokens: 1,
      output_tokens: 1,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
    });
    const log = new SampleLog().begin('/p').prompt('Go');
    const answer = (read: number, write: number): void =>
      log.add({
        type: 'answer',
        responseId: '',
        model: 'm',
        stopReason: 'end_turn',
        usage: usage(read, write),
      });
    answer(0, 5_000);
    log.wait(11 * 60_000);
    answer(0, 5_000);
    log.wait(1_000);
    answer(100, 5_000);
    expect(requestCosts(factsOf(log)).map(({ cacheMiss }) => cacheMiss)).toEqual([
      undefined,
      'The cache expired: 11 minutes passed since the last request.',
      'The log shows no cause. The server may have dropped the cached prefix.',
    ]);
  });
});

describe('all sessions', () => {
  const other = factsOf(otherLog('/project'));

  test('statistics add up cost by day and project, failures and recoveries', () => {
    const statistics = statisticsOf([
      { id: 'a', cwd: '/project', digest: digestOf(facts) },
      { id: 'b', cwd: '/project', digest: digestOf(other) },
    ]);
    expect(statistics.days).toHaveLength(2);
    expect(statistics.projects).toEqual([{ name: '/project', value: expect.closeTo(0.214, 6) }]);
    expect(statistics.failures).toEqual([
      { name: 'tool Bash', value: 2 },
      { name: 'api_error', value: 1 },
    ]);
    expect(statistics.recoveries[0]).toEqual({ name: 'retry: overloaded', value: 3 });
    expect(statistics.longest.map(({ id }) => id)).toEqual(['a', 'a', 'b']);
  });

  test('a comparison aligns equal steps', () => {
    const rows = comparedRows(facts, other);
    const same = rows.filter(({ isSame }) => isSame).map(({ left }) => left?.text);
    expect(same).toEqual([
      '▶ The date parser fails for leap years. Find the cause and fix it.',
      'Read src/date.ts',
      'Bash npm test -- date',
      '↻ overloaded',
    ]);
    expect(comparedFigures(facts, other)).toContainEqual({ name: 'turns', kind: 'count', left: 2, right: 1 });
  });
});
