/**
 * Reads the words of a program as commands. An unknown program may run any of its words: `rustup run stable rm x`, `gcc
 * -wrapper rm,x`, `unknown --hook="rm x"`. Deny and ask rules are compared with all of them.
 */
import type { ShellAssignment, ShellWord } from '@heddle/tools/shell';
import { canonicalText, type Spelling, writtenText } from '../rules/command-pattern.ts';
import { LETTER_SET } from '../rules/wildcard.ts';
import { touchesFiles } from './files/files-of.ts';
import { isProbablyMessage } from './files/message-options.ts';
import { literalWord } from './files/touch.ts';
import { mayHavePlainForm, plainCommands } from './plain-commands.ts';
import { baseName, isManager, isRunner } from './runners.ts';
import { parseScriptText } from './scripts.ts';

export interface PossibleCommands {
  readonly spellings: readonly Spelling[];
  /** There are more than are checked. */
  readonly isCut: boolean;
}

const NONE: PossibleCommands = { spellings: [], isCut: false };

const TALKERS = /^(echo|printf|true|false|:|test|\[|export|set|unset|read|cd|kill|type|which|sleep)$/;
/** Options whose value is a name or a pattern in every program. */
const NAMES = /^--(query|name|format|pretty|date|include|exclude)$/;
/** The number of names per command that are checked. */
const MOST_NAMES = 1_000;
/** The number of times that one name is checked. */
const MOST_OF_NAME = 64;
/** The number of option values that are parsed as scripts. */
const MOST_VALUES = 40;

export function possibleCommands(words: readonly ShellWord[]): PossibleCommands {
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  if (name === undefined || TALKERS.test(program)) return NONE;
  const given = args.filter((_, index) => !isText(program, args, index));
  const options = optionValues(given);
  const runsAny = mayRunWords(program, args);
  const named = namedIn(runsAny ? given.flatMap(shownTexts) : options);
  const plain = runsAny ? plainWithin(given) : [];
  const values = [...new Set([...options, ...(runsAny ? given.flatMap(plainScripts) : [])])];
  return {
    spellings: [
      ...values.slice(0, MOST_VALUES).flatMap(scriptSpellings),
      ...named.spellings,
      ...plain.slice(0, MOST_OF_NAME).map(spelled),
    ],
    isCut: named.isCut || values.length > MOST_VALUES || plain.length > MOST_OF_NAME,
  };
}

/** An operand can be a script: `unknown "git -C x push"`. */
function plainScripts({ kind, value }: ShellWord): readonly string[] {
  const isScript = kind !== 'dynamic' && /\s/.test(value);
  return isScript && value.split(/[\s'"`();|&]+/).some(mayHavePlainForm) ? [value] : [];
}

function plainWithin(words: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  const starts = words.flatMap(({ value }, at) => (mayHavePlainForm(value) ? [at] : []));
  return starts.slice(0, MOST_OF_NAME + 1).flatMap((at) => plainCommands(words.slice(at)));
}

/** The value of a variable may become a command: `x=rm; unknown $x`. */
export function assignedCommands(assignments: readonly ShellAssignment[]): readonly Spelling[] {
  return namedIn(assignments.flatMap(({ value }) => (value?.kind === 'literal' ? [value.value] : [])))
    .spellings;
}

function isText(program: string, args: readonly ShellWord[], index: number): boolean {
  const [option = ''] = args[index]?.value.split('=', 1) ?? [];
  const before = args[index - 1]?.value ?? '';
  return isProbablyMessage(program, args, index) || NAMES.test(option) || NAMES.test(before);
}

/** Linters, test runners, build tools and clients of services. Their operands are names of files, tests and targets. */
const OPERANDS_ARE_DATA: ReadonlySet<string> = new Set(
  (
    'tsc eslint prettier stylelint biome oxlint jest vitest mocha ava pytest ruff mypy black isort flake8 pylint pyright ' +
    'rubocop rspec rustfmt gofmt golangci-lint shellcheck hadolint make gmake cmake ctest ninja meson gradle gradlew mvn ' +
    'mvnw ant terraform tofu aws gcloud az systemctl service journalctl clang-format protoc curl wget rg jq yq ' +
    'dpkg pkill killall renice useradd usermod groupadd file man'
  ).split(' '),
);
/** Package managers. Names of packages follow these words. A program may follow other words. */
const PACKAGE_MANAGERS =
  /^(apt|apt-get|aptitude|apt-cache|brew|port|dnf|yum|zypper|pacman|apk|snap|flatpak|pip3?|gem|cargo|go|composer|dotnet|nuget|choco|scoop|winget|rustup|deno)$/;
const PACKAGE_WORDS =
  /^(install|add|remove|uninstall|reinstall|purge|update|upgrade|search|show|info|list|ls|fetch|download|build|test|check|clippy|doc|fmt|lint|bench|publish|new|init|clean|vet|get|mod|policy|why|outdated|audit|restore|pack|freeze|tree|component|target|toolchain)$/;

/** Their operands are data, but a command follows one of these words. */
const RUNS_AFTER: readonly (readonly [RegExp, RegExp])[] = [
  [/^cmake$/, /^-E/],
  [/^meson$/, /^devenv$/],
  [/^flatpak$/, /^(build|run|enter)$/],
];

/** Returns whether an unknown program may run one of its words. */
export function mayRunWords(program: string, args: readonly ShellWord[]): boolean {
  if (
    RUNS_AFTER.some(
      ([programs, word]) => programs.test(program) && args.some(({ value }) => word.test(value)),
    )
  )
    return true;
  if (takesOnlyData(program)) return false;
  // Their words are checked one by one elsewhere.
  if (isRunner(program) || isManager(program)) return false;
  const { value: verb = '' } = args.find(({ value }) => !value.startsWith('-')) ?? {};
  if (program === 'gh' || program === 'glab') return /^(alias|extension|codespace|cs)$/.test(verb);
  return !(PACKAGE_MANAGERS.test(program) && PACKAGE_WORDS.test(verb));
}

/** Returns whether the operands of a program are names of files, tests or targets. */
export function takesOnlyData(program: string): boolean {
  return touchesFiles(program) || OPERANDS_ARE_DATA.has(program);
}

const SETS = new RegExp(LETTER_SET, 'g');

function shownTexts({ kind, value, text, becomes }: ShellWord): readonly string[] {
  // The other characters of a set would separate names.
  if (kind === 'pattern') return [value.replace(SETS, '?')];
  if (kind !== 'dynamic') return [value];
  return [text, ...(becomes ?? []).map(({ begins }) => begins)];
}

/** Returns texts that are attached to an option or follow it. */
function optionValues(args: readonly ShellWord[]): string[] {
  return args.flatMap((word, index) => {
    if (word.kind === 'dynamic') return [];
    const [, attached] = /^(?:--?[\w.-]+=|-[A-Za-z]|\w+=)([\s\S]+)$/.exec(word.value) ?? [];
    const isValue = /^-{1,2}[\w-]+$/.test(args[index - 1]?.value ?? '') && !word.value.startsWith('-');
    return (attached === undefined ? [] : [attached]).concat(isValue ? [word.value] : []);
  });
}

/** Returns the commands of a value that is a script: `split --filter='cd x; rm y'`. */
function scriptSpellings(value: string): Spelling[] {
  const commands = /[\s;&|<>'"\\$()`]/.test(value) ? parseScriptText(value) : undefined;
  if (commands === undefined)
    return [...new Set([value, baseName(value)])].map((text) => ({
      canonical: text,
      written: text,
      words: [literalWord(text)],
    }));
  const runs = commands.flatMap(({ name, args }) =>
    name === undefined
      ? []
      : Array.from(new Set([name.value, baseName(name.value)]), (first) => [literalWord(first)].concat(args)),
  );
  return [...runs, ...runs.flatMap(plainCommands)].map(spelled);
}

function spelled(words: readonly ShellWord[]): Spelling {
  return { canonical: canonicalText(words), written: writtenText(words), words };
}

/** A name in a text. All other characters separate names. */
const NAME = /[^\s'"`()<>|;,&=:{}[\]$!\\]+/g;
const PROGRAM = /^[\d.+@~^#-]*[A-Za-z_][\w.+@~^#-]*$/;

function nameWord(name: string): ShellWord {
  const word = literalWord(name);
  return /[*?]/.test(name) ? { ...word, kind: 'pattern' } : word;
}

/**
 * Returns every name in the texts, with the words after it. Each spelling is a slice of one text, because joining each
 * one is slow.
 */
function namedIn(texts: readonly string[]): PossibleCommands {
  const names = texts.flatMap((text) => text.match(NAME) ?? []);
  const whole = names.join(' ');
  const spellings: Spelling[] = [];
  const words = names.map(nameWord);
  const counts = new Map<string, number>();
  const add = (text: string): void => void spellings.push({ canonical: text, written: text });
  let start = 0;
  for (const [index, name] of names.entries()) {
    const end = start + name.length;
    const count = name.startsWith('-') ? 0 : (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (spellings.length > MOST_NAMES || count > MOST_OF_NAME) return { spellings, isCut: true };
    if (PROGRAM.test(baseName(name)) && !name.startsWith('--')) {
      // `-xrm` may be an option with a value.
      const from = /^-[A-Za-z]./.test(name) ? start + 2 : name.startsWith('@') ? start + 1 : start;
      const text = whole.slice(from);
      const first = literalWord(name.slice(from - start));
      spellings.push({
        canonical: text,
        written: text,
        // Few rules are about a name, so the words are needed for few of them.
        get words() {
          return [first].concat(words.slice(index + 1));
        },
      });
      if (name.includes('/')) add(baseName(name) + whole.slice(end));
    }
    start = end + 1;
  }
  return { spellings, isCut: false };
}
