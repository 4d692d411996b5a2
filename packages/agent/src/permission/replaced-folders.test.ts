/** Folders that a script makes, removes or replaces by a link, on a real disk: the state before the script does not count. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { JsonObject } from '@heddle/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from './authorize.ts';
import { observeWorld } from './observe-world.ts';
import type { PermissionRule } from './rules/rule.ts';
import { EDIT_RULES } from './test/table/theme.ts';

let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'heddle-replaced-')));
  for (const name of [
    '.git/hooks',
    'empty',
    'src',
    'd2',
    'lib/bin',
    'meta/objects',
    'meta/refs',
    'meta/hooks',
    'around/data/objects',
    'around/data/refs',
    'points',
    'up/deep',
    'up/t',
    'd3',
  ])
    mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of [
    'a',
    'c.txt',
    '.envrc.sample',
    'src/f',
    'lib/bin/tool',
    'meta/HEAD',
    'meta/config',
    'around/data/HEAD',
  ])
    writeFileSync(path.join(folder, name), '');
  writeFileSync(path.join(folder, 'points/.git'), 'gitdir: store');
  symlinkSync('.git', path.join(folder, 'g'));
  symlinkSync('../elsewhere', path.join(folder, 'o'));
  symlinkSync('../../elsewhere', path.join(folder, 'd2/up'));
  for (const [name, target] of [
    ['hk', '.git/hooks'],
    ['out', '../out/deep'],
    ['nr', '.npmrc'],
    ['made', 'q'],
    ['loop', 'loop'],
    ['ud', 'up/deep'],
    ['later', 'new/deep'],
    ['up/t/a', '../../.git/config'],
    ['up/t/f', '../../denied/f'],
    ['den', 'denied'],
    ['den2', 'd3'],
  ] as const)
    symlinkSync(target, path.join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Decides about a script whose edits are allowed by the mode, or by rules. */
function decisionOn(command: string, by: 'mode' | 'rules' = 'mode'): string {
  return decisionOnCall('Bash', { command }, by);
}

function decisionOnCall(
  tool: string,
  input: JsonObject,
  by: 'mode' | 'rules' = 'mode',
  environment: NodeJS.ProcessEnv = {},
): string {
  const surroundings = { root: folder, cwd: folder, directories: [], home: '/people/user', configDirs: [] };
  const world = observeWorld({ ...surroundings, environment });
  const request = { tool, input, readOnly: false, hookDecision: undefined };
  const rule = (text: string): PermissionRule => ({ text, source: 'user' });
  const deny = ['Edit(./denied/a)', 'Edit(./denied/f)', 'Edit(./d3/src/f)'].map(rule);
  const allow = by === 'rules' ? [...EDIT_RULES, 'Bash(tee *)'].map(rule) : [];
  const mode = by === 'mode' ? 'acceptEdits' : 'default';
  return authorize(request, { deny, ask: [], allow }, mode, world).decision;
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
    // The last of `-L`, `-P` and `-a` decides whether links are kept.
    'cp -LP o x; touch x/y',
    'cp -La o x; echo hi > x/y',
    'cp -L -P o x && cp a x/',
    'cp -LP g x; cp a x/config',
    'cp -LR o x -P; echo hi > x/y',
    'cp -LPR o x; mkdir x/n',
    '{ cp -LP o x; }; echo hi > x/y',
    'cp -PL o x; echo hi > x/y; rm x/y',
    'cp -LP o x; cd x && touch y',
    'cp -rLP d2 x; touch x/up/y',
    // A copy of a copy.
    'cp -P g x1; cp -P x1 x2; echo evil > x2/hooks/pre-commit',
    'cp -P g x1; mv x1 x2; echo evil > x2/hooks/pre-commit',
    'cp -P g x1; cp -P x1 x2; cp -P x2 x3; echo evil > x3/config',
    'cp -P o src; cp -P src/* empty; echo y > empty/o/y',
    'cp -P o src/l; cp -r src t; echo y > t/l/y',
    'cp -P o src/l; mv src t; touch t/l/y',
    'mv o p; mv p q; touch q/y',
    'for i in 1 2; do cp -P x1 x2; cp -P g x1; touch x2/y; done',
    // `..` leads elsewhere from a folder that was moved.
    'cd src && mv ../src ../lib/s2 && rm -rf ../../a',
    'cd lib/bin && mv ../../lib/bin ../../d3 && touch ../../y',
    'cd lib/bin && mv ../../lib ../../empty/l && echo x > ../../y',
    'cd src; mv ../sr* ../lib; echo x > ../../y',
    '(cd lib/bin; mv ../../lib/bin ../../d3; mkdir ../../y)',
    'pushd lib/bin; mv ../../lib/bin ../../d3; sed -i s/a/b/ ../../a',
  ])('does not let it write elsewhere: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
    expect(decisionOn(command, 'rules')).not.toBe('allow');
  });
});

