/** The options of programs that search folders, so that the pattern and the files among their words are known. */
import type { ShellWord } from '@heddle/tools/shell';
import { type ParsedOperands, takerIn } from './operands.ts';

interface SearchOptions {
  /** Options whose value is the next word or attached to them. */
  readonly valued: readonly string[];
  /** Letters without a value. */
  readonly letters: string;
  /** Long options without a value, or whose value is always attached. */
  readonly long: readonly string[];
}

const list = (text: string): readonly string[] => text.split(' ');

const GREP: SearchOptions = {
  valued: list(
    '-e -f -m -A -B -C -d -D --regexp --file --max-count --after-context --before-context --context --directories --devices ' +
      '--include --exclude --exclude-dir --exclude-from --label --binary-files --group-separator',
  ),
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
    '--text --byte-offset --count --count-matches --crlf --files --files-with-matches --files-without-match --fixed-strings ' +
      '--follow --heading --no-heading --hidden --no-hidden --ignore-case --case-sensitive --smart-case --invert-match --json ' +
      '--line-number --no-line-number --line-regexp --multiline --multiline-dotall --no-filename --with-filename --no-ignore ' +
      '--no-ignore-vcs --no-messages --no-config --null --only-matching --passthru --pcre2 --pretty --quiet --stats --trim ' +
      '--type-list --unrestricted --vimgrep --word-regexp --help --version',
  ),
};

/** Their options with an optional value differ between versions. So only letters without a value are known. */
const OTHERS: SearchOptions = {
  valued: [],
  letters: 'ivwQlLcHhnsSaur',
  long: list('--hidden --follow --ignore-case --literal --count --help --version'),
};

export function searchOptionsOf(program: string): SearchOptions | undefined {
  if (program.endsWith('grep')) return GREP;
  if (program === 'rg') return RIPGREP;
  return program === 'ag' || program === 'ack' ? OTHERS : undefined;
}

/** Returns whether an option may take the next word, so that the pattern and the files are not certain. */
export function hasUnknownOption(args: readonly ShellWord[], known: SearchOptions): boolean {
  const end = args.findIndex(({ value }) => value === '--');
  return (end < 0 ? args : args.slice(0, end)).some(({ value }) => {
    if (!/^-./.test(value) || takerIn(value, known.valued)) return false;
    if (value.startsWith('--'))
      return !value.includes('=') && !known.long.some((option) => option.startsWith(value));
    return Array.from(value.slice(1)).some((letter) => !known.letters.includes(letter));
  });
}

/** Every other value of the option searches folders. */
export function searchesFolders(given: ParsedOperands): boolean {
  return given.valuesOf('-d', '--directories').some(({ value }) => !/^(skip|read)$/.test(value));
}
