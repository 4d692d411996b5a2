/**
 * Reads the options of shells: where the script of `bash -c …`, `sh file` or `zsh -s` is. Each shell has its own grammar. A word
 * that the grammar does not cover completely makes the script unknown.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { isFedIn } from './interpreters.ts';

/** The origin of the script that a shell runs. */
export type ShellUse =
  /** The text in a word: `-c`. */
  | { readonly kind: 'code'; readonly word: ShellWord }
  | { readonly kind: 'file'; readonly word: ShellWord }
  | { readonly kind: 'input' }
  /** It only prints its version or help, or ends with an error. */
  | { readonly kind: 'nothing' }
  /** Some words are known only when it runs, or more words follow. */
  | { readonly kind: 'unknown' }
  /** All words are known, and the grammar does not cover them. */
  | { readonly kind: 'not understood' };

interface ShellGrammar {
  /** Letters of options without a value, besides `c` and `s`. */
  readonly letters: string;
  /** Whether the name for `o` is the rest of its word: `-oerrexit`. Otherwise it is the next word, and the rest are letters. */
  readonly attachesNames: boolean;
  /** `bash -O extglob`: the next word. */
  readonly hasShopt?: boolean;
  /** Long options without a value. */
  readonly long: RegExp;
  /** Long options with a value in the next word. */
  readonly longWithValue?: RegExp;
  /** Long options count only before all others. */
  readonly isLongFirst?: boolean;
  /** Every other long option ends the shell with an error. */
  readonly rejectsLong?: boolean;
}

const BASH: ShellGrammar = {
  letters: 'abefhiklmnprtuvxBCDEHPT',
  attachesNames: false,
  hasShopt: true,
  long: /^--?(debug|debugger|login|noediting|noprofile|norc|posix|restricted|verbose)$/,
  longWithValue: /^--?(rcfile|init-file)$/,
  isLongFirst: true,
};
const DASH: ShellGrammar = {
  letters: 'abefilmnuvxCEIV',
  attachesNames: false,
  long: /^$/,
  rejectsLong: true,
};
const BUSYBOX: ShellGrammar = { letters: 'abefilmnuvxCEIV', attachesNames: false, long: /^--[a-z-]+$/ };
const ZSH: ShellGrammar = {
  letters: 'adefghiklmnpruvwxyCEFGIX',
  attachesNames: true,
  long: /^--login$/,
  longWithValue: /^--emulate$/,
};
const KSH: ShellGrammar = { letters: 'abefhiklmnpruvxBCEGH', attachesNames: true, long: /^--login$/ };
const MKSH: ShellGrammar = {
  letters: 'abefhiklmnpruvxCUX',
  attachesNames: true,
  long: /^$/,
  rejectsLong: true,
};
const YASH: ShellGrammar = { letters: 'abefhilmnuvxC', attachesNames: true, long: /^--login$/ };

/** The name may mean each of the shells. `sh` is another one on each system. */
const SHELLS: ReadonlyMap<string, readonly ShellGrammar[]> = new Map<string, readonly ShellGrammar[]>([
  ['bash', [BASH]],
  ['rbash', [BASH]],
  ['dash', [DASH]],
  ['ash', [DASH, BUSYBOX]],
  ['zsh', [ZSH]],
  ['rzsh', [ZSH]],
  ['ksh', [KSH, MKSH]],
  ['rksh', [KSH, MKSH]],
  ...['mksh', 'oksh', 'lksh', 'pdksh', 'posh'].map((name) => [name, [MKSH]] as const),
  ['yash', [YASH]],
  ['sh', [BASH, DASH, BUSYBOX, ZSH, KSH, MKSH, YASH]],
]);

/** Names may end with a version: `bash5`, `ksh93`, `zsh-5.9`. */
const VERSION = /(-static)?(-?\d[\d.]*)?$/;

export function isShell(base: string): boolean {
  return SHELLS.has(base.replace(VERSION, ''));
}

