/** Parses the words of `fd`: the commands that it runs, its start folders, and the endings of the files that it selects. */
import type { ShellWord } from '@heddle/tools/shell';
import { argumentsOf, type OptionTable } from './operands.ts';
import { HERE, partOfWord, unknownWord } from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** `-x rm`, `-xrm`, `-Hx rm`, `--exec=rm`. The letters before it may also be an option with a value: `-tx`. */
const RUNS = /^(?:(-(?!-)[^xX]*)[xX]|--exec(?:-batch)?(?:=|$))(.*)$/s;
const VALUED = 'dEteSojcC';
const VALUED_LETTER = new RegExp(`[${VALUED}]`);
const SHOWS_HIDDEN = optionPattern({ letters: 'Hu', valued: VALUED, long: 'hid|unr|ignore-f' });
const FOLLOWS_LINKS = optionPattern({ letters: 'L', valued: VALUED, long: 'fol' });

export interface FdCommands {
  /** Every command that it may run. */
  readonly commands: readonly (readonly ShellWord[])[];
  /** The words outside of its commands. */
  readonly own: readonly ShellWord[];
}

export function commandsInFd(args: readonly ShellWord[]): FdCommands {
  const own: ShellWord[] = [];
  const commands: (readonly ShellWord[])[] = [];
  let ownFrom = 0;
  args.forEach((word, at) => {
    const [isRun, flags = '', attached = ''] = RUNS.exec(word.value) ?? [];
    if (isRun === undefined) {
      if (at >= ownFrom) own.push(word);
      return;
    }
    const found = args.findIndex(({ value }, index) => index > at && value === ';');
    const end = found < 0 ? args.length : found;
    const first = attached === '' ? [] : [partOfWord(word, attached)];
    commands.push([...first, ...args.slice(at + 1, end)]);
    if (at < ownFrom) return;
    if (VALUED_LETTER.test(flags)) own.push(word);
    else {
      if (flags.length > 1) own.push(partOfWord(word, flags));
      ownFrom = end + 1;
    }
  });
  return { commands, own };
}

const OPTIONS: OptionTable = {
  valued: (
    '-d --max-depth --maxdepth --min-depth --exact-depth -E --exclude -t --type -e --extension -S --size --changed-within ' +
    '--change-newer-than --newer --changed-after --changed-before --change-older-than --older -o --owner --format ' +
    '--max-results -j --threads -c --color --batch-size --ignore-file --path-separator --search-path --base-directory -C ' +
    '--and --max-buffer-time'
  ).split(' '),
  letters: 'HIusigFaLlp01qhV',
  long: (
    'hidden no-hidden no-ignore ignore no-ignore-vcs ignore-vcs no-ignore-parent no-require-git require-git ' +
    'no-global-ignore-file unrestricted case-sensitive ignore-case glob regex fixed-strings absolute-path relative-path ' +
    'list-details follow no-follow full-path print0 prune quiet has-results show-errors one-file-system mount xdev ' +
    'strip-cwd-prefix hyperlink help version'
  )
    .split(' ')
    .map((name) => `--${name}`),
};

export interface FdSearch {
  readonly starts: readonly ShellWord[];
  /** It runs in another folder. */
  readonly isElsewhere: boolean;
  readonly isHidden: boolean;
  readonly followsLinks: boolean;
  /** Ends of the selected names, in small letters. Undefined if any name may be selected. */
  readonly endings: readonly string[] | undefined;
}

/** `own` are the words outside of its commands. With a word that is not known, it may find any file. */
export function searchOfFd(own: readonly ShellWord[]): FdSearch {
  const given = argumentsOf(own, OPTIONS);
  const isUncertain =
    given.isUncertain || own.some(({ kind, prefix }) => kind === 'dynamic' && prefix === '');
  const named = [...given.operands.slice(1), ...given.valuesOf('--search-path')];
  const isElsewhere = given.valuesOf('-C', '--base-directory').length > 0;
  const starts = isUncertain ? [HERE, ...given.operands, ...named] : named.length > 0 ? named : [HERE];
  return {
    starts: isElsewhere ? [unknownWord('the folder that it searches')] : starts,
    isElsewhere,
    isHidden: isUncertain || own.some(({ value }) => SHOWS_HIDDEN.test(value)),
    followsLinks: own.some(({ value }) => FOLLOWS_LINKS.test(value)),
    endings: isUncertain ? undefined : endingsOf(given.valuesOf('-e', '--extension')),
  };
}

/** Leading dots are left out, and case is ignored. Other letters than those of ASCII may count as the same letter. */
function endingsOf(extensions: readonly ShellWord[]): readonly string[] | undefined {
  const values = extensions.map(({ value }) => value.replace(/^\.+/, ''));
  const isKnown = extensions.every(({ kind }) => kind === 'literal') && values.every(isPlain);
  return isKnown && values.length > 0 ? values.map((value) => `.${value.toLowerCase()}`) : undefined;
}

function isPlain(value: string): boolean {
  return /^[!-~]+$/.test(value);
}
