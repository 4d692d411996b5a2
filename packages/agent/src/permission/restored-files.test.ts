/** The files that `git restore` replaces, beside a rule that denies edits of tracked files. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const tracked = ['src/a.ts', '.github/x.yml'];
const world = { files: tracked.map((file) => `${ROOT}/${file}`), tracked };
const DENIED: Setting = { mode: 'bypassPermissions', world, rules: { deny: ['Edit(./.github/**)'] } };

describe('git restore without a separator', () => {
  it.each([
    'git restore src/a.ts',
    'git restore src/*.ts',
    'git restore "src/*"',
    'git restore --staged src/a.ts',
    'git restore -s HEAD~1 src/a.ts',
    'git restore --source=HEAD -W src',
    'git -C src restore a.ts',
  ])('needs no question for other files: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('allow');
  });

  it.each([
    'git restore .',
    'git restore .github/x.yml',
    'git restore src/a.ts .github/x.yml',
    'git restore src/..',
    'git restore src/../.github',
    'git restore "*"',
    'git restore :/',
    'git restore :!src',
    'git restore -p',
    'git restore $x src/a.ts',
    'git restore -$x src/a.ts',
    'git restore --pathspec-from-file=list src/a.ts',
    'git -C .github restore x.yml',
    'cd .github && git restore x.yml',
    'git --icase-pathspecs restore .GITHUB',
  ])('asks if it may replace a file of the rule: %s', (command) => {
    expect(shell(command, DENIED).decision).not.toBe('allow');
  });
});
