import { describe, expect, it } from 'vitest';
import { readOnlyGitEnvironment } from './read-only-environment.ts';

describe('the environment of a command that only reads', () => {
  it.each(['git config -l', ' git config --get user.name\n', 'git -C a/b config user.name'])(
    'adds no settings to those that one git config prints: %s',
    (command) => {
      expect(readOnlyGitEnvironment(command)).not.toHaveProperty('GIT_CONFIG_COUNT');
    },
  );

  it.each([
    'git diff',
    'git config -l\ngit diff',
    'git config\n-l',
    'git\nconfig -l',
    'git -C\na config -l',
    'git config -l\r\ngit status',
    'git config -l\u2028git diff',
    'git config -l; git diff',
    'git config -l # git diff',
  ])('guards every other command: %j', (command) => {
    expect(readOnlyGitEnvironment(command)).toHaveProperty('GIT_CONFIG_COUNT');
  });
});
