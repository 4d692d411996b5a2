/** Globs among the words of a command, beside rules about the command that they may become. */
import type { PermissionMode } from '@heddle/core';
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'bypassPermissions'];

const world = { files: [`${ROOT}/src/a.ts`, `${ROOT}/b.o`] };

function decisions(command: string, rule: string): readonly string[] {
  const allow = [
    'Bash(git:*)',
    'Bash(npm:*)',
    'Bash(docker:*)',
    'Bash(rm:*)',
    'Bash(cp:*)',
    'Bash(make:*)',
    'Bash(kubectl:*)',
    'Bash(cargo:*)',
    'Bash(env:*)',
    'Bash(timeout:*)',
    'Bash(nice:*)',
    'Bash(twine:*)',
    'Bash(mytool:*)',
    'Bash(npx:*)',
    'Bash(sleep:*)',
  ];
  const list = (setting: Setting): Setting => ({ ...setting, world });
  return MODES.flatMap((mode) => [
    shell(command, list({ mode, rules: { allow, deny: [rule] } })).decision,
    shell(command, list({ mode, rules: { allow, ask: [rule] } })).decision,
  ]);
}

describe('a glob that may become a word of a rule', () => {
  it.each([
    ['git pus?', 'Bash(git push:*)'],
    ['git p*', 'Bash(git push:*)'],
    ['git [p]ush', 'Bash(git push:*)'],
    ['git [[:alpha:]]ush origin main', 'Bash(git push *)'],
    ['git *', 'Bash(git push)'],
    ['git pu?h', 'Bash(git pu*)'],
    ['git -C . pus? 2>&1', 'Bash(git push:*)'],
    ['git --no-pager pus?', 'Bash(git push:*)'],
    ['/usr/bin/git pus?', 'Bash(git push:*)'],
    ['env git pus?', 'Bash(git push:*)'],
    ['timeout 5 nice git pus? origin', 'Bash(git push:*)'],
    ['sleep 4; git pus? 2>&1', 'Bash(git push:*)'],
    ['if true; then git pus?; fi', 'Bash(git push:*)'],
    ['git send-pac? origin', 'Bash(git push:*)'],
    ['git pus? --force', 'Bash(git push --force:*)'],
    ['git push --forc?', 'Bash(git push --force:*)'],
    ['git push origin --forc? main', 'Bash(git push --force:*)'],
    ['git push -? origin', 'Bash(git push -f:*)'],
    ['git push --for? origin', 'Bash(git push --force:*)'],
    ['git push origin mai?', 'Bash(git push origin main:*)'],
    ['git push orig?? main', 'Bash(git push origin main)'],
    ['git switch x; git reset HEAD *', 'Bash(git reset --hard:*)'],
    ['git commit -m x *', 'Bash(git commit --no-verify:*)'],
    ['git pus?', 'Bash(* push *)'],
    ['git pus?', 'Bash(*push*)'],
    ['npm publis?', 'Bash(npm publish:*)'],
    ['npm pub?', 'Bash(npm publish:*)'],
    ['npm ru? deploy', 'Bash(npm run deploy:*)'],
    ['npm run deplo?', 'Bash(npm run deploy:*)'],
    ['npm run-scrip? deploy', 'Bash(npm run deploy:*)'],
    ['npm run de*', 'Bash(npm run deploy*)'],
    ['docker container r? x', 'Bash(docker rm:*)'],
    ['docker containe? rm x', 'Bash(docker rm:*)'],
    ['kubectl -n prod delet? pod', 'Bash(kubectl delete:*)'],
    ['make deplo?', 'Bash(make deploy)'],
    ['env gi? push', 'Bash(git push:*)'],
    ['npx twin? upload', 'Bash(twine upload:*)'],
    ['mytool git pus?', 'Bash(git push:*)'],
    ['mytool --then git [p]ush', 'Bash(git push:*)'],
    ['mytool npm p*', 'Bash(npm publish:*)'],
    ["bash -c 'git pus?'", 'Bash(git push:*)'],
    ['x=1; git "pu"s? origin', 'Bash(git push:*)'],
    ['cat src/[a].ts', 'Bash(cat src/a.ts)'],
    ['cat src/?.txt', 'Bash(cat src/b.txt)'],
    ['cargo +nightly publis?', 'Bash(cargo publish:*)'],
    ['rm -? x', 'Bash(rm -r:*)'],
  ])('asks or is denied, also if it finds nothing now: %s beside %s', (command, rule) => {
    expect(decisions(command, rule)).not.toContain('allow');
  });

  it.each([
    ['git add *.ts', 'Bash(git push:*)'],
    ['git add *.ts', 'Bash(git add --force:*)'],
    ['git add src/*', 'Bash(git add -A:*)'],
    ['git add *', 'Bash(git push --force:*)'],
    ['git commit src/*.ts -m x', 'Bash(git commit --amend:*)'],
    ['git push origin v1.*', 'Bash(git push --force:*)'],
    ['rm *.o', 'Bash(rm -rf:*)'],
    ['rm *.o', 'Bash(rm -r *)'],
    ['rm *.o', 'Bash(git push:*)'],
    ['rm ./*', 'Bash(rm -rf:*)'],
    ['rm src/*.js', 'Bash(rm -rf *)'],
    ['cp src/*.ts dist', 'Bash(cp -r:*)'],
    ['npm run test src/*.ts', 'Bash(npm publish:*)'],
    ['npm run build -- src/*.ts', 'Bash(npm run deploy:*)'],
    ['make -C sub *.o', 'Bash(make deploy)'],
    ['docker cp src/* x:/', 'Bash(docker rm:*)'],
    ['mytool *.ts', 'Bash(git push:*)'],
    ['mytool git *.ts', 'Bash(git push:*)'],
    ['cat src/*', 'Bash(cat .env:*)'],
    ['cat *', 'Bash(cat .env:*)'],
    ['grep -n x src/*.ts', 'Bash(grep -r:*)'],
    ['ls *.ts', 'Bash(ls -R:*)'],
  ])('needs no further question if it is something else: %s beside %s', (command, rule) => {
    const without = decisions(command, 'Bash(unrelated-program:*)');
    expect(decisions(command, rule)).toEqual(without);
  });
});

