/** The options of programs that search folders, so that the pattern and the files among their words are known. */
import type { ShellWord } from '@heddle/tools/shell';
import { hasOption, type OptionTable, type ParsedOperands } from './operands.ts';
import type { Touch } from './touch.ts';
import { optionPattern } from '../short-options.ts';

interface SearchOptions extends OptionTable {
  /** Options with which hidden files are searched, or may be. */
  readonly opening: readonly string[];
}

const list = (text: string): readonly string[] => text.split(' ');

const GREP: SearchOptions = {
  valued: list(
    '-e -f -m -A -B -C -d -D --regexp --file --max-count --after-context --before-context --context --directories --devices ' +
      '--include --exclude --exclude-dir --exclude-from --label --binary-files --group-separator',
  ),
  opening: [],
  letters: 'EFGPivwxycLloqsbHhnTZUarRIzuV0123456789',
  long: list(
    '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match ' +
      '--word-regexp --line-regexp --count --color --files-with-matches --files-without-match --only-matching ' +
      '--quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null ' +
      '--null-data --text --recursive --dereference-recursive --line-buffered --binary --no-group-separator --help --version',
  ),
};

const RIPGREP: SearchOptions = {
  valued: list(
    '-e -f -g -t -T -m -A -B -C -d -E -j -M -r --regexp --file --glob --iglob --type --type-not --type-add --type-clear ' +
      '--max-count --after-context --before-context --context --max-depth --maxdepth --encoding --threads --max-columns ' +
      '--replace --color --colors --context-separator --dfa-size-limit --engine --field-context-separator ' +
      '--field-match-separator --generate --hostname-bin --hyperlink-format --ignore-file --max-filesize ' +
      '--path-separator --pre --pre-glob --regex-size-limit --sort --sortr',
  ),
  letters: 'abcFhHiIlLnNopPqsSuUvVwxz0.',
  long: list(
    '--text --no-text --byte-offset --no-byte-offset --count --count-matches --crlf --no-crlf --files --files-with-matches ' +
      '--files-without-match --fixed-strings --no-fixed-strings --follow --no-follow --heading --no-heading --hidden ' +
      '--no-hidden --ignore-case --case-sensitive --smart-case --invert-match --no-invert-match --json --no-json ' +
      '--line-number --no-line-number --line-regexp --multiline --no-multiline --multiline-dotall ' +
      '--no-multiline-dotall --no-filename --with-filename --no-ignore --no-ignore-dot --no-ignore-exclude ' +
      '--no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs --ignore ' +
      '--ignore-dot --ignore-exclude --ignore-files --ignore-global --ignore-messages --ignore-parent --ignore-vcs ' +
      '--no-messages --messages --no-require-git --require-git --no-config --null --null-data --only-matching ' +
      '--passthru --pcre2 --no-pcre2 --pretty --quiet --stats --no-stats --trim --no-trim --type-list --unrestricted ' +
      '--vimgrep --word-regexp --help --version --binary --no-binary --block-buffered --no-block-buffered ' +
      '--line-buffered --no-line-buffered --column --no-column --no-context-separator --debug --trace --no-encoding ' +
      '--glob-case-insensitive --no-glob-case-insensitive --ignore-file-case-insensitive --include-zero ' +
      '--no-include-zero --max-columns-preview --no-max-columns-preview --mmap --no-mmap --no-unicode --unicode ' +
      '--one-file-system --no-one-file-system --no-pre --search-zip --no-search-zip --stop-on-nonmatch --sort-files',
  ),
  // A glob, a type or an exception in a file of ignored names also selects hidden files.
  opening: list(
    '-u -. -t --hidden --unrestricted --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files ' +
      '--no-ignore-global --no-ignore-parent --no-ignore-vcs --type --type-add --type-clear --ignore-file',
  ),
};

/** Their options with an optional value differ between versions. So only letters without a value are known. */
const SILVER_SEARCHER: SearchOptions = {
  valued: [],
  letters: 'ivwQlLcHhnsSaur',
  long: list('--hidden --follow --ignore-case --literal --count --help --version'),
  opening: list('-u --hidden'),
};

export function searchOptionsOf(program: string): SearchOptions | undefined {
  if (program.endsWith('grep')) return GREP;
  if (program === 'rg') return RIPGREP;
  return program === 'ag' || program === 'ack' ? SILVER_SEARCHER : undefined;
}

/** Options that select files by their names. */
const SELECTING: ReadonlySet<string> = new Set(['-t', '--type', '-g', '--glob']);

/** Returns whether a search of folders leaves hidden files out. Files of ignored names may still contain exceptions. */
export function skipsHidden(program: string, given: ParsedOperands): boolean {
  const options = searchOptionsOf(program);
  if (options === undefined || !/^(rg|ag)$/.test(program) || given.isUncertain) return false;
  // If the endings of all selected files are known, hidden files are checked by their ending.
  const isSelection = endingsOf(program, given) !== undefined;
  const isOpening = (option: string): boolean => {
    if (isSelection && SELECTING.has(option)) return false;
    return option.startsWith('--')
      ? options.opening.some((name) => name.startsWith(option.split('=', 1)[0] ?? ''))
      : Array.from(option.slice(1)).some((letter) => options.opening.includes(`-${letter}`));
  };
  return !given.options.some(isOpening) && (isSelection || selectsNothing(given));
}

