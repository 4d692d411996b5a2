/**
 * Finds the texts that editors, awk and database clients give to a shell: `sed '1e …'`, `awk 'BEGIN{system("…")}'`, `vim -c '!…'`.
 * A text that is found with certainty counts like the script of `bash -c`. Otherwise the files that it accesses are unknown.
 */
import {
  maySedRunProgram,
  type ShellRedirection,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import { awkCodeWords, bareCode, hasAwkWord } from './awk-code.ts';
import { literalWord, type Touch, touch, unknownWord } from './files/touch.ts';
import { sedScript } from './program-options.ts';
import { baseName, likelyTails } from './runners.ts';

export interface ShellTexts {
  readonly texts: readonly string[];
  /** There may be others. */
  readonly isUnknown: boolean;
}

/** Returns a known text that a pipe gives to the command, as a here-string. */
export function pipedInput({ pipedText }: SimpleCommand): readonly ShellRedirection[] {
  return pipedText === undefined
    ? []
    : [{ kind: 'here_string', descriptor: undefined, target: literalWord(pipedText) }];
}

/** Returns the redirections of a command, with a known text that a pipe gives to it. */
export function inputsOf(command: SimpleCommand): readonly ShellRedirection[] {
  return [...command.redirections, ...pipedInput(command)];
}

type FindTexts = (args: readonly ShellWord[], input: readonly string[]) => ShellTexts;

const NOTHING: ShellTexts = { texts: [], isUnknown: false };
const UNKNOWN: ShellTexts = { texts: [], isUnknown: true };

/** Returns the texts that a program gives to a shell, also behind runners. */
export function shellTexts(
  words: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): ShellTexts {
  const found = [words, ...likelyTails(words)].flatMap((run) => {
    const program = baseName(run[0]?.value ?? '');
    const find = PROGRAMS.find(([programs]) => programs.test(program))?.[1];
    return find ? [find(run.slice(1), redirections.flatMap(inputText))] : [];
  });
  return {
    texts: found.flatMap(({ texts }) => texts),
    isUnknown: found.some(({ isUnknown }) => isUnknown),
  };
}

/** Returns an access to unknown files, if a program may give a shell a text that was not found. */
export function unknownShellTexts(
  words: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): readonly Touch[] {
  return shellTexts(words, redirections).isUnknown
    ? [touch('read', unknownWord('the files of a text for a shell'), undefined, { knowledge: 'named' })]
    : [];
}

function inputText(redirection: ShellRedirection): readonly string[] {
  if (redirection.kind === 'here_doc') return [redirection.body];
  return redirection.kind === 'here_string' ? [redirection.target.value] : [];
}

/** One command for a line, by its number: `1e date`. */
const SED_RUN = /^(?:\d+|\$)?[ \t]*e[ \t]+([^\n]+)$/;
/** The letter may be a command, or a flag of `s`. A letter may be the delimiter, so that the flags begin elsewhere. */
const SED_MAY_RUN = /(?:^|[;{}\n!,$/\d\s])e|[^\w\s\\]\w*e\w*\s*(?:$|[;}\n])|(?:^|[;{}\n!,\d$/]\s*)s\w/;

function sedTexts(args: readonly ShellWord[]): ShellTexts {
  const script = sedScript(args);
  const [, text] = SED_RUN.exec(script) ?? [];
  if (text !== undefined) return { texts: [text], isUnknown: false };
  return maySedRunProgram(script) && SED_MAY_RUN.test(script) ? UNKNOWN : NOTHING;
}

/** Calls with a text that is written as a whole. A text before the string would be put before it. */
const AWK_CALLS = [
  /\bsystem\s*\(\s*"([^"\\\n]*)"\s*\)/g,
  /(?:^|[{};(\n])\s*"([^"\\\n]*)"\s*\|&?\s*getline\b/g,
  /(?<!\|)\|&?\s*"([^"\\\n]*)"\s*(?=[;}\n]|$)/g,
];
const AWK_RUNS = /\bsystem\b|(?<!\|)\|(?!\|)|@\s*\w/g;

