/**
 * Package managers that put the files of a folder into an archive, or into another folder: `npm pack`, `yarn add ./x`. The names of
 * the files are not in the command.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { HERE, partOfWord, type Touch, touch } from './touch.ts';

interface PackageProgram {
  readonly programs: RegExp;
  /** The command that packs the working folder, and the folders in its words. Undefined: every command does. */
  readonly packs?: RegExp;
  /** The command that packs only the folders in its words. */
  readonly packsNamed?: RegExp;
  /** A command follows these words. */
  readonly passed?: RegExp;
  /** A name follows these words, and then a command. */
  readonly passedWithName?: RegExp;
}

/** npm accepts the beginnings of its commands. */
const NPM_PACKS = /^(pa(c(k)?)?|pu(b(l(i(s(h)?)?)?)?)?|dif?f?)$/;
const NPM_INSTALLS = /^(i|in|ins|inst|insta|instal|install|isnt\w*|add?|it|sit|cit|install-?\w*|ca(che?)?)$/i;

const PROGRAMS: readonly PackageProgram[] = [
  { programs: /^npm$/, packs: NPM_PACKS, packsNamed: NPM_INSTALLS, passed: /^sta(ge?)?$/ },
  {
    programs: /^(c?np|p)npm$/,
    packs: /^(pack|publish|deploy)$/,
    packsNamed: /^(i|install|add|up|update|upgrade|dlx|it|install-test)$/,
    passed: /^(recursive|multi|m|stage)$/,
  },
  {
    programs: /^yarn(pkg)?$/,
    packs: /^(pack|publish)$/,
    packsNamed: /^(add|install|dlx|global|up|upgrade)$/,
    passed: /^(npm|workspaces|foreach)$/,
    passedWithName: /^(workspace|--(from|include|exclude|jobs|since)|-j)$/,
  },
  {
    programs: /^bun$/,
    packs: /^(pack|publish)$/,
    packsNamed: /^(add|a|i|install|update)$/,
    passed: /^pm$/,
  },
  { programs: /^cargo$/, packs: /^(package|publish)$/ },
  { programs: /^(uv|poetry|pdm|hatch|flit|maturin|python-build)$/, packs: /^(build|publish|sdist)$/ },
  // The first two are modules of Python.
  { programs: /^(build|zipapp|pyproject-build|shiv|pex|vsce|ovsx)$/ },
  { programs: /^deno$/, packs: /^(publish|compile)$/ },
  { programs: /^gem$/, packs: /^(build|push)$/ },
  { programs: /^composer$/, packs: /^arch[a-z]*$/ },
  { programs: /^dotnet$/, packs: /^(pack|publish)$/ },
  { programs: /^mix$/, packs: /^hex\.(build|publish)$/ },
  { programs: /^(lerna|nx|changeset)$/, packs: /^(publish|release)$/ },
  { programs: /^helm$/, packs: /^package$/ },
];

/** They run a package manager that a word names: `corepack npm pack`, `node /usr/bin/npm pack`. */
const STARTS_MANAGER = /^(corepack|node|nodejs)$/;

/** Returns the files that a package manager copies. It follows no links, and leaves out what git stores. */
export function packedPackages(program: string, args: readonly ShellWord[]): readonly Touch[] {
  const at = STARTS_MANAGER.test(program) ? args.findIndex(({ value }) => !value.startsWith('-')) : -1;
  const started = args[at];
  if (started) return packedPackages(nameOf(started.value), args.slice(at + 1));
  const name = nameOf(program);
  const known = PROGRAMS.find(({ programs }) => programs.test(name));
  if (known === undefined) return [];
  const { packs, packsNamed } = known;
  const commands = packs === undefined ? [] : possibleCommands(args, known);
  // An unknown word may be any command.
  const isPacked =
    packs === undefined ||
    commands.some(({ kind, value }) => kind === 'dynamic' || kind === 'pattern' || packs.test(value));
  const isInstalled = commands.some(({ value }) => packsNamed?.test(value) === true);
  if ((!isPacked && !isInstalled) || onlyLists(args)) return [];
  const named = args.flatMap(foldersIn);
  const isOther = args.some(({ value }) => /^--?install-links/.test(value));
  return [...named, ...(isPacked || isOther ? [HERE] : [])].map((word) =>
    touch('read', word, 'all', { staysInTree: true, skipsGit: true }),
  );
}

/** Returns the name of a program without its folder, its version, and the ends of a script. */
function nameOf(program: string): string {
  return program.replace(/^.*\//s, '').replace(/(?<=.)@.*$|(-cli)?\.[cm]?js$/s, '');
}

/** Returns the first word that is certainly not the value of an option, and all words before it that may be the command. */
function possibleCommands(
  args: readonly ShellWord[],
  { passed, passedWithName }: PackageProgram,
): readonly ShellWord[] {
  const commands: ShellWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at];
    const { value = '' } = word ?? {};
    if (word === undefined || passed?.test(value) === true || value.startsWith('+')) continue;
    if (passedWithName?.test(value) === true) {
      at++;
      continue;
    }
    if (word.kind === 'literal' && value.startsWith('-')) continue;
    commands.push(word);
    const { value: before = '' } = args[at - 1] ?? {};
    if (!before.startsWith('-') || before.includes('=')) break;
  }
  return commands;
}

/** With this option, they print names. It is a value if it follows an option. */
function onlyLists(args: readonly ShellWord[]): boolean {
  const dry = args.filter(({ value }) => value.includes('dry'));
  return (
    dry.length > 0 &&
    dry.every(({ kind, value }) => kind === 'literal' && value === '--dry-run') &&
    dry.every((word) => args[args.indexOf(word) - 1]?.value.startsWith('-') !== true)
  );
}

/** Returns what may be a folder in a word: `../x`, `file:../x`, `name@file:../x`, `--diff=../x`, `-C../x`. */
function foldersIn(word: ShellWord): readonly ShellWord[] {
  const { kind, value } = word;
  // An unknown name, without a path before it, is that of a package.
  if (kind === 'dynamic') return /^$|^[./~]|^-C|=$|file:/.test(word.prefix) ? [word] : [];
  const [, attached] = /^(?:--?[\w-]+=|-[A-Za-z])(.+)$/s.exec(value) ?? [];
  const text = attached ?? (value.startsWith('-') ? '' : value);
  const [, address] = /(?:file|link|portal|workspace):(?:\/\/(?=\/))?(.+)$/is.exec(text) ?? [];
  return [text, address ?? ''].filter((part) => part !== '').map((part) => partOfWord(word, part));
}