describe('a folder that is missing', () => {
  it.each([
    'mkdir q; echo x > q/../hk/pre-commit',
    'mkdir q && echo x > q/../o/../y',
    'mkdir q; echo x > q/../out/../y',
    'mkdir -p q/../out/../y',
    'mkdir -p q/../hk/x',
    'mkdir q; cp a q/../out/../y',
    'mkdir q; echo x > q/../hk/../config',
    'mkdir q; echo x > q/../nr',
    'mkdir q; rm -rf q/../out/../y',
    'mkdir q; mv a q/../hk/pre-commit',
    'mkdir q; sed -i s/a/b/ q/../hk/x',
    'cp -r lib q; touch q/../hk/x',
    'mv lib q; touch q/../hk/x',
    'mkdir q q/../hk/z',
    'mkdir -p q/r/../../hk/x',
    'mkdir -p ./q//r/../.././hk/x',
    'mkdir q; echo x > made/../hk/pre-commit',
    'rm c.txt; mkdir c.txt; touch c.txt/../hk/x',
    'rm loop; mkdir loop; touch loop/../hk/x',
    'mkdir q; touch q/../h*/x',
    'mkdir -p q/../src/../hk/x',
    'mkdir q; cd q/../hk && touch x',
    'mkdir q; cd q && echo x > ../hk/x',
    'mkdir q; tee q/../hk/x < a',
  ])('does not hide a link behind `..`: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
    expect(decisionOn(command, 'rules')).not.toBe('allow');
  });

  it.each(['mkdir q; echo x > q/../src/y', 'mkdir -p q/../src/y', 'mkdir q; touch q/../y'])(
    'can be left with `..`: %s',
    (command) => {
      expect(decisionOn(command)).toBe('allow');
      expect(decisionOn(command, 'rules')).toBe('allow');
    },
  );
});

describe('`..` after a link', () => {
  it.each([
    // The folder that is meant contains links, and the one with the written name does not exist.
    'cp a ud/../t',
    'cp c.txt a ud/../t',
    'cp -r lib/bin/../../src/. ud/../t',
    'cp src/* ud/../t',
    'touch ud/../t/*',
    'sed -i s/a/b/ ud/../t/?',
    'tar xf c.txt -C ud/../t a',
    // A link may be replaced by a folder.
    'rm ud; mkdir ud; echo x > ud/../hk/x',
    'rm -f ud && mkdir -p ud && touch ud/../hk/x',
    'rm ud; mkdir ud; cd ud && touch ../hk/x',
    'rm ud; mkdir ud; cd ud/.. && touch hk/x',
    'rm ud; mkdir ud; rm -rf ud/../o/../y',
    'rm later; mkdir later; touch later/../hk/x',
    'rm ud later; mkdir ud later; touch ud/../later/../hk/x',
    'rm ud; mkdir ud; cp a ud/../later/../den',
    // A rule denies the place behind the link.
    'cp -r src den2',
    'mv src den2',
    'cp -r src ud/../../den2',
    `mkdir q; touch ${'q/../'.repeat(300)}hk/x`,
    `touch ${'ud/../'.repeat(20)}hk/x`,
  ])('is the parent of its target, or of the link: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
    expect(decisionOn(command, 'rules')).not.toBe('allow');
  });

  it.each(['touch ud/../y', 'cp a ud/../y', 'mkdir -p ud/../deep/../y', 'rm ud/../y'])(
    'can be left: %s',
    (command) => {
      expect(decisionOn(command)).toBe('allow');
      expect(decisionOn(command, 'rules')).toBe('allow');
    },
  );
});

describe('a file tool', () => {
  it.each([
    ['q/../hk/x', 'ask'],
    ['ud/../hk/x', 'ask'],
    ['c.txt/../nr', 'ask'],
    ['ud/../out/y', 'ask'],
    ['ud/../t/a', 'allow'],
    ['up/t/a', 'ask'],
    ['q/../src/y', 'allow'],
  ])('takes `..` as written: %s', (file, decision) => {
    expect(decisionOnCall('Write', { file_path: file, content: '' })).toBe(decision);
    expect(decisionOnCall('NotebookEdit', { notebook_path: file, new_source: '' })).toBe(decision);
    expect(decisionOnCall('Edit', { file_path: file, old_string: 'a', new_string: 'b' })).toBe(decision);
  });
});

describe('the search path', () => {
  it('may contain `..` after a link or a missing folder', () => {
    const write = (file: string, PATH: string): string =>
      decisionOnCall('Write', { file_path: file, content: '' }, 'mode', { PATH: `/usr/bin:${PATH}` });
    expect(write('up/t/tool', '/bin')).toBe('allow');
    expect(write('up/t/tool', `${folder}/ud/../t`)).toBe('ask');
    expect(write('up/t/tool', 'ud/../t')).toBe('ask');
    expect(write('up/t/tool', `${folder}/q/../ud/../t`)).toBe('ask');
  });
});

