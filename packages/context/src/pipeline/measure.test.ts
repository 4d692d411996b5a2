import type { Tool } from '@heddle/core';
import { fakeTool } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { contextOptions } from '../options.ts';
import { HEAD, TOOLS } from '../test/rig.ts';
import { historyOf, prose, says, step, text, userSays, work } from '../test/talk.ts';
import { thresholdsOf } from '../thresholds.ts';
import { ContextMeasure } from './measure.ts';

const LIMITS = { thresholds: thresholdsOf(contextOptions({}), 'scripted-1'), usualScale: 1.1 };

const answerOf = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

describe('the count for the levels', () => {
  it('does not estimate the prompt and the tools of a small conversation that only grows', () => {
    let reads = 0;
    const tool: Tool = Object.defineProperty({ ...fakeTool({ name: 'Read' }) }, 'description', {
      get() {
        reads++;
        return prose(50);
      },
    });
    const tools = [tool];
    const measure = new ContextMeasure(HEAD);
    let messages = historyOf(work(2, 50));
    measure.upTo(messages, tools, LIMITS);
    const readsAtStart = reads;
    for (let turn = 0; turn < 5; turn++) {
      measure.upTo(messages, tools, LIMITS);
      measure.sending(messages, tools);
      measure.countSent();
      measure.answered(`r${turn}`, answerOf(2_000 + 100 * turn, 50));
      messages = messages.append(step(`s${turn}`, prose(50)));
    }
    expect(reads).toBe(readsAtStart);
    expect(measure.count(messages, tools, LIMITS.usualScale)).toBeGreaterThan(2_400);
    expect(reads).toBe(readsAtStart + 1);
  });

  it('is never below the exact count while a conversation grows, is cut or gets other tools', () => {
    for (const counted of [200, 3_000, 9_000]) {
      const measure = new ContextMeasure(HEAD);
      let messages = historyOf(work(3, 200));
      let tools = TOOLS;
      for (let turn = 0; turn < 12; turn++) {
        const most = measure.upTo(messages, tools, LIMITS);
        expect(most).toBeGreaterThanOrEqual(measure.count(messages, tools, LIMITS.usualScale));
        measure.sending(messages, tools);
        measure.answered(`r${turn}`, answerOf(counted * (turn + 1), 30 * turn));
        if (turn === 4) messages = historyOf(messages.since(2));
        if (turn === 8) tools = TOOLS.slice(1);
        const reply = { ...says(text(prose(30 * turn))), responseId: `r${turn}` };
        messages = messages.append([reply, userSays(prose(100, turn))]);
      }
    }
  });
});
