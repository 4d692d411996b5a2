import { describe, expect, it } from 'vitest';
import type { GitFacts } from '../git-facts.ts';
import { isReadOnlyCommand } from './read-only.ts';
import { PROVEN, PROVEN_WITH_A_CLEAN_REPOSITORY } from './test/proven.ts';
import { GIT_NEVER, NOT_PROVEN } from './test/unproven.ts';

const CLEAN: GitFacts = { helpers: [], submodules: false };

describe('the proof that a command changes nothing', () => {
  it.each(PROVEN)('holds for %j', (command) => {
    expect(isReadOnlyCommand(command)).toBe(true);
  });

  it.each(PROVEN_WITH_A_CLEAN_REPOSITORY)('holds for %j only where no helper is configured', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(true);
    expect(isReadOnlyCommand(command)).toBe(false);
    expect(isReadOnlyCommand(command, { git: { ...CLEAN, helpers: ['diff.external'] } })).toBe(false);
    expect(isReadOnlyCommand(command, { git: { ...CLEAN, submodules: true } })).toBe(false);
  });

  it.each(NOT_PROVEN)('is not given for %j', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(false);
  });

  it.each(GIT_NEVER)('is never given for %j', (command) => {
    expect(isReadOnlyCommand(command, { git: CLEAN })).toBe(false);
  });

  it('is not given for nothing', () => {
    for (const command of ['', ' ', '\n', '# rm']) expect(isReadOnlyCommand(command)).toBe(false);
  });

  it('minds the configuration that the environment gives to a program', () => {
    const environment = { RIPGREP_CONFIG_PATH: '/evil' };
    expect(isReadOnlyCommand('rg a', { environment })).toBe(false);
    expect(isReadOnlyCommand('rg --no-config a', { environment })).toBe(true);
    expect(isReadOnlyCommand('rg a', { environment: {} })).toBe(true);
  });
});
