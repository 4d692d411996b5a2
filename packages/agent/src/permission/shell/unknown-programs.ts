/** Finds commands whose program is known only when they run, also behind programs that run others: `"$X"`, `nice -n 5 $X`. */
import type { ShellWord } from '@heddle/tools/shell';
import { runsElsewhere } from './files/host-words.ts';
import { baseName, isManager, isRunner, likelyTails } from './runners.ts';
import { isShell } from './shell-options.ts';
import { optionPattern } from './short-options.ts';

/** Options of runners of which the next word is the value. */
const VALUED: readonly (readonly [RegExp, string, string])[] = [
  [
    /^(sudo|doas)$/,
    'ugpChrtTURD',
    'user|group|prompt|host|role|type|chdir|chroot|other-user|close-from|command-timeout',
  ],
  [/^(su|runuser)$/, 'ugGsw', 'user|group|supp-group|shell|whitelist-environment'],
  [/^g?env$/, 'uC', 'unset|chdir'],
  [/^(g?nice)$/, 'n', 'adjustment'],
  [/^(g?timeout)$/, 'ks', 'kill-after|signal'],
  [/^(g?stdbuf)$/, 'ioe', 'input|output|error'],
  [/^(g?time)$/, 'fo', 'format|output'],
  [/^ionice$/, 'cn', 'class|classdata'],
  [/^taskset$/, 'c', 'cpu-list'],
  [/^chrt$/, 'TPD', 'sched-runtime|sched-period|sched-deadline'],
  [/^prlimit$/, 'p', 'pid'],
  [/^watch$/, 'nq', 'interval|equexit'],
  [/^flock$/, 'wE', 'wait|timeout|conflict-exit-code'],
  [/^exec$/, 'a', ''],
  [/^(strace|ltrace)$/, 'aeIoOPpsuSXb', 'output|attach|user|trace'],
  [/^g?xargs$/, 'nPLIdEas', 'max-args|max-procs|max-lines|delimiter|arg-file|max-chars'],
  [/^(parallel|env_parallel|sem)$/, 'jPIaSnNLdE', 'jobs|arg-file|joblog|delay|timeout|results|tmpdir|colsep'],
  [/^(screen|tmux)$/, 'SrxtsncLfp', ''],
  [/^hyperfine$/, 'wrmMLn', 'warmup|runs|min-runs|max-runs|export-json|export-csv|export-markdown'],
  [/^systemd-run$/, 'pu', 'property|unit|slice|uid|gid|working-directory|description'],
  [/^(npx|bunx|pnpx)$/, 'p', 'package|prefix|workspace'],
  [
    /^(uvx?)$/,
    'p',
    'with|with-editable|with-requirements|from|project|directory|python|env-file|extra|group',
  ],
  [/^(poetry|direnv)$/, 'CP', 'directory|project'],
  [/^conda$/, 'np', 'name|prefix|cwd'],
  [/^(dotenvx?|env-cmd)$/, 'fe', 'file|environments'],
  [/^(op|honcho|foreman)$/, 'ef', 'env-file|env|procfile'],
  [/^(faketime|datefudge|cpulimit|caffeinate)$/, 'fpltw', ''],
  [/^chroot$/, '', 'userspec|groups'],
  [/^runcon$/, 'turl', 'type|user|role|range'],
  [/^perf$/, 'oepCF', 'output|event|pid|cpu'],
  [/^start-stop-daemon$/, 'pugnR', 'pidfile|user|group|name|retry|chuid|chdir'],
  [/^xvfb-run$/, 'nsefw', 'server-num|server-args|error-file|auth-file|wait'],
  [/^(nodemon|watchexec)$/, 'wef', 'watch|ext|exts|filter|ignore|env-file'],
];

