/** Runs many scripts in bash, and returns what it did: the commands, the input of `take`, and the files of redirections. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Files in the working folder. Some have names that look like options or contain blanks. */
export const FILES = [
  'a',
  'b',
  'x.ts',
  '-o',
  '.hid',
  'a b',
  'n\nl',
  'd/a',
  'd/.e',
  '[ab]',
  '{a,b}',
  'é',
  '~',
  'star*',
];
export const ENVIRONMENT = { v: 'a b', LC_ALL: 'C.UTF-8' };

export interface BashRun {
  /** The words of each command that ran, and assignments as single words. */
  readonly commands: readonly (readonly string[])[];
  /** Texts that `take` got on its input. */
  readonly inputs: readonly string[];
  /** Files that redirections made. */
  readonly made: readonly string[];
  /** Files that bash reports as missing: programs, and inputs. */
  readonly missing: readonly string[];
}

/**
 * Each script runs in a subshell with `eval`, as the Bash tool runs it. There is no search path, so only builtins do something.
 * Files that a script makes are removed after it.
 */
const DRIVER = String.raw`
take() { local s; IFS= read -r -d '' s; : =INPUT= "$s"; }
shopt -s dotglob globstar
/bin/mkdir -p "$W/d" "$HOME"; cd "$W"; for name; do : >"$name"; done
declare -A usual=(); for name in ** "$HOME"/*; do usual["$name"]=1; done
n=0
while IFS= read -r -d '' s <&249; do
  n=$((n+1))
  # The substitution ends when all processes of the script have ended.
  : "$( exec 248>&1 250>"$T/$n.trace" 2>"$T/$n.err" </dev/null 1>/dev/null 249<&-; shopt -u dotglob globstar; set --
    BASH_XTRACEFD=250 PS4=$'\001' FUNCNEST=3; ulimit -t 1 -f 1000; unset n name usual x y z i; set -x; eval "$s" )"
  made=(); for name in ** "$HOME"/*; do if [[ -z \${usual["$name"]} ]]; then made+=("$name"); fi; done
  if (( \${#made[@]} > 0 )); then printf '%s\0' "\${made[@]}" >"$T/$n.files"; /bin/rm -rf -- "\${made[@]}"; fi
done 249<"$T/scripts"
`.replaceAll('\\$', '$');

export interface Folders {
  /** Results. */
  readonly traces: string;
  readonly work: string;
  readonly home: string;
}

export function runInBash(
  scripts: readonly string[],
  folders: Folders,
  isConfined: boolean,
): readonly BashRun[] {
  const { traces, work, home } = folders;
  mkdirSync(traces, { recursive: true });
  writeFileSync(path.join(traces, 'scripts'), scripts.map((script) => `${script}\0`).join(''));
  const confinement = [
    'bwrap',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--tmpfs',
    path.dirname(work),
    '--bind',
    traces,
    traces,
    '--unshare-all',
    '--die-with-parent',
  ];
  const [file = '', ...args] = [
    ...(isConfined ? confinement : []),
    '/bin/bash',
    '--noprofile',
    '--norc',
    '-c',
    DRIVER,
    'driver',
    ...FILES,
  ];
  const env = { ...ENVIRONMENT, PATH: '/nonexistent', HOME: home, W: work, T: traces };
  const run = spawnSync(isConfined ? `/usr/bin/${file}` : file, args, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 60_000,
  });
  if (run.status !== 0) throw new Error(`bash ended with ${run.status}: ${run.stderr}`);
  return scripts.map((_, index): BashRun => {
    const read = (kind: string): string => textOf(path.join(traces, `${index + 1}.${kind}`));
    const lines = commandsIn(read('trace')).slice(1);
    return {
      commands: lines.filter((words) => !isOfTake(words)),
      inputs: lines.filter(([, mark]) => mark === '=INPUT=').map(([, , text = '']) => text),
      made: read('files').split('\0').filter(Boolean),
      missing: Array.from(read('err').matchAll(MISSING), ([, name = '']) => name),
    };
  });
}

const MISSING = /^driver: (?:eval: )?line \d+: ([^\n]*): No such file or directory$/gm;

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function isOfTake([first, second, third]: readonly string[]): boolean {
  return (
    second === '=INPUT=' ||
    first === 'IFS=' ||
    (first === 'local' && second === 's') ||
    (first === 'read' && third === '-d')
  );
}

/** Reads the trace of `set -x`. Each command starts with a control character, which bash never prints in a word. */
function commandsIn(trace: string): readonly (readonly string[])[] {
  return trace
    .split('\u0001')
    .filter(Boolean)
    .map((line) => wordsIn(line.replace(/\n$/, '')));
}

const WORD = /\$'(?:[^'\\]|\\[^])*'|'[^']*'|\\[^]|[^ '\\]/y;

/** Reads words as bash prints them, with its quotes. */
function wordsIn(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    WORD.lastIndex = at;
    const piece = WORD.exec(line)?.[0];
    if (piece === undefined) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
      continue;
    }
    word = (word ?? '') + unquoted(piece);
    at += piece.length;
  }
  return word === undefined ? words : [...words, word];
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('\\')) return piece.slice(1);
  if (!piece.startsWith("$'")) return piece;
  const bytes: Buffer[] = [];
  for (const [, octal, letter, plain] of piece.slice(2, -1).matchAll(/\\([0-7]{3})|\\([^])|([^\\]+)/g)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]));
    else bytes.push(Buffer.from(plain ?? ESCAPES[letter ?? ''] ?? letter ?? ''));
  }
  return Buffer.concat(bytes).toString('utf8');
}