describe('sed', () => {
  it.each([
    "sed -ied '1e ./evil.sh' a",
    "sed -ied 'w../out/f' a",
    'sed -iep w.git/hooks/x a',
    "sed -niep 'wdenied/a' a",
    "sed -Eied '1e ./evil.sh' a",
    "sed -sie '1e ./evil.sh' a",
    "sed -ie '1e ./evil.sh' a",
    "sed -i.bake '1e ./evil.sh' a",
    'sed -ie s/q/q/ .profil',
    'sed -ine s/q/q/ .profil',
    'sed --in-place=e s/q/q/ .profil',
    'sed -i.toml s/q/q/ mise',
  ])('does not take the suffix of -i for options: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
  });

  it.each(['sed -i s/a/b/ a', 'sed -ni p a', "sed -i.bak -e 's/a/b/' a", 'sed -Ei s/a/b/ -- a'])(
    'edits files: %s',
    (command) => expect(decisionOn(command)).toBe('allow'),
  );
});

describe('a target that is replaced or follows a link', () => {
  it.each([
    'cp -P o /dev/stdout',
    'cp -a g /dev/stderr',
    'cp -r o /dev/null',
    'mv a /dev/null',
    // The source gains a name that is a link in the target.
    'echo x > src/up; cp -r src d2',
    'echo x > src/up; cp -r src/. d2',
    'touch src/up && cp -a src/. d2',
    'cp a src/up; cp -R src/. d2/',
    'mv a src/up; cp -r src/. d2',
    '(echo x > src/up); cp -r src/. d2',
    // The data of git in a folder with another name.
    'cp a meta/hooks/pre-commit',
    'cp a meta/config',
    'rm -rf meta/refs',
    'echo x > meta/info/attributes',
    'sed -i s/a/b/ meta/config',
    'mv a meta/hooks',
    'mv meta m2',
    'rm -rf meta',
    'rm -rf ./meta/',
    'mv around q',
    'rm -rf around',
    'rm -rf aroun?',
    'cp -r src points/store',
    'mkdir points/store',
  ])('asks: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
    expect(decisionOn(command, 'rules')).not.toBe('allow');
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
    'cp a src/a; mv src denied',
    'mv src denied',
    'cp -r src/. denied',
    // The folder exists, and a name in it is new.
    'mkdir src/bin; cp a src/bin/x; mv src vendor',
    'mkdir -p src/bin && cp a src/bin/x && cp -r src vendor',
    'mkdir src/.bin; cp a src/.bin/eslint; mv src node_modules',
    'mkdir src/.bin; cp a src/.bin/eslint; cp -r src sub/node_modules',
    'cp a src/config.json; mv src .docker',
    'cp a src/config.json; cp -a src .docker',
    'mkdir src/fish; cp a src/fish/config.x; mv src .config',
    'mkdir src/git; cp a src/git/config; cp -r src .config',
    'cp a src/init.gradle; mv src .gradle',
    'echo x > src/config; mv src .bundle',
    'mkdir src/bin; echo x > src/bin/python; mv src venv',
    'mkdir src/bin; echo x > src/bin/python; mv src/ .venv',
    'mkdir src/bin; touch src/bin/x; mv src t; mv t .local',
    'for i in 1 2; do mv src vendor; mkdir src/bin; done',
  ])('may receive a file with a protected or denied name: %s', (command) => {
    expect(decisionOn(command)).not.toBe('allow');
    expect(decisionOn(command, 'rules')).not.toBe('allow');
  });

  it.each([
    'mkdir q && cp a q',
    'mkdir -p src/x && touch src/x/y.ts',
    'cp a b',
    'mv a b && touch c',
    'mkdir t && mv src t',
    'cd src && mv f h && touch i',
    'cp -r lib lib2 && touch lib2/x',
    'cp -L a b && touch b',
  ])('receives other files without a question: %s', (command) => expect(decisionOn(command)).toBe('allow'));

  it.each(['touch src/x && mv src t', 'cp a src/b && cp -r src t', 'mv a src/ && cd src && touch h'])(
    'receives files that the script changes, if rules allow it: %s',
    (command) => {
      expect(decisionOn(command)).toBe('ask');
      expect(decisionOn(command, 'rules')).toBe('allow');
    },
  );
});

describe('settings of git that a script changes', () => {
  const git = (...args: string[]): unknown =>
    execFileSync('git', args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
      stdio: 'pipe',
    });
  beforeAll(() => {
    rmSync(path.join(folder, '.git'), { recursive: true });
    git('init', '-q');
    writeFileSync(path.join(folder, 'real-settings'), '');
    symlinkSync('real-settings', path.join(folder, 'linked-settings'));
  });

  it.each([
    ['../included', 'cp a included; git diff'],
    ['../included', 'echo x >> included && git log -p'],
    ['../src/included', 'mv d2 lib; cp a src/included; git show'],
    ['../src/included', 'rm -rf src; cp -r lib src; git diff'],
    ['../linked-settings', 'cp a real-settings; git diff'],
    ['../linked-settings', 'mv a linked-settings; git diff HEAD'],
    ['../linked-settings', 'tee real-settings < a; git log'],
  ])('are unknown afterwards, with include.path=%s: %s', (included, command) => {
    git('config', 'include.path', included);
    expect(decisionOn(command)).not.toBe('allow');
    expect(decisionOn(command, 'rules')).not.toBe('allow');
    git('config', '--unset', 'include.path');
    expect(decisionOn('cp a b; git log --oneline', 'rules')).toBe('allow');
  });
});
