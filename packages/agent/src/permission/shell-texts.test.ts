/** Texts that programs give to a shell, and files that a shell reads when it starts. */
import { describe, expect, it } from 'vitest';
import { shell, type Setting } from './test/ask.ts';
import { ROOT } from './test/world.ts';

const world = { files: [`${ROOT}/.env`, `${ROOT}/src/a.ts`] };
const DENIED: Setting = { rules: { allow: ['Bash'], deny: ['Read(./.env)'] }, world };
const BYPASSED: Setting = { ...DENIED, mode: 'bypassPermissions' };

describe('a text that a program gives to a shell', () => {
  it.each([
    "sed '1e cat .e*' src/a.ts",
    `awk 'BEGIN{system("cat .e*")}'`,
    `awk 'BEGIN{"cat .e*" | getline x; print x}'`,
    `env awk '{print | "tee .e*"}'`,
    "ed -s <<< '!cat .e*'",
    "vim -es -c '!cat .e*' -c q",
    "vim -es -c 'r !cat .e*' -c q",
    "sqlite3 :memory: '.shell cat .e*'",
    String.raw`psql -c '\! cat .e*'`,
    "less '+!cat .e*' src/a.ts",
  ])('is examined like the script of a shell: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('deny');
    expect(shell(command, BYPASSED).decision).toBe('deny');
  });

  it.each([
    `awk 'BEGIN{c="ca"; c=c "t .e*"; system(c)}'`,
    `awk 'BEGIN{x="cat .e*"; "ca" "t .e*" | getline y}'`,
    "sed 's/x/cat .e*/e' src/a.ts",
    "vim -es -c 'exe x' -c q",
    String.raw`vim -es -c '%s/x/\=system(y)/' -c q`,
    "ed -s <<< 'g/x/!cat y'",
  ])('is unknown beside a rule about files, if it is not certain: %s', (command) => {
    expect(shell(command, BYPASSED).decision).toBe('ask');
  });

  it.each([
    "awk '{print $1}' src/a.ts",
    `awk '{print | "sort -u"}' src/a.ts`,
    `awk -F'|' '{print $1}' src/a.ts`,
    `awk 'BEGIN{system("ls src")}'`,
    'sed -n 1,5p src/a.ts',
    "sed -e 's/[/]/x/' -e 's/one/three/' src/a.ts",
    "vim -es -c '%s/a/b/g' -c wq src/a.ts",
    'sqlite3 a.db .tables',
  ])('needs no question, if there is none: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('allow');
  });
});

describe('a file that a shell reads when it starts', () => {
  it.each([
    `BASH_ENV=.env bash -c 'echo $SECRET'`,
    `export BASH_ENV=.env; bash x.sh`,
    `env BASH_ENV=.env bash x.sh`,
    'BASH_ENV=.env; export BASH_ENV; bash x.sh',
    `ENV=$PWD/.env sh -i`,
  ])('counts as read: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('deny');
    expect(shell(command, BYPASSED).decision).toBe('deny');
  });

  it('is found in the folder of ZDOTDIR', () => {
    const rules = { allow: ['Bash'], deny: ['Read(./x/.zshenv)'] };
    expect(shell('ZDOTDIR=x zsh -c y', { rules }).decision).toBe('deny');
  });

  it('is unknown, if the shell expands the value', () => {
    for (const command of [`BASH_ENV='$PWD/.e''nv' bash x.sh`, 'BASH_ENV=$(x) bash y.sh'])
      expect(shell(command, BYPASSED).decision).toBe('ask');
  });

  it.each([
    'ENV=prod npm run build',
    'ENV=$STAGE make deploy',
    'NODE_ENV=test npm test',
    'BASH_ENV=src/a.ts bash x.sh',
  ])('needs no question, if no rule concerns it: %s', (command) => {
    expect(shell(command, DENIED).decision).toBe('allow');
  });
});
