/** Links and folders above the files that configure a run: replacing one of them replaces the file. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

const base = realpathSync(mkdtempSync(path.join(tmpdir(), 'heddle-linked-settings-')));
const project = path.join(base, 'project');
afterAll(() => rmSync(base, { recursive: true, force: true }));

beforeAll(() => {
  for (const name of [
    'project/conf/srv.json',
    'project/real/cfg/settings.json',
    'project/ed/srv.json',
    'project/ed2/cfg/settings.json',
    'project/ed3/missing/own.json',
    'project/plain/a',
    'project/src/a',
    'project/far/er/f',
    'project/far/z/check.sh',
    'outside/deep/set.json',
  ]) {
    mkdirSync(path.dirname(path.join(base, name)), { recursive: true });
    writeFileSync(path.join(base, name), 'x\n');
  }
  for (const [name, target] of [
    ['lc', 'conf'],
    ['sub', 'real'],
    ['out', 'mid/deep'],
    ['mid', '../outside'],
    ['other', 'plain'],
    ['over', 'hop/../z'],
    ['hop', 'far/er'],
  ] as const)
    symlinkSync(target, path.join(project, name));
});

/** Rules allow all commands. */
function decisionOn(
  command: string,
  configDirs: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): string {
  const world = observeWorld({
    root: project,
    cwd: project,
    directories: [],
    home: path.join(base, 'home'),
    configDirs: configDirs.map((name) => path.join(project, name)),
    environment,
  });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const allow = ['Bash', 'Edit'].map((text) => ({ text, source: 'user' as const }));
  return authorize(request, { deny: [], ask: [], allow }, 'acceptEdits', world).decision;
}

const WAY = ['rm hop', 'mv hop h2', 'rm -f src/a hop', 'rm ho*', 'rm over', 'touch far/z/check.sh'];
const NOT_ON_WAY = ['touch z/check.sh', 'mkdir z', 'rm other', 'touch hop/new', 'touch far/z'];

describe('a link in the text of a link on the way', () => {
  it.each(WAY)('to the file of a hook is not replaced without a question: %s', (command) => {
    expect(decisionOn(command, ['over/check.sh'])).toBe('ask');
  });

  it.each(WAY)('to an entry of the search path is not replaced without a question: %s', (command) => {
    expect(decisionOn(command, [], { PATH: `${project}/over:/usr/bin:/bin` })).toBe('ask');
  });

  it.each(WAY)('to a file that a start-up file runs is not replaced without a question: %s', (command) => {
    const startFile = path.join(project, '.envrc');
    writeFileSync(startFile, '. over/check.sh\n');
    const decision = decisionOn(command, []);
    rmSync(startFile);
    expect(decision).toBe('ask');
  });

  it.each(NOT_ON_WAY)('does not concern other files: %s', (command) => {
    expect(decisionOn(command, ['over/check.sh'])).toBe('allow');
  });

  it.each(WAY)('is ordinary without such a file: %s', (command) => {
    // The place of a link over another one is unknown to every command.
    expect(decisionOn(command, [])).toBe(command === 'rm over' ? 'ask' : 'allow');
  });
});

const CONFIG = ['lc/srv.json', 'sub/cfg', 'out/set.json', 'gone/missing/own.json'];

describe('a way to settings', () => {
  it.each([
    'rm lc',
    'rm -f src/a lc',
    'rm l*',
    'rm ./src/../lc',
    'mv lc lc2',
    'mv -T ed lc',
    'mv -fT src/a lc',
    'rm sub',
    'mv sub s2',
    'rm -r sub',
    'rm out',
    'rm mid',
    'mv mid m2',
    'cp -r ed/. lc',
    'cp -r ed/. conf',
    'cp -rT ed conf',
    'cp -r ed2/cfg sub',
    'cp -r ed2/. real',
    'mv ed gone',
    'mv ed3 gone',
    'cp -r ed3 gone',
    'mkdir gone; cp -r ed3/* gone',
    'mkdir gone; mv ed3/missing gone',
    'ln -s ed3 gone',
    'ln -sfn ed lc',
    'mkdir -p ed4/missing; cp src/a ed4/missing/own.json; mv ed4 gone',
    'mkdir ed5; touch ed5/srv.json; cp -r ed5/. conf',
  ])('is not replaced without a question: %s', (command) => {
    expect(decisionOn(command, CONFIG)).toBe('ask');
  });

  it.each([
    'rm other',
    'mv other o2',
    'rm src/a',
    'cp src/a lc/b',
    'touch conf/other.json',
    'mkdir -p src/new/deep',
    'cp -r ed src/ed',
    'mv plain p2',
    'cp -r src plain',
    'echo x > real/b',
  ])('does not concern other files: %s', (command) => {
    expect(decisionOn(command, CONFIG)).toBe('allow');
  });

  it('is ordinary without settings behind it', () => {
    for (const command of ['rm lc', 'mv ed gone', 'cp -rT ed conf', 'rm sub', 'ln -s ed3 gone'])
      expect(decisionOn(command, [])).toBe('allow');
  });
});