/** `base` is the name of the shell without its folder. */
export function readShellUse(base: string, args: readonly ShellWord[]): ShellUse {
  const [first, ...more] = args;
  if (first && more.length === 0 && /^--(version|help)$/.test(first.value)) return { kind: 'nothing' };
  const uses = (SHELLS.get(base.replace(VERSION, '')) ?? []).map((grammar) => readWith(grammar, args));
  const working = uses.filter(({ kind }) => kind !== 'nothing');
  const [use = uses[0] ?? NOT_UNDERSTOOD] = working;
  const isSame = (other: ShellUse): boolean =>
    other.kind === use.kind && ('word' in other ? 'word' in use && other.word === use.word : true);
  return working.every(isSame) ? use : NOT_UNDERSTOOD;
}

const NOT_UNDERSTOOD: ShellUse = { kind: 'not understood' };

function readWith(grammar: ShellGrammar, args: readonly ShellWord[]): ShellUse {
  const given = { isCode: false, isInput: false };
  let at = 0;
  let mayBeLong = true;
  while (at < args.length) {
    const { value } = args[at] ?? { value: '' };
    if (!isWritten(args[at]) || !/^[-+]/.test(value)) break;
    at++;
    if (value === '-' || value === '--') break;
    if (mayBeLong && grammar.long.test(value)) continue;
    if (mayBeLong && grammar.longWithValue?.test(value)) {
      const given = args[at++];
      if (given === undefined || isFedIn(given)) return { kind: 'unknown' };
      continue;
    }
    if (value.startsWith('--')) return grammar.rejectsLong ? { kind: 'nothing' } : NOT_UNDERSTOOD;
    mayBeLong = grammar.isLongFirst !== true;
    const count = readLetters(grammar, value, args.slice(at), given);
    if (typeof count !== 'number') return count;
    at += count;
  }
  const operand = args[at];
  const { isCode, isInput } = given;
  // Some shells run both.
  if (isCode && isInput) return NOT_UNDERSTOOD;
  if (isCode) return operand ? { kind: 'code', word: operand } : { kind: 'unknown' };
  if (operand !== undefined && !isWritten(operand)) return { kind: 'unknown' };
  if (isInput || operand === undefined || isFedIn(operand)) return { kind: 'input' };
  return { kind: 'file', word: operand };
}

/** Returns how many of the next words are values of the letters. */
function readLetters(
  { letters, attachesNames, hasShopt }: ShellGrammar,
  word: string,
  next: readonly ShellWord[],
  given: { isCode: boolean; isInput: boolean },
): number | ShellUse {
  let count = 0;
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    if (letter === 'c' || letter === 's') {
      // Shells differ in what `+c` means.
      if (word.startsWith('+')) return NOT_UNDERSTOOD;
      given.isCode ||= letter === 'c';
      given.isInput ||= letter === 's';
    } else if (letter === 'o' || (letter === 'O' && hasShopt)) {
      const isAttached = attachesNames && at + 1 < word.length;
      const name = isAttached ? undefined : next[count++];
      if (name && !isWritten(name)) return { kind: 'unknown' };
      const text = isAttached ? word.slice(at + 1) : (name?.value ?? '');
      if (!(letter === 'O' ? SHOPT_NAME : OPTION_NAME).test(text)) return NOT_UNDERSTOOD;
      if (isAttached) break;
    } else if (!letters.includes(letter)) return NOT_UNDERSTOOD;
  }
  return count;
}

/** Names after `-o`. Others may choose where the script is: `-o stdin`. */
const OPTION_NAME =
  /^(no_?)?(all_?export|brace_?expand|emacs|err_?exit|err_?return|err_?trace|extended_?glob|func_?trace|functrace|glob|glob_?dots|glob_?star|hash_?all|hist_?expand|history|ignore_?eof|interactive[-_]?comments|keyword|ksh_?arrays|ksh_?glob|log|match|monitor|clobber|exec|null_?glob|notify|unset|one_?cmd|physical|pipe_?fail|posix|privileged|rcs|global_?rcs|sh_?word_?split|verbose|vi|x_?trace)$/;
const SHOPT_NAME = /^[a-z]\w*$/;

function isWritten(word: ShellWord | undefined): boolean {
  return word?.kind === 'literal' || word?.kind === 'tilde';
}
