/** A fallback model takes over if the first model is not available. */
import { call, fail, fakeTool, pauseTurn, say, think } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { play } from './test/play.ts';

const read = fakeTool({ name: 'Read', result: 'three lines' });
const params = { fallbackModel: 'scripted-2' };

describe('the fallback model', () => {
  it('takes over after three overloads, retracts the attempt and informs the user', async () => {
    const { lines, terminal, model } = await play(
      [
        fail('overloaded'),
        fail('overloaded'),
        [say('I beg'), fail('overloaded')],
        say('Hello from the other.'),
      ],
      { params },
    );
    expect(lines).toEqual([
      'request',
      'retry overloaded 2/11 in 563 ms',
      'retry overloaded 3/11 in 1125 ms',
      'a1 text "I beg"',
      'spent',
      'tombstone a1',
      'system model_fallback "Switched from scripted-1 to scripted…"',
      'a2 text "Hello from the other."',
      'answer_end end_turn',
    ]);
    expect(model.calls.map(({ request }) => request.model)).toEqual([
      'scripted-1',
      'scripted-1',
      'scripted-1',
      'scripted-2',
    ]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('takes over at once from a model that does not exist', async () => {
    const { lines, model } = await play([fail('not_found'), say('Hello.')], { params });
    expect(lines[1]).toMatch(/^system model_fallback/);
    expect(model.calls.map(({ request }) => request.model)).toEqual(['scripted-1', 'scripted-2']);
  });

  it('stays until the run ends, and the tool context names it', async () => {
    const models: string[] = [];
    const tool = fakeTool({
      name: 'Which',
      run: (_input, context) => {
        models.push(context.model);
        return 'noted';
      },
    });
    const { model } = await play([fail('not_found'), call('Which', {}, 'c1'), say('Done.')], {
      params,
      tools: [tool],
    });
    expect(model.calls.map(({ request }) => request.model)).toEqual([
      'scripted-1',
      'scripted-2',
      'scripted-2',
    ]);
    expect(models).toEqual(['scripted-2']);
  });

  it('does not receive the thinking of the first model', async () => {
    const { requests } = await play(
      [
        [think('I should look.'), call('Read', { path: 'a' }, 'r1')],
        fail('not_found'),
        [think('I see.'), call('Read', { path: 'b' }, 'r2')],
        say('Done.'),
      ],
      { params, tools: [read] },
    );
    expect(requests).toEqual([
      'user:text',
      'user:text | assistant:thinking tool_use(r1) | user:tool_result(r1)',
      'user:text | assistant:tool_use(r1) | user:tool_result(r1)',
      'user:text | assistant:tool_use(r1) | user:tool_result(r1) | assistant:thinking tool_use(r2) | user:tool_result(r2)',
    ]);
  });

  it('starts a new answer if the first model had paused', async () => {
    const { lines, requests } = await play(
      [[say('I search'), pauseTurn()], fail('not_found'), say('I know it anyway.')],
      { params },
    );
    expect(lines).toContain('tombstone a1');
    expect(requests).toEqual(['user:text', 'user:text | assistant:text', 'user:text']);
  });

  it('is one of several that are tried in order, each with its own retries', async () => {
    const { model, terminal } = await play(
      [fail('not_found'), fail('overloaded'), fail('overloaded'), fail('overloaded'), say('From the third.')],
      { params: { fallbackModel: ['scripted-1', 'scripted-2', 'scripted-2', 'scripted-3'] } },
    );
    expect(model.calls.map(({ request }) => request.model)).toEqual([
      'scripted-1',
      'scripted-2',
      'scripted-2',
      'scripted-2',
      'scripted-3',
    ]);
    expect(terminal).toEqual({ reason: 'completed' });
  });

  it('has ten retries of its own, and the last model has no successor', async () => {
    const { model, terminal } = await play(() => fail('overloaded'), { params });
    expect(model.calls.map(({ request }) => request.model)).toEqual([
      ...Array.from({ length: 3 }, () => 'scripted-1'),
      ...Array.from({ length: 11 }, () => 'scripted-2'),
    ]);
    expect(terminal).toMatchObject({ reason: 'api_error' });
  });
});
