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

function decide(command: string, rule: string): string {
  const world = observeWorld({
    root,
    cwd: root,
    directories: [],
    home: root,
    configDirs: [],
    environment: {},
    readOnlyView: false,
    isTrusted: () => false,
  });
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
