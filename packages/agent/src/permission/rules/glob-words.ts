/**
 * A glob among the words of a command: `git pus?`. The files that it finds may change before the command runs, so a deny or ask
 * rule about a word that it may become also concerns the command.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { LETTER_SET, mayMatchBoth, wildcardMatcher } from './wildcard.ts';

export interface GlobWord {
  /** Returns whether a file of this name would be found. */
  mayBe(name: string): boolean;
  /** Returns whether a file would be found whose name begins with this text. */
  mayBegin(text: string): boolean;
  /** The glob with a star for each wildcard. */
  readonly stars: string;
}

/** Caches results, because each rule is compared with the same words. */
const known = new WeakMap<ShellWord, GlobWord>();

/** Returns undefined for a word without a glob. */
export function globWord(word: ShellWord): GlobWord | undefined {
  if (word.kind !== 'pattern') return undefined;
  const found = known.get(word) ?? readGlob(word.value);
  known.set(word, found);
  return found;
}

/** Pnpm compares the names of scripts with such a regular expression. */
const EXPRESSION = /^\/(?:[^/]|(?<=\\)\/)+\/[a-z]*$/;

/** Returns the scripts that a word of a package manager may name. Undefined if it names at most one. */
export function scriptsByPattern(
  program: string,
  { value }: ShellWord,
  before: ShellWord | undefined,
): GlobWord | undefined {
  if (/^(?:-F|--filter)$/.test(before?.value ?? '')) return undefined;
  // A regular expression from the model is not evaluated.
  if (program === 'pnpm' && EXPRESSION.test(value))
    return { mayBe: () => true, mayBegin: () => true, stars: '*' };
  if (program !== 'bun' || !value.includes('*')) return undefined;
  return {
    mayBe: wildcardMatcher(value),
    mayBegin: (text) => mayMatchBoth(value, `${text.replaceAll('*', '')}*`),
    stars: value,
  };
}

const PIECE = new RegExp(`${LETTER_SET}|[^]`, 'g');
const SET = new RegExp(`^${LETTER_SET}$`);

function readGlob(value: string): GlobWord {
  const pieces = value.match(PIECE) ?? [];
  const sources = pieces.map(sourceOf);
  const whole = new RegExp(`^${sources.map(({ exact }) => exact).join('')}$`, 'isu');
  const stars = sources.map(({ loose }) => loose).join('');
  const [prefix = ''] = /^[^*]*/.exec(stars) ?? [];
  const isHidden = (name: string): boolean => name.startsWith('.') && !prefix.startsWith('.');
  return {
    mayBe: (name) => !isHidden(name) && whole.test(name),
    stars,
    mayBegin: (text) => !isHidden(text) && mayMatchBoth(stars, `${text.replaceAll('*', '')}*`),
  };
}

/** Returns a piece as a regular expression, and as a pattern that has only stars. */
function sourceOf(piece: string): { readonly exact: string; readonly loose: string } {
  if (piece === '?') return { exact: '.', loose: '*' };
  // In a list of names with other characters, such as `[]a]` or `@(a|b)`, anything may match.
  if (/^[*[\]()|!@+\\]$/.test(piece)) return { exact: '.*', loose: '*' };
  if (!SET.test(piece)) return { exact: piece.replace(/[\\^$.{}/]/, String.raw`\$&`), loose: piece };
  return { exact: '.', loose: '*' };
}
