/**
 * Commands that hide another command or a file, in a real run: a scripted model calls Bash once for each spelling. Each call
 * must be denied because a run with `-p` cannot ask, and nothing may have happened to the files.
 */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { call, say } from '@heddle/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homeFor } from '../test/home.ts';
import { install, type Installed } from '../test/program.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await install();
});
afterAll(() => installed.remove());

const VICTIM = 'untouched\n';

/** Runs all commands in one session; returns those that ran, and the files that appeared or changed. */
async function attempt(commands: readonly string[], flags: readonly string[] = []) {
  const { folder, run, script } = homeFor(installed.program);
  mkdirSync(path.join(folder, 'sub'));
  writeFileSync(path.join(folder, 'victim'), VICTIM);
  // A link whose name contains a tilde.
  symlinkSync(path.join(folder, 'victim'), path.join(folder, 'y=~daemon'));
  const steps = commands.map((command, index) => call('Bash', { command }, `b${index}`));
  const model = script([...steps, say('Done.')]);
  const names = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !/^(config|\.heddle)/.test(name),
    );
  const before = names();
  const argv = ['-p', 'go', '--output-format', 'json', '--max-turns', '200', '--model', model, ...flags];
  const { stdout, stderr } = await run(argv);
  const result = JSON.parse(stdout) as { permission_denials?: { tool_input: { command: string } }[] };
  const denied = new Set(result.permission_denials?.map(({ tool_input }) => tool_input.command));
  const files = names().filter((name) => !before.includes(name));
  if (readFileSync(path.join(folder, 'victim'), 'utf8') !== VICTIM) files.push('victim');
  return { ran: commands.filter((command) => !denied.has(command)), files, stderr };
}

const NOTHING = { ran: [], files: [] };
const RULES = ['--allowed-tools', 'Bash(ls *),Bash(echo *),Bash(cat *)'];

const GLUED = [
  'a=()$(touch X)',
  'a=(1 2)`touch X`; ls',
  'a=()"$(touch X)"',
  'a+=()$(touch X)',
  'a=(x)${b:-$(touch X)}',
  'ls; a=(b c)<(touch X)',
  'a=( )`touch X` ls',
  'for f in a; do b=()`touch X`; done',
  'echo $(a=()`touch X`)',
  'if a=($(touch X))y; then ls; fi',
  'cat <<E\n$(a=()`touch X`)\nE',
  '[[ -f a ]] || a=()`touch X`',
  'a=(1)(touch X)',
  'export a=()`touch X`; ls',
  'a=($(ls))$(touch X) cat victim',
];

const ARITHMETIC = [
  "y='a[$(touch X)]'; echo $((y))",
  "y='a[$(touch X)]'; ls; ((y))",
  "y='a[$(touch X)]'; b[y]=2; ls",
  "y='a[$(touch X)]'; echo ${b[y]}",
  "y='a[$(touch X)]'; echo ${HOME:0:y}",
  "y='a[$(touch X)]'; case ${HOME:y:1} in *) ls;; esac",
  "y='a[$(touch X)]'; for f in ${HOME:y}; do ls; done",
  "y='a[$(touch X)]'; cat <<< ${HOME:y}",
  "y='a[$(touch X)]'; cat <<E\n${HOME:y}\nE",
  "y='a[$(touch X)]'; [[ 1 -lt y ]]; ls",
  "y='a[$(touch X)]'; [[ $y -ne 0 ]] || ls",
  "y='a[$(touch X)]'; b=([y]=1 2); ls",
  "[[ -v 'a[$(touch X)]' ]]; ls",
  "test -v 'a[$(touch X)]'; ls",
  "y='a[$(touch X)]'; for ((i=y;i<1;i++)); do ls; done",
  "y='a[$(touch X)]'; echo ${!y}",
  "y='$(touch X)'; echo ${y@P}",
  "OPTIND='a[$(touch X)]'; ls",
  "RANDOM='a[$(touch X)]'; ls",
  "declare -i n; n='a[$(touch X)]'; ls",
  "declare -n r='a[$(touch X)]'; echo $r",
  "printf -v 'a[$(touch X)]' x; ls",
  "read 'a[$(touch X)]' < victim; ls",
  "let 'a[$(touch X)]'; ls",
  "unset 'a[$(touch X)]'; ls",
  'echo $[a[$(touch X)]]',
  'b=([PATH=0]=1); ls',
];

const LOST_FILES = [
  'echo evil > y=~daemon',
  'echo evil >> y=~daemon',
  'echo evil >| y=~daemon',
  'echo evil &> y=~daemon',
  'ls >& y=~daemon',
  '{ ls; } > y=~daemon',
  'for f in a; do ls; done > y=~daemon',
  'ls | tee y=~daemon',
  'cat victim <> y=~daemon',
  'ls > x=~/X',
  'ls > x:y=~/X',
  'ls > {x,}=~/X',
  'ls > ~+/X',
  'ls > ~-/X',
  'ls > $"X"',
  'echo evil < victim > /dev/stdin',
  'echo evil 3< victim > /dev/fd/3',
  'echo evil 1< victim > /dev/stdout',
  'echo evil 2< victim > /dev/stderr',
  'cat victim > su?/X',
  'cp victim --target-directory=$HOME/sub',
];

describe('a command that hides another one', () => {
  it('is not run through text that is glued to an array', async () => {
    expect(await attempt(GLUED, RULES)).toMatchObject(NOTHING);
  });

  it('is not run through arithmetic', async () => {
    expect(await attempt(ARITHMETIC, RULES)).toMatchObject(NOTHING);
  });

  it('does not hide the file that it writes', async () => {
    expect(await attempt(LOST_FILES, RULES)).toMatchObject(NOTHING);
  });

  it.each(['default', 'acceptEdits', 'plan'])('is not run in the mode %s', async (mode) => {
    const commands = [...GLUED, ...ARITHMETIC, ...LOST_FILES];
    expect(await attempt(commands, ['--permission-mode', mode])).toMatchObject(NOTHING);
  });

  it('is distinguished from plain commands, which run', async () => {
    const plain = [
      'a=(1 2); ls',
      'ls > /dev/null',
      'n=1; echo $((n + 1))',
      'for f in victim; do wc -l "$f"; done',
      'if [ -f victim ]; then cat victim; fi',
      'while IFS= read -r line; do echo "$line"; done < victim',
      'case $(uname) in Linux) ls;; *) pwd;; esac',
      'set -euo pipefail; LC_ALL=C sort victim',
      "awk 'NR > 1 { print $1 }' victim",
      'echo "a\\"b" c\\ d $\'\\t\' "${HOME##*/}"',
      'diff <(ls) <(ls sub)',
      'cat <<E\n$(pwd)\nE',
    ];
    expect(await attempt(plain)).toMatchObject({ ran: plain, files: [] });
  });
});
