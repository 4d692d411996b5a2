/** Options whose value is a message or data: it names no place and is not run. */
import type { ShellWord } from '@heddle/tools/shell';
import { gitArguments } from './git-arguments.ts';

interface MessageOptions {
  readonly program: RegExp;
  /** The commands of the program that have these options. Without it, every command has them. */
  readonly command?: RegExp;
  /** They always take a value. An option with the same name may be a flag elsewhere: `git diff --text`, `hg log -m`. */
  readonly options: RegExp;
}

const MESSAGES: readonly MessageOptions[] = [
  { program: /^git$/, command: /^(commit|tag|merge|notes|stash)$/, options: /^(-m|--message)$/ },
  { program: /^git$/, command: /^commit$/, options: /^(-am|--author)$/ },
  { program: /^git$/, command: /^(log|show|rev-list|whatchanged)$/, options: /^(-[SG]|--grep|--author)$/ },
  { program: /^git$/, command: /^shortlog$/, options: /^(--grep|--author)$/ },
  { program: /^git$/, command: /^diff$/, options: /^-[SG]$/ },
  { program: /^hg$/, command: /^(commit|ci|tag|backout|import)$/, options: /^(-m|--message)$/ },
  { program: /^(jj|svn)$/, options: /^(-m|--message)$/ },
  {
    program: /^(gh|glab|tea|bd)$/,
    options: /^(-t|--(title|body|description|notes|subject|reason|label|author|message))$/,
  },
  { program: /^(glab|tea|bd)$/, options: /^-m$/ },
  { program: /^gh$/, command: /^(close|reopen)$/, options: /^--comment$/ },
  { program: /^gh$/, options: /^(-[bHX]|--(header|json))$/ },
  { program: /^pytest$/, options: /^-[mk]$/ },
  { program: /^alembic$/, options: /^(-m|--message)$/ },
  { program: /^(docker|podman|nerdctl)$/, options: /^--(label|message|author)$/ },
  { program: /^([ef]?grep|diff)$/, options: /^--label$/ },
  {
    program: /^curl$/,
    options: /^(-[HdXu]|--(header|data(-raw|-binary|-urlencode)?|json|user|request))$/,
  },
  { program: /^wget$/, options: /^--(header|user)$/ },
  { program: /^grpcurl$/, options: /^-[Hd]$/ },
  { program: /^hurl$/, options: /^(-[Hu]|--(header|user))$/ },
];

const FLAGS: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^git$/,
    /^(-[aefilnpqsv]+|-\d+|--(all|amend|edit|no-edit|verify|no-verify|signoff|allow-empty(-message)?|quiet|verbose|dry-run|patch|reset-author|(no-)?gpg-sign|no-ff|annotate|force|sign|keep-index|include-untracked|staged|oneline|stat|graph|no-merges|reverse|name-only|name-status|extended-regexp|regexp-ignore-case))$/,
  ],
  [
    /^(gh|glab)$/,
    /^--(draft|fill|fill-first|fill-verbose|web|dry-run|editor|prerelease|generate-notes|squash|auto|delete-branch|admin|approve|request-changes|public|private|internal|paginate|silent|include|yes)$/,
  ],
  [
    /^curl$/,
    /^(-[#0-9aBfGgIiJjkLlMNnOpqRSsvZ]+(X[A-Z]+)?|-X[A-Z]+|--(silent|show-error|fail|fail-with-body|location|insecure|include|head|get|verbose|compressed|no-buffer|globoff|http1\.1|http2|ipv4|ipv6|no-progress-meter|progress-bar))$/,
  ],
  [/^pytest$/, /^(-[vqxsl]+|--(lf|ff|nf|sw|last-failed|verbose|quiet|exitfirst))$/],
  [/^(docker|podman|nerdctl)$/, /^(-d|-it?|-ti|--(rm|init|detach|interactive|tty|no-cache))$/],
];

/** Returns whether the word at the index is the value of such an option, or contains one with its value. */
export function isMessage(program: string, args: readonly ShellWord[], index: number): boolean {
  const word = args[index];
  // A word that may become several words is more than the value.
  if (!word?.single) return false;
  const isText =
    isValue(program, args, index, MOST_VALUES) ||
    attachedOptions(word.value).some((option) => takesMessage(program, args, option));
  return isText && !args.slice(0, index).some(({ value }) => value === '--');
}

/** The number of values in a row that are followed back: `-m "$X" -m "$Y"`. */
const MOST_VALUES = 20;

/** Another option must not have the name of this one as its value: `curl -o -H "$X"`. */
function isValue(program: string, args: readonly ShellWord[], index: number, most: number): boolean {
  const option = args[index - 1];
  if (option?.kind !== 'literal' || !takesMessage(program, args, option.value)) return false;
  const before = args[index - 2];
  if (before === undefined) return true;
  const start = before.kind === 'literal' ? before.value : before.begins;
  if (/^[^-]|^--[\w-]+=/.test(start)) return true;
  if (before.kind === 'literal' && isFlag(program, before.value)) return true;
  return before.single && most > 0 && isValue(program, args, index - 2, most - 1);
}

/** Returns whether the option has no value. */
export function isFlag(program: string, value: string): boolean {
  return /^-?$/.test(value) || FLAGS.some(([programs, flags]) => programs.test(program) && flags.test(value));
}

/** The same names in other programs. Such a value is probably a text, but the program may as well use it as a place. */
const PROBABLE =
  /^--(message|title|body|description|notes?|subject|comment|text|reason|summary|msg|prompt|grep|author|label)$/;

/** Returns whether the value is probably not run as a command. */
export function isProbablyMessage(program: string, args: readonly ShellWord[], index: number): boolean {
  const value = args[index]?.value ?? '';
  if (isMessage(program, args, index)) return true;
  if (args[index]?.single !== true) return false;
  return (
    PROBABLE.test(args[index - 1]?.value ?? '') ||
    attachedOptions(value).some((option) => PROBABLE.test(option))
  );
}

function takesMessage(program: string, args: readonly ShellWord[], option: string): boolean {
  const found = MESSAGES.filter((each) => each.program.test(program) && each.options.test(option));
  if (found.length === 0) return false;
  const commands = program === 'git' ? [gitArguments(args).command] : leadingOperands(args);
  return found.some(({ command }) => command === undefined || commands.some((name) => command.test(name)));
}

/** The words before the first option: `gh issue close`. */
function leadingOperands(args: readonly ShellWord[]): readonly string[] {
  const end = args.findIndex(({ kind, value }) => kind !== 'literal' || value.startsWith('-'));
  return args.slice(0, end < 0 ? args.length : Math.min(end, 2)).map(({ value }) => value);
}

/** `--title=text`, and `-m"text of a commit"`. */
function attachedOptions(value: string): readonly string[] {
  const [long] = /^--[^=]+(?==)/.exec(value) ?? [];
  if (long !== undefined) return [long];
  const [short] = /^-a?m(?=\s*\S*\s)/.exec(value) ?? [];
  return short === undefined ? [] : [short];
}
