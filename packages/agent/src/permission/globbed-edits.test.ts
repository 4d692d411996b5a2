/** Patterns among the words of edits, beside hidden names that they do not match, on a real disk. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { diskProject } from './test/disk-project.ts';

const { top, decideCommand } = diskProject({
  files: [
    '.claude/settings.json',
    'web/dist/x.js',
    'web/package.json',
    'api/dist/x.js',
    'api/package.json',
    'hidden/.envrc',
    'deep/er/.npmrc',
    'names/Makefile',
  ],
});
execFileSync('git', ['init', '-q', top]);

describe('a pattern in an edit', () => {
  it.each([
    'rm -rf */dist',
    'rm -rf ./*/dist',
    'sed -i s/a/b/ */package.json',
    'touch */package.json',
    'mv web/* .',
    'cp web/* .',
    'cp -r api/* .',
    'cp names/M* .',
  ])('does not ask because of hidden names beside its matches: %s', (command) => {
    expect(decideCommand(command)).toBe('allow');
  });

  it.each([
    'rm -rf */HEAD',
    'sed -i s/a/b/ */config',
    'rm -rf .*/settings.json',
    'touch .*/new',
    'mv hidden/* .',
    'mv hidden/.* .',
    'cp hidden/?envrc .',
    'cp hidden/[.]envrc .',
    'cp -r deep/* web',
    'cp */* .',
    'mv .*/objects .',
    'mv web x && mv hidden/* .',
  ])('asks if a hidden name may be one of them: %s', (command) => {
    expect(decideCommand(command)).toBe('ask');
  });
});
