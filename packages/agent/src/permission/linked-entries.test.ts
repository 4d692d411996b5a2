/** A link in a folder behind another link, on a real disk: a command that removes or replaces it changes that folder, and not the target. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-entries-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const project = path.join(base, 'project');
for (const folder of [
  'project/src',
  'project/bin',
  'project/nested/.git/hooks',
  'project/a/.vscode',
  'project/denied',
  'out',
])
  mkdirSync(path.join(base, folder), { recursive: true });
for (const file of ['src/f', 'src/o', 'ev', 'ev2', 'nested/h', 'a/x.json', 'nested/.git/HEAD'])
  writeFileSync(path.join(project, file), '');
const LINKS: Readonly<Record<string, string>> = {
  o: '../out',
  '../out/back': '../project/src/f',
  '../out/new': '../project/missing',
  '../out/folder': '../project/src',
  g: 'nested/.git/hooks',
  'nested/.git/hooks/pre-commit': '../../h',
  b: 'bin',
  'bin/p': '../src/o',
  q: 'a/.vscode',
  'a/.vscode/settings.json': '../x.json',
  y: 'denied',
  'denied/l': '../src/f',
  s: 'src',
  'src/l': 'f',
};
for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, path.join(project, name));

function decide(command: string, deny: readonly string[] = []): string {
  const world = observeWorld({
    root: project,
    cwd: project,
    directories: [],
    home: path.join(base, 'home'),
    configDirs: [],
    environment: { PATH: `${project}/bin:/usr/bin:/bin` },
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const rules = { deny: deny.map((text) => ({ text, source: 'user' as const })), ask: [], allow: [] };
  return authorize(request, rules, 'acceptEdits', world).decision;
}

describe('an entry behind a linked folder that is itself a link', () => {
  it.each([
    'rm o/back',
    'rm o/*',
    'rm o/{back,x}',
    'mv ev o/back',
    'mv ev o/new',
    'cp --remove-destination ev o/back',
    'rm -rf o/folder',
    'rm -f ./o//back',
    'cd s && rm ../o/back',
    'unlink o/back',
    'mv o/back ev3',
  ])('is not changed outside of the project without a question: %s', (command) => {
    expect(decide(command)).toBe('ask');
  });

  it.each([
    'mv ev g/pre-commit',
    'rm g/pre-commit',
    'rm g/*',
    'mv ev b/p',
    'rm b/p',
    'mv ev q/settings.json',
  ])('is protected like the straight path: %s', (command) => expect(decide(command)).toBe('ask'));

  it('is denied by a rule for its folder', () => {
    for (const command of ['rm y/l', 'mv ev y/l', 'rm denied/l', 'rm y/*'])
      expect(decide(command, ['Edit(./denied/**)'])).toBe('deny');
  });

  it('is ordinary in an ordinary folder', () => {
    for (const command of ['rm s/l', 'mv ev s/l', 'rm src/l', 'touch s/f', 'mv ev s/new'])
      expect(decide(command)).toBe('allow');
  });
});
