import { describe, expect, it } from 'vitest';
import { namedSmallModel, smallModelBeside } from './default-models.ts';

describe('the small model', () => {
  it.each([
    ['claude-opus-5-5', {}, undefined, 'claude-haiku-5-5'],
    ['anthropic/claude-opus-5-5', { ANTHROPIC_DEFAULT_HAIKU_MODEL: 'own-haiku' }, undefined, 'own-haiku'],
    ['openai/gpt-5', {}, undefined, 'openai/gpt-5'],
    ['scripted:a.json', {}, undefined, 'scripted:a.json'],
    ['claude-opus-5-5', {}, 'sonnet', 'claude-sonnet-5-5'],
  ])('beside %s with %o, named %s, is %s', (main, environment, named, expected) => {
    expect(smallModelBeside(main, named, environment)).toBe(expected);
  });

  it.each([
    [{ HEDDLE_SMALL_MODEL: 'a', ANTHROPIC_SMALL_FAST_MODEL: 'b' }, 'c', 'a', 'HEDDLE_SMALL_MODEL'],
    [{ ANTHROPIC_SMALL_FAST_MODEL: 'b' }, 'c', 'b', 'ANTHROPIC_SMALL_FAST_MODEL'],
    [{}, 'c', 'c', 'smallModel in the settings'],
  ])('is named by %o before the setting %s', (environment, setting, model, from) => {
    expect(namedSmallModel(environment, setting)).toEqual({ model, from });
  });
});