/** A glob that only excludes selects nothing. */
function selectsNothing(given: ParsedOperands): boolean {
  const globs = given.valuesOf('-g', '--glob', '--iglob');
  return globs.every(({ kind, value }) => kind === 'literal' && /^=?!/.test(value));
}

/** The endings of the names of files with these types of ripgrep. Types with other names are not listed. */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ts: '.ts .tsx .cts .mts',
    typescript: '.ts .tsx .cts .mts',
    js: '.js .jsx .cjs .mjs .vue',
    py: '.py .pyi',
    python: '.py .pyi',
    rust: '.rs',
    go: '.go',
    java: '.java .jsp .jspx .properties',
    kotlin: '.kt .kts',
    swift: '.swift',
    css: '.css .scss',
    html: '.htm .html .ejs',
    md: '.md .markdown .mdown .mdwn .mdx .mkd .mkdn',
    markdown: '.md .markdown .mdown .mdwn .mdx .mkd .mkdn',
    yaml: '.yaml .yml',
    txt: '.txt',
    sql: '.sql .psql',
  }).map(([type, endings]) => [type, endings.split(' ')]),
);

/** `*.ts`, `*.{ts,tsx}`, `src/**\/*.ts`: a name that matches has this ending. */
const ENDING = /^(?:[\w./*-]*\/)?\*(\.\w+|\.\{\w+(?:,\w+)*\})$/;

/**
 * Returns the endings of the names of all files that a search of folders reads. Undefined if it may read others. Files
 * among its operands are read with any name.
 */
export function endingsOf(program: string, given: ParsedOperands): readonly string[] | undefined {
  if (given.isUncertain) return undefined;
  const has = (pattern: RegExp): boolean => given.options.some((option) => pattern.test(option));
  const valuesOf = (...options: readonly string[]): readonly string[] | undefined => {
    const values = given.valuesOf(...options);
    return values.every(({ kind }) => kind === 'literal') ? values.map(({ value }) => value) : undefined;
  };
  if (program === 'rg') {
    // A glob for any case, or a type that the command defines.
    if (has(/^--(iglob|glob-case-insensitive|type-add|type-clear)/)) return undefined;
    const globs = valuesOf('-g', '--glob');
    const types = valuesOf('-t', '--type');
    if (globs === undefined || types === undefined) return undefined;
    return allEndings([
      ...globs.filter((glob) => !glob.startsWith('!')).map(endingsOfGlob),
      ...types.map((type) => TYPES.get(type)),
    ]);
  }
  // With an exclusion before it, grep reads every file that neither option matches.
  if (!program.endsWith('grep') || has(/^--exclude(-from)?$/)) return undefined;
  return allEndings(valuesOf('--include')?.map(endingsOfGlob) ?? []);
}

function endingsOfGlob(glob: string): readonly string[] | undefined {
  const [, ending] = ENDING.exec(glob) ?? [];
  return ending
    ?.replace(/[.{}]/g, '')
    .split(',')
    .map((name) => `.${name}`);
}

function allEndings(found: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  const known = found.filter((endings) => endings !== undefined);
  return known.length === 0 || known.length < found.length ? undefined : known.flat();
}

/** Every other value of the option searches folders. */
export function searchesFolders(given: ParsedOperands): boolean {
  return given.valuesOf('-d', '--directories').some(({ value }) => !/^(skip|read)$/.test(value));
}

/** Returns whether a search shows only lines of text, and whether it leaves out folders with the name `.git`. */
export function gitDataOptions(program: string, given: ParsedOperands): Pick<Touch, 'isText' | 'skipsGit'> {
  const isKnown = /^(?:[ef]?grep|rgrep|rg|ag|ack)$/.test(program) && !given.isUncertain;
  if (!isKnown) return { isText: false };
  const isDecoded = program === 'rg' && hasOption(given, 'E');
  const isText = !isDecoded && !given.options.some((option) => SHOWS_BYTES.test(option));
  const isLiteral = ({ kind }: ShellWord): boolean => kind === 'literal';
  if (program !== 'rg') {
    const excluded = given.valuesOf('--exclude-dir').filter(isLiteral);
    return { isText, skipsGit: excluded.some(({ value }) => /^\.git\/*$/.test(value)) };
  }
  // A later glob can except what an earlier one excludes.
  const globs = given.valuesOf('-g', '--glob', '--iglob');
  const excludes = globs.every((glob) => isLiteral(glob) && glob.value.startsWith('!'));
  return {
    isText,
    skipsGit:
      excludes && globs.some(({ value }) => /^!(?:(?:\*\*\/)?\.git\/?|\*\*\/\.git\/\*\*)$/.test(value)),
  };
}

/** Options that print files that are not text, decode them, or give them to a program: `-a`, `-z`, `--binary-files`, `--pre`. */
const SHOWS_BYTES = optionPattern({
  letters: 'az',
  long: 't(?:e|$)|bin.*-|null-d|se|enc|pre',
});
