/**
 * Explains why a rule with a wildcard does not cover an unproven command: some of its words, or a program on its input,
 * are unknown until it runs. They may be a place outside the working directories, or an option.
 */
import {
  type Construct,
  isHarmlessProgram,
  type ShellRedirection,
  type ShellWord,
  type SimpleCommand,
} from '@heddle/tools/shell';
import { readsWith } from './files/certain-words.ts';
import { filesOf, touchesFiles } from './files/files-of.ts';
import { gitArguments } from './files/git-arguments.ts';
import { isTalker } from './files/named-places.ts';
import { literalWord } from './files/touch.ts';
import { isFedIn, runsFiles, takesCode } from './interpreters.ts';
import { mayBecomeOption } from './globbed-options.ts';
import { isMake, makefilesOf } from './make-words.ts';
import { isFlag, isMessage } from './files/message-options.ts';
import { namesFoundBy, possibleValues, type WordScope } from './possible-values.ts';
import { baseName, fedCommands, isRunner, likelyTails, PIPED, type Unwrapped, withPiped } from './runners.ts';
import { findEmbeddedScripts } from './scripts.ts';
import { pipedInput } from './shell-texts.ts';
import { SOME_NUMBER } from './shell-state.ts';
import { startsShell } from './unknown-code.ts';
import { optionPattern } from './short-options.ts';

export function doubtAboutWords(
  command: SimpleCommand,
  last: Unwrapped,
  scope: WordScope,
): string | undefined {
  const { redirections, inside } = command;
  const words = withPiped(last);
  const [name, ...args] = words;
  if (name === undefined) return undefined;
  const program = baseName(name.value);
  const isText = isTalker(program);
  // Its words are not files. But they choose processes, and `-1` means every process.
  if (isText && program !== 'kill') return undefined;
  const unknown = args.find((word, index) => !isKnown(word, index, words, scope));
  if (unknown === PIPED) return 'Some of its words come through a pipe.';
  if (unknown) return `The value of ${unknown.text} is known only when it runs.`;
  if (isText) return undefined;
  for (const fed of fedCommands(words)) {
    const doubt = isHarmlessProgram(fed.words[0]?.value ?? '')
      ? undefined
      : doubtAboutWords(command, fed, scope);
    if (doubt !== undefined) return doubt;
  }
  const inputs = programInputs(words, redirections);
  const unknownInput = inputs.find((word) => !isKnownInput(word, scope));
  if (unknownInput) return `The value of ${unknownInput.text} is known only when it runs.`;
  const isFed = redirections.some(({ kind }) => kind === 'here_doc' || kind === 'here_string');
  const tails = isRunner(program) ? likelyTails(words) : [];
  const isPrinted =
    !last.more &&
    (tails.length > 0 ? tails : [words]).some((run) => programInputs(run, pipedInput(command)).length > 0);
  if (
    (isFed && !takesData(program, args, redirections)) ||
    isPrinted ||
    (inputs.length > 0 && TAKES_COMMANDS.test(program))
  )
    return `${program} may run the text that it is given on its input.`;
  if (runsFiles(program) && inputs.length === 0 && namesInput(program, args))
    return `${program} may run the text that it is given on its input.`;
  const isPiped = isFed || inside.includes('pipeline');
  if (isPiped && (findEmbeddedScripts(command, words).isUnknown || startsShell(words)))
    return `${program} may run the text that it is given on its input.`;
  return isPiped || inside.some((construct) => FEEDS.has(construct))
    ? codeOnInput(program, args, isPiped)
    : undefined;
}

/** A compound command may give its input to the commands in it. */
const FEEDS: ReadonlySet<Construct> = new Set<Construct>([
  'group',
  'subshell',
  'loop',
  'if',
  'case',
  'coproc',
  'function',
]);

/** Standard input or another descriptor as a script: `make -f -`, `python3 /dev/fd/3`. */
const NAMED_INPUT = /^(?:-f|--(?:make)?file=)?(?:-|\/dev\/(?:stdin|fd\/\d+|tty)|\/proc\/[^/]+\/fd\/\d+)$/;

function namesInput(program: string, args: readonly ShellWord[]): boolean {
  const named = isMake(program) ? [...args, ...makefilesOf(args)] : args;
  return named.some(({ value }) => NAMED_INPUT.test(value));
}

/** They read commands or names of files from their input. */
const READ_COMMANDS = /^(ed|ex|vim?|nvim|view|gvim|cpio|pax|sftp)$/;

/** They run each line of their input, also lines that change files or run programs. */
const TAKES_COMMANDS = /^(ed|red|ex|vim?|nvim|view|gvim|sftp|ftp|lftp|ncftp|smbclient|tftp)$/;

/**
 * Returns the texts and files that redirections give to a program on any descriptor. It may run them, so their places count like
 * those of its words. Programs that treat their input as data have none.
 */
export function programInputs(
  [name, ...args]: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): readonly ShellWord[] {
  const program = baseName(name?.value ?? '');
  const isData = touchesFiles(program) && !READ_COMMANDS.test(program);
  if (isTalker(program) || isData || takesData(program, args, redirections)) return [];
  return redirections.flatMap((redirection) => {
    if (redirection.kind === 'here_doc') return [literalWord(redirection.body)];
    if (redirection.kind === 'here_string') return [redirection.target];
    if (redirection.kind === 'file')
      return redirection.operator === '<' || redirection.operator === '<>' ? [redirection.target] : [];
    return redirection.operator === '<&' && !/^(\d+-?|-)$/.test(redirection.target.value)
      ? [redirection.target]
      : [];
  });
}

