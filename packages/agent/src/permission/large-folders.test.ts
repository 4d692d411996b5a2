/** A folder for an unknown program counts with all its files, also if it contains more than can be looked at. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-large-')));
  mkdirSync(path.join(root, 'src'));
  writeFileSync(path.join(root, '.env'), 'S=1');
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function surroundings() {
  const places = { root, cwd: root, directories: [], home: root, configDirs: [], environment: {} };
  return { ...places, readOnlyView: false, isTrusted: () => false };
}

function decide(command: string, rule: string): string {
  const world = observeWorld(surroundings());
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: [{ text: rule, source: 'user' as const }], ask: [], allow: [] };
  return authorize(request, rules, 'bypassPermissions', world).decision;
}

it.each(['Read(.env)', 'Read(./.env)'])('asks about the root folder beside %s', (rule) => {
  const asked = [
    'docker run -v /:/x img cat /x/.env',
    'docker run --mount type=bind,src=/,dst=/x img ls',
    'docker cp / c:/x',
    'docker build /',
    'mount --bind / /mnt',
  ];
  expect(asked.filter((command) => decide(command, rule) === 'allow')).toEqual([]);
  expect(decide('docker build src', rule)).toBe('allow');
});

it('asks nothing more in a project with many folders, beside a rule about names anywhere and in the view', () => {
  for (let at = 0; at < 1_500; at++) mkdirSync(path.join(root, `many/${at % 40}/${at}`), { recursive: true });
  const world = observeWorld({ ...surroundings(), readOnlyView: true });
  const rules = { deny: [{ text: 'Read(**/.env)', source: 'user' as const }], ask: [], allow: [] };
  for (const command of ['pwd', 'ls', 'echo x > src/a.ts', 'mkdir src/new']) {
    const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
    expect([command, authorize(request, rules, 'acceptEdits', world).decision]).toEqual([command, 'allow']);
  }
});
