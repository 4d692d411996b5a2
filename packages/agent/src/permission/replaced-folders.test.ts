/** Folders that a script makes, removes or replaces by a link, on a real disk: the state before the script does not count. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-replaced-')));
  for (const name of ['.git/hooks', 'empty', 'src', 'd2', 'lib/bin'])
    mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of ['a', 'c.txt', '.envrc.sample', 'src/f', 'lib/bin/tool'])
    writeFileSync(path.join(folder, name), '');
  symlinkSync('.git', path.join(folder, 'g'));
  symlinkSync('../elsewhere', path.join(folder, 'o'));
  symlinkSync('../../elsewhere', path.join(folder, 'd2/up'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function decisionOn(command: string): string {
  const surroundings = { root: folder, cwd: folder, directories: [], home: '/people/user', configDirs: [] };
  const world = observeWorld({ ...surroundings, environment: {} });
  const request = { tool: 'Bash', input: { command }, readOnly: false, hookDecision: undefined };
  const deny = [{ text: 'Edit(./denied/a)', source: 'user' as const }];
  return authorize(request, { deny, ask: [], allow: [] }, 'acceptEdits', world).decision;
}

describe('a folder that a script replaces by a link', () => {
  it.each([
    'rmdir empty; cp -P g empty; cp c.txt empty/config; git status',
    'rmdir empty; cp -P o empty; echo x > empty/y',
    'rmdir empty; cp -P o empty; cp a empty',
    'mv src s2; cp -P o src; echo x > src/y',
    'rm -rf src; cp -a d2 src; touch src/up/y',
    'rm -rf src; cp -r d2 src; touch src/up/y',
    'rm -rf src; mv d2 src; touch src/up/y',
    'mv src s9; cp -r d2 src; rm src/up/f',
    'rm -rf src && cp -a g src && cp a src/config',
    'rm -rf src; cp -P g src; echo hi > src/hooks/pre-commit',
    'rm -rf src; mv g src; tee src/config < a',
  ])('does not let it write elsewhere: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
  });
});

describe('a folder that a script makes', () => {
  it.each([
    'mkdir q; cp ../other/.envrc q',
    'mkdir q && mv .envrc q',
    'mkdir vendor; mv lib/bin vendor',
    'mkdir vendor; cp -r lib/bin vendor',
    'mkdir .docker; cp ../other/config.json .docker',
    'mkdir -p .gradle; echo x > init.gradle; cp init.gradle .gradle',
    'rm a; mkdir a; cp ../other/.envrc a',
    'mkdir q; cp -r ../other/.vscode q',
    'cp -r src q; cp ../other/.envrc q',
    'mv src q; cp ../other/.envrc q',
    'mkdir denied; cp a denied',
    'mkdir denied; mv a denied',
  ])('may receive a file with a protected or denied name: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
  });

  it.each(['mkdir q && cp a q', 'mkdir -p src/x && touch src/x/y.ts', 'cp a b', 'mv a b && touch c'])(
    'receives other files without a question: %s',
    (command) => expect(decisionOn(command)).toBe('allow'),
  );
});
