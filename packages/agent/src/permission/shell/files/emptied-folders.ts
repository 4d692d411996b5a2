/**
 * Programs that remove or empty a folder that one of their words names, although their purpose is another one: `cargo clean
 * --target-dir x`, `python -m venv --clear x`. The folder counts as removed with everything in it.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { baseName, moduleOfPython } from '../runners.ts';
import { argumentsOf } from './operands.ts';
import { SPECIAL } from './special.ts';
import { literalWord, partOfWord, type Touch, touch } from './touch.ts';

interface Emptying {
  readonly programs: RegExp;
  /** Words that must be among the arguments. */
  readonly beside?: readonly RegExp[];
  readonly unless?: RegExp;
  /** Options whose value is the folder. Case and dashes in long names do not matter, and they can be abbreviated. */
  readonly options?: string;
  /** The operands after the first of `beside` are folders, except the values of these options. */
  readonly operandsBesides?: string;
  /** The program itself expands patterns. */
  readonly expands?: true;
}

const BUILD = [/^build$/];
const CLEAR = [/^--cl/];

const EMPTYING: readonly Emptying[] = [
  {
    programs: /^(rimraf|del|del-cli|trash-cli|trash-put|gvfs-trash|rip|wipe)$/,
    operandsBesides: '--impl --max-retries --retry-delay --backoff --tmp',
    expands: true,
  },
  { programs: /^gio$/, beside: [/^(trash|remove)$/], operandsBesides: '' },
  { programs: /^cargo$/, beside: [/^clean$/], options: '--target-dir' },
  {
    programs: /^cargo$/,
    beside: [/^vendor$/],
    unless: /^--no-delete$/,
    operandsBesides: '--manifest-path -s --sync --config --color -Z --lockfile-path',
  },
  { programs: /^(venv|pyvenv[\d.-]*)$/, beside: CLEAR, operandsBesides: '--prompt' },
  {
    programs: /^virtualenv$/,
    beside: CLEAR,
    operandsBesides:
      '--prompt -p --python --app-data --discovery --creator --seeder --activators --pip --setuptools --wheel',
  },
  { programs: /^cmake$/, beside: [/^(rm|remove|remove_directory)$/, /^-E$/], operandsBesides: '' },
  { programs: /^(pytest|py\.test)$/, options: '--basetemp' },
  { programs: /^jest$/, beside: [/^--?clear-?cache/i], options: '--cache-directory' },
  { programs: /^playwright$/, beside: [/^test$/], options: '--output' },
  { programs: /^vitest$/, options: '--coverage.reports-directory' },
  { programs: /^(nyc|c8)$/, unless: /^--(no-clean|clean=false)$/, options: '-t --temp-dir --temp-directory' },
  {
    programs: /^(vite|astro|docusaurus)$/,
    beside: BUILD,
    unless: /^--(no-emptyOutDir|emptyOutDir=false)$/,
    options: '--out-dir',
  },
  { programs: /^webpack$/, beside: [/^--(output-)?clean$/], options: '-o --output-path' },
  { programs: /^tsup$/, beside: [/^--clean$/], options: '-d --out-dir' },
  { programs: /^(storybook|build-storybook|start-storybook)$/, options: '-o --output-dir' },
  { programs: /^typedoc$/, options: '--out' },
  { programs: /^ng$/, beside: BUILD, options: '--output-path' },
  { programs: /^vue-cli-service$/, beside: BUILD, unless: /^--no-clean$/, options: '--dest' },
  { programs: /^mkdocs$/, beside: BUILD, unless: /^--dirty$/, options: '-d --site-dir' },
  { programs: /^jekyll$/, options: '-d --destination' },
  { programs: /^hugo$/, beside: [/^--cleanDestinationDir/], options: '-d --destination' },
  { programs: /^(sphinx|sphinx-build)$/, beside: [/^clean$/, /^-M/], operandsBesides: '' },
  { programs: /^(conda|mamba|micromamba)$/, beside: [/^(remove|uninstall)$/], options: '-p --prefix' },
];

