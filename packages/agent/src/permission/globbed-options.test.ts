/** Globs behind an allow rule that may become an option of the program. */
import { describe, expect, it } from 'vitest';
import { shell } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const world = { files: [`${ROOT}/src/a.ts`, `${ROOT}/b.o`] };

function decision(command: string, program: string, mode: 'default' | 'acceptEdits'): string {
  return shell(command, {
    mode,
    world,
    rules: {
      allow: [
        `Bash(${program}:*)`,
        'Bash(sleep:*)',
        'Bash(make:*)',
        'Bash(mv:*)',
        'Bash(touch:*)',
        'Bash(echo:*)',
        'Edit',
      ],
    },
  }).decision;
}

describe('a glob that may become an option, behind a rule with a wildcard', () => {
  it.each([
    ['sleep 4; git log -1 * -- a.txt', 'git log'],
    ['git log -1 * -- a.txt', 'git log'],
    ['git log */* -- a.txt', 'git'],
    ['git show **', 'git show'],
    ['git diff ?*', 'git'],
    ['git diff --stat *.ts', 'git'],
    ['git archive HEAD [-]*', 'git'],
    ['git fetch *', 'git fetch'],
    ['git -C src log -?output=x', 'git'],
    ['x="*"; git log $x', 'git log'],
    ['env git log *', 'env git log'],
    ['env A=1 git log *', 'env'],
    ['timeout 5 git diff *', 'timeout'],
    ['sleep 4; tar cf x.tar *', 'tar'],
    ['make && gcc *.c', 'gcc'],
    ['sleep 4; rsync -a */* dist', 'rsync'],
    ['sleep 4; zip x.zip *', 'zip'],
    ['mv src/x . && tar cf x.tar *', 'tar'],
    ['touch src/y; mytool *', 'mytool'],
    ["echo x > './--to-command=y'; tar xf *", 'tar'],
    ['git switch x; git log -1 x */*', 'git'],
    ['sleep 4; mytool *', 'mytool'],
    ['sleep 4; mytool --x **/*', 'mytool'],
    ['for i in 1 2; do mytool -*.json; sleep 1; done', 'mytool'],
  ])('asks: %s beside %s', (command, program) => {
    expect(decision(command, program, 'default')).toBe('ask');
    expect(decision(command, program, 'acceptEdits')).toBe('ask');
  });

  it.each([
    ['git log -1 -- *', 'git log'],
    ['git log src/*', 'git log'],
    ['git log ./*', 'git log'],
    ['git add *.ts', 'git add'],
    ['git add *', 'git'],
    ['make && git add *.ts', 'git'],
    ['tar cf x.tar *', 'tar'],
    ['sleep 4; tar cf x.tar ./*', 'tar'],
    ['make && prettier --write *.ts', 'prettier'],
    ['make && mytool src/*', 'mytool'],
    ['mytool *', 'mytool'],
    ['cd src && zip -r x.zip *', 'zip'],
    ['ls; tar cf x.tar *', 'tar'],
    ['make && eslint **/*.ts', 'eslint'],
  ])(
    'needs no question if it is something else, or expands before other calls: %s beside %s',
    (command, program) => {
      expect(decision(command, program, 'default')).toBe('allow');
    },
  );
});