function isKnownInput(word: ShellWord, scope: WordScope): boolean {
  if (word.kind === 'literal' || word.kind === 'tilde') return true;
  return possibleValues(word, scope)?.every(({ isGlob }) => !isGlob) === true;
}

function isKnown(word: ShellWord, index: number, words: readonly ShellWord[], scope: WordScope): boolean {
  if (word.kind === 'literal') return true;
  const values = possibleValues(word, scope);
  if (values)
    return values.every(({ text, isGlob }) =>
      isGlob
        ? namesFoundBy(text, scope) !== undefined && !mayBecomeOption(text, word, words, scope)
        : !climbsBehindNumber(text),
    );
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  if (isMessage(program, args, index)) return true;
  if (word.single && /^https?:\/\/[\w.-]+(:\d+)?\//.test(word.prefix)) return true;
  if (program === 'git' && isAfterVerb(args, index)) return !mayTakeFile(args, index);
  return isCertainlyRead(word, words);
}

function climbsBehindNumber(text: string): boolean {
  const at = text.indexOf(SOME_NUMBER);
  return at >= 0 && text.includes('..', at);
}

/** Git commands whose words stay in the repository. Options that write or run programs are checked elsewhere. */
const IN_REPOSITORY =
  /^(add|stage|status|ls-files|blame|check-ignore|commit|branch|tag|switch|log|show|diff|stash|describe|rev-parse|rev-list|shortlog|merge-base)$/;

function isAfterVerb(args: readonly ShellWord[], index: number): boolean {
  const { command, rest } = gitArguments(args);
  const verb = IN_REPOSITORY.test(command) ? args.length - rest.length - 1 : -1;
  const isFirst = args
    .slice(0, verb)
    .every(({ kind, value }) => kind === 'literal' && value.startsWith('--'));
  return verb >= 0 && index > verb && isFirst;
}

/** Options with a value that names no file. */
const PLAIN_VALUE = /^--(?:date|trailer|fixup|squash|cleanup)=/;

/**
 * Returns whether a word of `git commit` or `git tag` may be an option that stores the text of any file, or the value of
 * one: `git commit $(cat x)` becomes `git commit -F /x`.
 */
function mayTakeFile(args: readonly ShellWord[], index: number): boolean {
  const isFlagBefore = (at: number): boolean => {
    const { kind, value, begins } = args[at - 1] ?? literalWord('');
    return !begins.startsWith('-') || (kind === 'literal' && (isFlag('git', value) || value === '-d'));
  };
  if (!args.slice(0, index).some(({ value }) => /^(commit|tag)$/.test(value))) return false;
  const end = args.findIndex(({ value }) => value === '--');
  // Otherwise it is the value of an option: `git commit -m -- $x`.
  if (end >= 0 && end < index && isFlagBefore(end)) return false;
  const { single, begins } = args[index] ?? PIPED;
  return !single || !(PLAIN_VALUE.test(begins) || (/^[^-]/.test(begins) && isFlagBefore(index)));
}

/** Returns whether the word is exactly one word, and not an option. */
function isCertainlyRead(word: ShellWord, words: readonly ShellWord[]): boolean {
  const dashes = words.findIndex(({ value }) => value === '--');
  const isOperand = /^[^-]/.test(word.begins) || (dashes >= 0 && dashes < words.indexOf(word));
  if (!word.single || !isOperand) return false;
  if (!readsWith(words, { environment: {} })(word)) return false;
  const touches = filesOf(words).filter((touch) => touch.word.text === word.text);
  return (
    touches.length > 0 && touches.every(({ kind, knowledge }) => kind === 'read' && knowledge === undefined)
  );
}

/** They treat their input as data. */
const DATA =
  /^(cat|tee|wc|sort|uniq|head|tail|cut|tr|rev|nl|tac|fold|fmt|column|grep|egrep|fgrep|rg|jq|yq|base64|base32|xxd|od|hexdump|[a-z0-9]+sum|gzip|bzip2|xz|zstd|openssl|diff|cmp|mail|sendmail|xclip|xsel|pbcopy|wl-copy|gh|glab|kubectl|cargo|prettier|read)$/;
const GIT_DATA =
  /^(commit|tag|notes|hash-object|interpret-trailers|check-ignore|check-attr|cat-file|stripspace|mktree|add)$/;

const CURL_SETTINGS = optionPattern({ letters: 'K', valued: 'AbcCdDeEFHmoPQrtTuUwxXyYz', long: 'conf' });

function takesData(
  program: string,
  args: readonly ShellWord[],
  redirections: readonly ShellRedirection[],
): boolean {
  if (DATA.test(program)) return true;
  if (program === 'git') return GIT_DATA.test(gitArguments(args).command);
  // The input can also contain options of curl.
  if (program === 'curl') return !args.some(({ value }) => CURL_SETTINGS.test(value));
  // A script file decides how the input is used.
  return runsFiles(program) && !isMake(program) && takesCode(program)?.(args, redirections) === false;
}

/** Another command writes the program: `printf … | make -f -`. */
export function codeOnInput(
  program: string,
  args: readonly ShellWord[],
  isPiped: boolean,
): string | undefined {
  if (!runsFiles(program)) return undefined;
  const reason = `${program} may run the text that it is given on its input.`;
  if (isPiped && [...args, ...(isMake(program) ? makefilesOf(args) : [])].some(isFedIn)) return reason;
  return !isMake(program) &&
    args.every(({ value }) => /^--?\w*$/.test(value) && !/^-[a-zA-Z]*[cemprv]|^--\w/.test(value))
    ? reason
    : undefined;
}