function awkTexts(args: readonly ShellWord[]): ShellTexts {
  const found = awkCodeWords(args).map(({ value }): ShellTexts => {
    const mayRun = hasAwkWord(value, 'system') || /(?<!\|)\|(?!\|)|@/.test(bareCode(value) ?? value);
    // A separator of fields is not code.
    if (!mayRun || value.startsWith('-F') || !/[A-Za-z]/.test(value)) return NOTHING;
    const texts = AWK_CALLS.flatMap((call) => Array.from(value.matchAll(call), ([, text = '']) => text));
    const runs = bareCode(value)?.match(AWK_RUNS) ?? [];
    const isCertain = bareCode(value) !== undefined && runs.length === texts.length;
    return isCertain ? { texts, isUnknown: false } : UNKNOWN;
  });
  return { texts: found.flatMap(({ texts }) => texts), isUnknown: found.some((one) => one.isUnknown) };
}

/** A command of ed and vi that runs a program, with the lines that it gets: `!x`, `r !x`, `1,3!x`. */
const EDITOR_RUN = /^[\s:]*(?:[\d.,$%+-][\d.,$%+\-\s]*)?(?:(?:r(?:ead)?|w(?:rite)?|e|E)\s*)?!(?!!)(.+)$/;

/** Returns the texts in lines for ed. */
function edTexts(_: readonly ShellWord[], input: readonly string[]): ShellTexts {
  return textsInLines(input.flatMap((text) => text.split('\n')));
}

function textsInLines(lines: readonly string[]): ShellTexts {
  const texts = lines.flatMap((line) => EDITOR_RUN.exec(line)?.[1] ?? []);
  const others = lines.filter((line) => !EDITOR_RUN.test(line) && !/^\s*[wq]+!?\s*$/.test(line));
  return { texts, isUnknown: others.some((line) => /!/.test(line)) };
}

/** Commands that neither run a program nor evaluate an expression. */
const PLAIN_VIM =
  /^[\s:]*(?:\d*|\$|[wqx]+a?l?!?|se?t?(?:local)? [\w=+^\- ]+|(?:syntax|filetype) \w+|noh\w*|normal!? [\w$^ ]+|%?s(?![\w\s])(?!.*\\=).+|[%\d,$.]*(?:d|j|>|<|sort)!?)$/;

function vimTexts(args: readonly ShellWord[], input: readonly string[]): ShellTexts {
  const commands = args.flatMap(({ value }, index) => {
    const before = args[index - 1]?.value ?? '';
    if (/^(-[a-zA-Z]*c|--cmd)$/.test(before)) return [value];
    return /^(\+|-c.)/.test(value) ? [value.replace(/^(\+|-c)/, '')] : [];
  });
  const lines = [...commands, ...input.flatMap((text) => text.split('\n'))];
  const others = lines.filter((line) => !EDITOR_RUN.test(line));
  return {
    texts: lines.flatMap((line) => EDITOR_RUN.exec(line)?.[1] ?? []),
    isUnknown: others.some((line) => !PLAIN_VIM.test(line)),
  };
}

/** Commands that begin with `run`, in the words and on the input of a database client. */
const databaseTexts =
  (run: RegExp): FindTexts =>
  (args, input) => ({
    texts: [...args.map(({ value }) => value), ...input].flatMap((text) =>
      text.split('\n').flatMap((line) => run.exec(line)?.[1] ?? []),
    ),
    isUnknown: false,
  });

/** `less +!x`. */
function pagerTexts(args: readonly ShellWord[]): ShellTexts {
  const commands = args.filter(({ value }) => /^\+.*[!|#]/s.test(value));
  const texts = commands.flatMap(({ value }) => /^\++!(?!!)(.+)$/s.exec(value)?.[1] ?? []);
  return { texts, isUnknown: texts.length < commands.length };
}

const PROGRAMS: readonly (readonly [RegExp, FindTexts])[] = [
  [/^g?sed$/, sedTexts],
  [/^[gmn]?awk$/, awkTexts],
  [/^red?$|^ed$/, edTexts],
  [/^(vim?|nvim|ex|rvim|view|gvim|vimdiff)$/, vimTexts],
  [/^(sqlite3?|duckdb)$/, databaseTexts(/^\s*\.(?:sh|she|shel|shell|sy|sys|syst|syste|system)\s+(.+)$/)],
  [/^psql$/, databaseTexts(/^(?:-c)?[^']*\\!\s*(.+)$/)],
  [/^(mysql|mariadb)$/, databaseTexts(/^\s*(?:-e\s*)?(?:system\s|\\!)\s*(.+)$/i)],
  [/^(less|more|most|pg)$/, pagerTexts],
];
