import type { Thinking } from '@heddle/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentSetup } from '../start/agent-options.ts';
import { modelText } from '../start/model-options.ts';
import { model, thinking } from './context.ts';
import { omitUndefined } from '@heddle/core';

afterEach(() => vi.unstubAllEnvs());

async function choosing(words: string): Promise<{ output: string; changed: string | undefined }> {
  const output: string[] = [];
  let changed: Partial<AgentSetup> = {};
  await model(words, {
    options: { modelName: 'rehearsal' },
    started: {
      hooks: {
        report: () => Promise.resolve({ messages: [], failures: [] }),
        reportAndRemark: () => Promise.resolve(),
      },
    },
    say: (text) => void output.push(text),
    change: (changes) => (changed = changes),
  });
  return { output: output.join('\n'), changed: changed.modelName };
}

describe('another model', () => {
  it('is not taken where its key is missing', async () => {
    for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) vi.stubEnv(name, undefined);
    expect(await choosing('opus')).toEqual({
      output: expect.stringMatching(/no key for claude-opus.*The model is still rehearsal\./),
      changed: undefined,
    });
  });

  it('is taken where there is one, or none is needed', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'a-key-for-tests');
    expect(await choosing('anthropic/mine')).toMatchObject({ changed: 'mine' });
    expect(await choosing('rehearsal')).toMatchObject({ changed: 'rehearsal' });
  });

  it('is one of those that are listed, and there are more', async () => {
    expect((await choosing('')).output).toMatch(/opus.*PROVIDER\/MODEL, rehearsal.*heddle models/s);
  });

  it('is not called by its name where a recording of it is played', () => {
    expect(modelText({ modelName: 'claude-x', plays: 'replay:a.jsonl' })).toBe(
      'replay:a.jsonl, a recording of claude-x',
    );
    expect(modelText({ modelName: 'claude-x' })).toBe('claude-x');
  });
});

describe('/thinking', () => {
  const type = (words: string, now?: Thinking) => {
    let output = '';
    let changed: unknown;
    const requestOptions = { effort: 'low' as const, ...omitUndefined({ thinking: now }) };
    thinking(words, {
      options: { requestOptions },
      say: (text) => void (output = text),
      change: (changes) => void (changed = changes.requestOptions),
    });
    return { said: output, changed };
  };

  it('switches thinking off, on, and gives it a budget', () => {
    expect(type('off').changed).toEqual({ effort: 'low', thinking: { type: 'disabled' } });
    expect(type('0').changed).toEqual({ effort: 'low', thinking: { type: 'disabled' } });
    expect(type('8000').changed).toEqual({
      effort: 'low',
      thinking: { type: 'enabled', budget_tokens: 8_000 },
    });
    expect(type('on', { type: 'disabled' }).changed).toEqual({ effort: 'low' });
  });

  it('shows what it is, and rejects anything else', () => {
    expect(type('').said).toContain('Thinking is on');
    expect(type('', { type: 'disabled' }).said).toContain('Thinking is off');
    expect(type('deep')).toEqual({ said: expect.stringContaining('not deep'), changed: undefined });
  });
});
