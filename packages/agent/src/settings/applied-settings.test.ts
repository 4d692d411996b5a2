/** Tests the settings of a run, except permission. */
import { describe, expect, it } from 'vitest';
import { appliedSettings } from './applied-settings.ts';
import { createSettingsHome } from './test/settings-home.ts';
import { trustFolder } from './trust.ts';

describe('a run', () => {
  it('takes model, fallback, effort and variables from the highest scope that has them', () => {
    const { write, load, trust } = createSettingsHome();
    trust();
    write('home/.claude/settings.json', {
      model: 'opus',
      effortLevel: 'high',
      env: { A: 'user', B: 'user' },
    });
    write('project/.claude/settings.local.json', {
      fallbackModel: ['haiku', 'sonnet'],
      env: { A: 'local', N: 1 },
    });
    expect(appliedSettings(load())).toMatchObject({
      env: { A: 'local', B: 'user', N: '1' },
      model: 'opus',
      fallbackModel: ['haiku', 'sonnet'],
      effort: 'high',
      models: {},
      claudeMdExcludes: [],
    });
  });

  it('takes no variables from an untrusted project', () => {
    const { write, load, project, home } = createSettingsHome();
    write('project/.claude/settings.json', { env: { PATH: '/evil' } });
    expect(appliedSettings(load()).env).toEqual({});
    trustFolder({ cwd: project, home, env: {} });
    expect(appliedSettings(load()).env).toEqual({ PATH: '/evil' });
  });

  it('takes no model from an untrusted project, because it could name its own script', () => {
    const { write, load, project, home } = createSettingsHome();
    write('project/.claude/settings.json', { model: 'scripted:evil.json', fallbackModel: 'opus' });
    expect(appliedSettings(load())).toMatchObject({ model: undefined, fallbackModel: [] });
    trustFolder({ cwd: project, home, env: {} });
    expect(appliedSettings(load())).toMatchObject({ model: 'scripted:evil.json', fallbackModel: ['opus'] });
  });

  it('takes what is of another kind than expected as absent', () => {
    const { write, load } = createSettingsHome();
    write('home/.claude/settings.json', { model: 3, effortLevel: 'most', fallbackModel: {}, env: { A: {} } });
    expect(appliedSettings(load())).toMatchObject({
      env: {},
      model: undefined,
      fallbackModel: [],
      effort: undefined,
      models: {},
      claudeMdExcludes: [],
    });
  });

  it('takes a list of fallback models also as one text with commas', () => {
    const { write, load } = createSettingsHome();
    write('home/.claude/settings.json', { fallbackModel: 'haiku, openai/gpt-6-sol' });
    expect(appliedSettings(load()).fallbackModel).toEqual(['haiku', 'openai/gpt-6-sol']);
  });

  it('takes windows, output, thinking and prices of models, and nothing else of them', () => {
    const { write, load, project, home } = createSettingsHome();
    const models = {
      haiku: { contextWindow: 300_000, maxOutputTokens: 4_000, thinking: 'none', inputPerMillion: 0 },
      'mine-*': { contextWindow: -1, outputPerMillion: '3', thinking: 'deep', color: 'red' },
      odd: 7,
    };
    write('project/.claude/settings.json', { models, alwaysThinkingEnabled: false });
    expect(appliedSettings(load())).toMatchObject({ models: {}, alwaysThinkingEnabled: undefined });
    trustFolder({ cwd: project, home, env: {} });
    expect(appliedSettings(load()).models).toEqual({
      haiku: { contextWindow: 300_000, maxOutputTokens: 4_000, thinking: 'none', inputPerMillion: 0 },
      'mine-*': {},
    });
  });
});
