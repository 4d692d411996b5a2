/**
 * Finds code that programs other than interpreters run: consoles of frameworks (`rails runner '…'`), standard input behind a runner
 * (`uv run -`), and texts for options such as `-e`. A list of all programs is not possible, so a text that looks like code counts.
 */
import { isHarmlessProgram, type ShellWord, type SimpleCommand } from '@heddle/tools/shell';
import { isProbablyMessage } from './files/message-options.ts';
import { isFedIn, takesCode } from './interpreters.ts';
import { mayRunWords, takesOnlyData } from './possible-commands.ts';
import { baseName, isManager, isRunner, likelyTails, mayLackCommand, runsElsewhere } from './runners.ts';
import { isShell } from './shell-options.ts';

/** Commands of many programs that run their input: `rails console`, `python3 manage.py shell`, `npm run db:repl`. */
const CONSOLES =
  /^([\w.-]*[:_-])?(shell|console|repl|tinker|dbshell|dbconsole|psysh)$|^(shell_plus|pg:psql|(php|core)[:-]cli)$/;
/** Commands of many programs that run the code in the next words: `wp eval '…'`, `drush php:eval '…'`. */
const EVALUATES = /^(\w[\w.-]*[:_-])?(eval|evaluate|ev|runner|eval-file|exec-code|run-code)$/;
/** The same for single programs. */
const OWN_CONSOLES: readonly (readonly [RegExp, RegExp])[] = [
  [/^rails$/, /^(c|db|r)$/],
  [/^drush$/, /^(php|scr)$/],
  [/^craft$/, /^exec(\/exec)?$/],
];

/** Returns whether a word of the program starts a console that runs its input. */
export function namesConsole(words: readonly ShellWord[]): boolean {
  return findConsole(words, CONSOLES) !== undefined;
}

/** Returns the words after the one that starts a console or runs code. */
function findConsole(words: readonly ShellWord[], names: RegExp): readonly ShellWord[] | undefined {
  const [program = '', ...args] = words.map(({ value }) => baseName(value));
  // Its words are names of branches and files.
  if (program === 'git') return undefined;
  const own = OWN_CONSOLES.find(([programs]) => programs.test(program))?.[1];
  const at = args.findIndex((_, index) => {
    const { value = '' } = words[index + 1] ?? {};
    return names.test(value) || (index === 0 && own?.test(value) === true);
  });
  return at < 0 ? undefined : words.slice(at + 2);
}

/** Returns whether the command runs code of an unknown language that is in its words or on its input. */
export function runsInlineCode(
  command: SimpleCommand,
  words: readonly ShellWord[],
  isProven: (run: readonly ShellWord[]) => boolean,
): boolean {
  if (runsDash(words)) return true;
  return [words, ...likelyTails(words)].some((run) => {
    const [name, ...args] = run;
    const program = baseName(name?.value ?? '');
    if (isHarmlessProgram(program) || takesOnlyData(program) || SHELL_SETTINGS.test(program)) return false;
    return (usesConsole(run, command.hasInput) || takesCodeText(program, args)) && !isProven(run);
  });
}

/** Names of settings: `bash -euo pipefail -c '…'`. */
const SHELL_SETTINGS =
  /^(pipefail|errexit|nounset|xtrace|noglob|verbose|noclobber|noexec|posix|(ext|null|dot|fail)glob|globstar|inherit_errexit|lastpipe)$/;

/** Returns whether a runner gets a dash at the position of its command: `uv run -`, `bun run --cwd x -`. */
function runsDash(words: readonly ShellWord[]): boolean {
  return [words, ...likelyTails(words)].some((run) => {
    const [name, ...args] = run;
    const program = baseName(name?.value ?? '');
    if (!(isRunner(program) || isManager(program)) || /^g?env$/.test(program) || runsElsewhere(run))
      return false;
    return args.some((word) => word.kind === 'literal' && isFedIn(word)) && mayLackCommand(run);
  });
}

function usesConsole(run: readonly ShellWord[], hasInput: boolean): boolean {
  const isGiven = (word: ShellWord): boolean => isFedIn(word) || isCode(word.value);
  const behindConsole = findConsole(run, CONSOLES);
  if (behindConsole)
    return hasInput || behindConsole.some((word) => isGiven(word) || CODE_OPTION.test(word.value));
  return findConsole(run, EVALUATES)?.some(isGiven) === true;
}

/** Compilers take a file after `-c`. The others run no program, or take settings after `-e`. */
const TAKES_OTHER_TEXT =
  /^([\w.-]*-)?(g?cc|[gc]\+\+|clang(\+\+)?|rustc|gfortran|nasm|ld|javac|ansible(-\w+)?|bq|trino|presto|cqlsh|snowsql|opa|cue|jsonnet|notify-send)(-[\d.]+)?$/;
const CODE_OPTION =
  /^(-[a-zA-Z]?[ce]|--?([\w-]+-)?(eval|evaluate|exec|execute|expr|expression|code|script-code|php|statement)(-[\w-]+)?)$/;
/** An option with its value in the same word. */
const ATTACHED =
  /^(?:-[a-zA-Z]?[ce]|--?(?:[\w-]+-)?(?:eval|evaluate|exec|execute|expr|expression|code|script-code|php|statement)(?:-[\w-]+)?=)(.+)$/s;

function takesCodeText(program: string, args: readonly ShellWord[]): boolean {
  if (TAKES_OTHER_TEXT.test(program) || isShell(program) || takesCode(program) !== undefined) return false;
  if (!mayRunWords(program, args)) return false;
  return args.some((word, index) => {
    if (isProbablyMessage(program, args, index)) return false;
    const [, attached] = ATTACHED.exec(word.value) ?? [];
    const isValue = CODE_OPTION.test(args[index - 1]?.value ?? '');
    if (isValue && word.kind === 'dynamic') return true;
    return (
      (isValue && isCode(word.value)) || (attached !== undefined && isCode(attached)) || isCall(word.value)
    );
  });
}

/** `*.{ts,js}` and `[a-z]` select files. */
const SELECTION = /\{[\w.*-]+(?:,[\w.*-]*)+\}|\[[\w^!.-]+\]/g;
/** A variable with a value, which may consist of several words. */
const SETTING = /^[A-Za-z_]\w*=[^;(){}'"`$|&<>\\]*$/;
/** Data in JSON without characters that a language may replace in texts. */
const DATA = /^[{[][\w\s{}[\]":,./-]*$/;

/** Returns whether a text consists of several words, or contains punctuation of code. */
function isCode(text: string): boolean {
  if (SETTING.test(text) || isData(text)) return false;
  return /[\s;(){}[\]'"`$|&<>!\\]/.test(text.replace(SELECTION, ''));
}

function isData(text: string): boolean {
  if (!DATA.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns whether a text is probably code: it calls something with a text, puts texts together, or is a list of a Lisp. */
function isCall(text: string): boolean {
  return /[\w$\])]\s*\(.*['"`].*\)/s.test(text) || /^\(\s*[\w*:/.-]+(?:\s.*)?\)$/s.test(text);
}
