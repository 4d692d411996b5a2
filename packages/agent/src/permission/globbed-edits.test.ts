/** Patterns among the words of edits, beside hidden names that they do not match, on a real disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const top = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-globbed-')));
const home = `${top}-home`;
afterAll(() => rmSync(top, { recursive: true, force: true }));

for (const file of [
  '.claude/settings.json',
  'web/dist/x.js',
  'web/package.json',
  'api/dist/x.js',
  'api/package.json',
  'hidden/.envrc',
  'deep/er/.npmrc',
  'names/Makefile',
]) {
  mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
  writeFileSync(path.join(top, file), '{}');
}
execFileSync('git', ['init', '-q', top]);

function decisionOn(command: string): string {
  const environment = { HOME: home, GIT_CONFIG_NOSYSTEM: '1', PATH: '/usr/bin:/bin' };
  const places = { root: top, cwd: top, directories: [], home, configDirs: [], environment };
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  return authorize(request, { deny: [], ask: [], allow: [] }, 'acceptEdits', observeWorld(places)).decision;
}

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
    expect(decisionOn(command)).toBe('allow');
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
    expect(decisionOn(command)).toBe('ask');
  });
});