/** Their first words are users, groups or files. A command is the value of the option `-c`. */
const NAMES_FIRST = /^(su|runuser|newgrp|sg|script|capsh)$/;
const COMMAND_OPTION = optionPattern({ letters: 'c', valued: 'ugGsw', long: 'command|session-command' });
/** Their words are no programs, or script files. */
const RUNS_OTHERS = /^(hash|fish|pwsh)$/;
/** It only looks for the program. */
const LOOKS_UP = /^-[pvV]*[vV]/;

/** In `"$DIR"/run.sh` only the folder is unknown. */
const NAMED_AT_END = /\/[\w.+-]+"?$/;
/** A script in one word: `"make -C $X"`. Its commands are looked at elsewhere. */
const KNOWN_BEGINNING = /^[\w./+-]+\s/;

/** Returns whether the program of a command, or of one that it runs, is unknown. `words` are those that the shell makes, as far as they are known. */
export function hasUnknownProgram(words: readonly ShellWord[]): boolean {
  const [first] = words;
  if (first === undefined) return false;
  if (isUnknownName(first)) return true;
  const starts = likelyTails(words).map((tail) => words.length - tail.length);
  const [begin = words.length] = starts;
  let runner = baseName(first.value);
  let isElsewhere = runsElsewhere(runner, words.slice(1));
  if (starts.length === 0 && !isRunner(runner)) return false;
  if (isManager(runner) && !words.slice(1, begin).some(({ value }) => isRunWord(runner, value))) return false;
  const end = starts.at(-1) ?? words.length - 1;
  for (let at = isManager(runner) ? begin : 1; at <= end; at++) {
    if (isShell(runner) || RUNS_OTHERS.test(runner) || isElsewhere) return false;
    const word = words[at];
    const before = words[at - 1]?.value ?? '';
    if (runner === 'command' && LOOKS_UP.test(word?.value ?? '')) return false;
    if (word === undefined) return false;
    if (word.kind === 'dynamic' && isUnknownBehind(runner, word, before, starts.includes(at))) return true;
    const base = baseName(word.value);
    if (word.kind !== 'literal' || !starts.includes(at) || !(isRunner(base) || isManager(base))) continue;
    runner = base;
    isElsewhere = runsElsewhere(runner, words.slice(at + 1));
  }
  return false;
}

/** Behind other words, `--` begins words for a script of the project: `npm test -- -t "$X"`. */
function isRunWord(manager: string, word: string): boolean {
  if (/^(npm|pnpm|yarn|bun)$/.test(manager)) return /^(exec|x|dlx)$/.test(word);
  return (manager.startsWith('nix') ? /^(run|-c|--command)$/ : /^(exec|x|run|foreach|unshare)$/).test(word);
}

/** The shell may make several words of one without quotes, and one of them may be the program. */
function isUnknownBehind(runner: string, word: ShellWord, before: string, isStart: boolean): boolean {
  if (!word.single) return !KNOWN_BEGINNING.test(word.prefix);
  if (NAMES_FIRST.test(runner)) return COMMAND_OPTION.test(before) && mayBeAnyProgram(word);
  return isStart && !takesValue(runner, before) && mayBeAnyProgram(word);
}

function isUnknownName({ kind, text, single }: ShellWord): boolean {
  return kind === 'dynamic' && !(single && NAMED_AT_END.test(text));
}

function mayBeAnyProgram(word: ShellWord): boolean {
  return isUnknownName(word) && !KNOWN_BEGINNING.test(word.prefix);
}

function takesValue(runner: string, option: string): boolean {
  return VALUED.some(
    ([names, letters, long]) =>
      names.test(runner) && (endsWithLetter(option, letters) || isLong(option, long)),
  );
}

/** Returns whether the last letter takes a value, and none before it does: `-En`. */
function endsWithLetter(option: string, letters: string): boolean {
  if (!/^-[A-Za-z0-9]+$/.test(option)) return false;
  const at = Array.from(option).findIndex((letter) => letters.includes(letter));
  return at > 0 && at === option.length - 1;
}

function isLong(option: string, names: string): boolean {
  return option.startsWith('--') && names.split('|').includes(option.slice(2));
}