/** Returns the folders that a command removes, or whose contents it removes. */
export function emptiedFolders([name, ...args]: readonly ShellWord[]): readonly Touch[] {
  if (name === undefined) return [];
  const program = baseName(name.value);
  const removed = EMPTYING.filter((one) => applies(one, program, args)).flatMap((one) =>
    foldersIn(one, args),
  );
  return [
    ...removed.map((word) => touch('remove', word, 'all')),
    ...movedByCmake(program, args),
    ...programsWithin(name, args).flatMap(emptiedFolders),
  ];
}

function applies(
  { programs, beside = [], unless }: Emptying,
  program: string,
  args: readonly ShellWord[],
): boolean {
  if (!programs.test(program)) return false;
  const has = (pattern: RegExp): boolean => args.some(({ value }) => pattern.test(value));
  return beside.every(has) && !(unless && has(unless));
}

/** The program of `python -m venv x`, `uv venv x` or `yarn rimraf x`. */
function programsWithin(program: ShellWord, args: readonly ShellWord[]): readonly (readonly ShellWord[])[] {
  if (!/^(uv|yarn|pnpm|bun)$/.test(baseName(program.value))) return moduleOfPython([program, ...args]);
  const at = args.findIndex(({ value }) => /^[\w@]/.test(value));
  return at < 0 ? [] : [args.slice(at)];
}

function foldersIn(
  { beside: [first] = [], options, operandsBesides, expands }: Emptying,
  args: readonly ShellWord[],
): readonly ShellWord[] {
  const values = options === undefined ? [] : options.split(' ').flatMap((option) => valuesOf(option, args));
  if (operandsBesides === undefined) return values;
  const at = args.findIndex(({ value }) => first?.test(value) === true && !value.startsWith('-'));
  const { operands } = argumentsOf(args.slice(at + 1), operandsBesides.match(/\S+/g) ?? []);
  return expands ? operands.map(asPattern) : operands;
}

function asPattern(word: ShellWord): ShellWord {
  return word.kind === 'literal' && /[*?[]/.test(word.value) ? { ...word, kind: 'pattern' } : word;
}

/** Returns the values of an option: in the next word, after `=`, or attached to a letter. */
function valuesOf(option: string, args: readonly ShellWord[]): readonly ShellWord[] {
  return args.flatMap((word, index): readonly ShellWord[] => {
    const { value } = word;
    const next = args.slice(index + 1, index + 2);
    if (!option.startsWith('--')) {
      if (!/^-(?!-)/.test(value)) return [];
      const at = value.indexOf(option.slice(1));
      if (at < 0) return [];
      return at === value.length - 1 ? next : [partOfWord(word, value.slice(at + 1).replace(/^=/, ''))];
    }
    const [, name, given] = /^--?([A-Za-z][\w.-]*)(?:=(.*))?$/s.exec(value) ?? [];
    if (name === undefined || !isAbbreviation(name, option)) return [];
    return given === undefined ? next : [partOfWord(word, given)];
  });
}

/** The fewest letters of an abbreviated option that count. */
const FEWEST_LETTERS = 3;

function isAbbreviation(name: string, option: string): boolean {
  const [given, whole] = [name, option].map((each) => each.replaceAll('-', '').toLowerCase());
  return given !== undefined && given.length >= FEWEST_LETTERS && whole?.startsWith(given) === true;
}

/** `cmake -E rename a b` moves, and `cmake -E copy_directory a b` copies whole folders. */
function movedByCmake(program: string, [mode, command, ...args]: readonly ShellWord[]): readonly Touch[] {
  if (program !== 'cmake' || mode?.value !== '-E') return [];
  const { operands } = argumentsOf(args);
  if (command?.value === 'rename') return SPECIAL.get('mv')?.([literalWord('-T'), ...operands]) ?? [];
  if (!command?.value.startsWith('copy_directory')) return [];
  const target = operands.at(-1);
  return operands
    .slice(0, -1)
    .flatMap((source) => (target && SPECIAL.get('cp')?.([literalWord('-rT'), source, target])) ?? []);
}