describe('a glob of a command that only reads, beside a rule with a star before its end', () => {
  const files = ['.env', '.envrc', 'secrets/key.pem', 'secrets/a.txt', 'src/a.ts', 'src/b.ts'];
  const decide = (command: string, list: 'deny' | 'ask', mode: PermissionMode): string =>
    shell(command, {
      mode,
      world: { files: files.map((file) => `${ROOT}/${file}`) },
      rules: { [list]: ['Bash(*.env)', 'Bash(*.env *)', 'Bash(cat *secrets*)', 'Bash(* src/b.ts)'] },
    }).decision;

  it.each([
    'cat .en?',
    'cat .e*',
    'cat .[e]nv',
    'head -1 .en?',
    'tail .e??',
    'grep x .en?',
    'sed -n 1p .en?',
    'awk 1 .en?',
    'jq . .en?',
    'sort src/a.ts .en?',
    'diff .en? src/a.ts',
    'base64 ./.en?',
    'od .e*',
    'cut -c1 .en?',
    'cat src/a.ts .en?',
    'cat sec*/key.pem',
    'cat s*/*',
    'cat ./sec*/*.pem',
    'timeout 5 cat .en?',
    'env cat .en?',
    'cat src/a.ts | cat - .en?',
    'if true; then cat .en?; fi',
    "bash -c 'cat .en?'",
    'nl src/[b].ts',
    'find .en?',
  ])('counts as the files that it finds: %s', (command) => {
    expect(decide(command, 'deny', 'default')).toBe('deny');
    expect(decide(command, 'deny', 'plan')).toBe('deny');
    expect(decide(command, 'ask', 'acceptEdits')).toBe('ask');
  });

  it.each(['cat src/a.?s', 'cat src/*.md', 'grep -n x src/a*', 'ls *.md', 'head -1 src/?.js'])(
    'needs no question if it finds other files: %s',
    (command) => {
      expect(decide(command, 'deny', 'default')).toBe('allow');
    },
  );
});

describe('a glob with more matches than are compared, beside a rule with a star before its end', () => {
  const files = Array.from({ length: 1_200 }, (_, index) => `${ROOT}/data/f${index}.txt`);
  const rules = ['Bash(cat *secret*)', 'Bash(* data/key*)', 'Bash(head *.pem)', 'Bash(git * --force)'];
  const decide = (command: string, list: 'deny' | 'ask', cwd = `${ROOT}/data`): string =>
    shell(command, { world: { files: [...files, `${ROOT}/data/secret`], cwd }, rules: { [list]: rules } })
      .decision;

  it.each([
    'cat *',
    'cat * | tail -1',
    'cat ./*',
    'cat -- *',
    'cat *e*',
    'cat [a-z]*',
    'cat x *',
    'cat * x',
    'env cat *',
    'timeout 5 cat *',
    'if true; then cat *; fi',
    "bash -c 'cat *'",
    'head *',
    'head -1 *',
    'for f in *; do cat $f; done',
    'for f in *; do cat "$f"; done',
    'x=*; cat $x',
  ])('asks: %s', (command) => {
    expect(decide(command, 'deny')).not.toBe('allow');
    expect(decide(command, 'ask')).toBe('ask');
  });

  it('asks about a glob in another folder', () => {
    expect(decide('cat data/*', 'deny', ROOT)).toBe('ask');
    expect(decide('wc data/*', 'deny', ROOT)).toBe('ask');
  });

  it.each(['wc -l *', 'ls *', 'grep -l x *', 'head *.txt', 'head -1 f*.txt', 'cut -c1 *', 'cat f1.txt'])(
    'needs no question if no rule can be about a match: %s',
    (command) => {
      const verdict = shell(command, {
        world: { files, cwd: `${ROOT}/data` },
        rules: { deny: ['Bash(cat *secret*)', 'Bash(head *.pem)', 'Bash(git * --force)'] },
      });
      expect(verdict.decision).toBe('allow');
    },
  );
});
