/**
 * Git commands that list or change, depending on their arguments: `branch`, `tag`, `stash`, `remote`, `config`. An option
 * counts only if it cannot be the value of the option before it.
 */
import { type GitReader, HISTORY, showsHistory } from './git-readers.ts';
import { type Arg, isName, onlyAllowed } from './options.ts';

/** The options of a command, and which of them have a value. */
interface Options {
  readonly flags: string;
  /** Letters that may be followed by a number in the same word. */
  readonly numbered?: string;
  readonly longFlags: ReadonlySet<string>;
  /** Options with a value only after `=`. */
  readonly longOptional: ReadonlySet<string>;
  /** Options with a value after `=` or in the next word. */
  readonly longValued: ReadonlySet<string>;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Operands are names to create. Only with `--list` are they patterns. */
const BRANCH: Options = {
  flags: 'arvi',
  longFlags: names('list all remotes verbose ignore-case no-color no-column no-abbrev'),
  longOptional: names('color column abbrev'),
  longValued: names('contains no-contains merged no-merged points-at sort format'),
};
const TAG: Options = {
  flags: 'il',
  numbered: 'n',
  longFlags: names('list ignore-case no-color no-column'),
  longOptional: names('color column'),
  longValued: names('contains no-contains merged no-merged points-at sort format'),
};

type Listing = Pick<GitReader, 'needs'>;

const LISTS: Listing = { needs: {} };

/** Returns the needs of a listing, or undefined if the command is not known to list. */
export function isListing(command: string, given: readonly Arg[]): Listing | undefined {
  const [action, ...rest] = given;
  const yes = (isRead: boolean): Listing | undefined => (isRead ? LISTS : undefined);
  switch (command) {
    case 'branch':
      return yes(onlyLists(given, BRANCH));
    case 'tag':
      return yes(onlyLists(given, TAG));
    case 'stash':
      if (isOne(action, 'list')) return onlyAllowed(rest, HISTORY) ? { needs: showsHistory } : undefined;
      return isOne(action, 'show') && onlyAllowed(rest, HISTORY) ? { needs: { diff: true } } : undefined;
    case 'reflog': {
      const isBare = action === undefined || (action.exact && action.value.startsWith('-'));
      if (!isBare && !isOne(action, 'show')) return undefined;
      // Some versions accept a subcommand after an option.
      const isClear = !given.some(({ value }) => /^(expire|delete|exists|drop|write|list)$/.test(value));
      return isClear && onlyAllowed(isBare ? given : rest, HISTORY) ? { needs: showsHistory } : undefined;
    }
    case 'worktree':
      return yes(
        isOne(action, 'list') &&
          onlyAllowed(rest, { short: 'vz', long: ['porcelain', 'verbose'], operands: 0 }),
      );
    case 'remote':
      // Without `-n`, it asks the other machine.
      if (isOne(action, 'show')) return yes(isOne(rest[0], '-n') && rest.slice(1).every(isName));
      return yes(isOne(action, 'get-url') && onlyAllowed(rest, { long: ['all', 'push'] }));
    case 'notes':
      return yes(isOne(action, 'list') && onlyAllowed(rest, { operands: 1 }));
    case 'var':
      return yes(isOne(action, ...PRINTED_VARIABLES) && rest.length === 0);
    default:
      return undefined;
  }
}

/**
 * For `GIT_AUTHOR_IDENT` and `GIT_COMMITTER_IDENT`, and for `-l`, git makes an address if none is configured. It asks a name server for
 * the name of the machine.
 */
const PRINTED_VARIABLES: readonly string[] = (
  'GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_DEFAULT_BRANCH GIT_SHELL_PATH GIT_ATTR_SYSTEM GIT_ATTR_GLOBAL ' +
  'GIT_CONFIG_SYSTEM GIT_CONFIG_GLOBAL'
).split(' ');

function isOne(action: Arg | undefined, ...known: readonly string[]): boolean {
  return action?.exact === true && known.includes(action.value);
}

/** An operand is a name to create, unless `--list` makes it a pattern. */
function onlyLists(args: readonly Arg[], options: Options): boolean {
  let operands = 0;
  let lists = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) return false;
    if (isName(arg)) {
      operands++;
      continue;
    }
    if (!arg.exact || arg.value === '') return false;
    const option = optionIn(arg.value, options);
    if (option === undefined) return false;
    lists ||= option.lists;
    if (!option.takesNext || at + 1 === args.length) continue;
    const value = args[++at];
    // A glob may expand to several words, and the first is the value. Some options have a value only in some versions.
    if (!value?.exact || !(isName(value) || ALWAYS_VALUED.test(arg.value))) return false;
  }
  return operands === 0 || lists;
}

const ALWAYS_VALUED = /^--(sort|format)$/;

function optionIn(
  text: string,
  { flags, numbered = '', longFlags, longOptional, longValued }: Options,
): { readonly lists: boolean; readonly takesNext: boolean } | undefined {
  if (text.startsWith('--')) {
    const [name = '', ...value] = text.slice(2).split('=');
    const isAttached = value.length > 0;
    if (longFlags.has(name)) return isAttached ? undefined : { lists: name === 'list', takesNext: false };
    if (longOptional.has(name)) return { lists: false, takesNext: false };
    return longValued.has(name) ? { lists: false, takesNext: !isAttached } : undefined;
  }
  const [, letters = '', number] = /^-([A-Za-z]+)(\d*)$/.exec(text) ?? [];
  const last = letters.at(-1) ?? '';
  const isNumbered = numbered !== '' && numbered.includes(last);
  const plain = isNumbered ? letters.slice(0, -1) : letters;
  if (
    letters === '' ||
    (number !== '' && !isNumbered) ||
    Array.from(plain).some((letter) => !flags.includes(letter))
  )
    return undefined;
  return { lists: plain.includes('l'), takesNext: false };
}

/** Returns true if the command reads only names and settings: no index, objects or drivers. It is safe in any repository. */
export function asksNothing(command: string, args: readonly string[]): boolean {
  switch (command) {
    case 'rev-parse':
      return args.length > 0 && args.every((arg) => arg === 'HEAD' || REV_PARSE.has(arg));
    case 'branch':
      return args.length === 1 && args[0] === '--show-current';
    case 'remote':
      return args.length === 0 || (args.length === 1 && (args[0] === '-v' || args[0] === '--verbose'));
    case 'config':
      return readsSetting(args);
    default:
      return false;
  }
}

const REV_PARSE: ReadonlySet<string> = new Set(
  (
    '--show-toplevel --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir ' +
    '--is-bare-repository --show-prefix --show-cdup --abbrev-ref --short --verify --symbolic-full-name'
  ).split(' '),
);

/** Options without a value that select where settings are read and how they are printed. */
const CONFIG_FLAGS =
  /^(--global|--system|--local|--worktree|--show-origin|--show-scope|--name-only|--null|-z|--includes|--no-includes|--bool|--int|--bool-or-int|--path|--type=[a-z-]+)$/;
const CONFIG_ACTIONS = /^(--list|-l|--get|--get-all|--get-regexp)$/;

function readsSetting(args: readonly string[]): boolean {
  const words = args.filter((arg) => !CONFIG_FLAGS.test(arg));
  const [action = '', key, ...more] = words;
  // Older versions read `list` and `get` as names of settings, and reject them.
  if (/^(--list|-l|list)$/.test(action)) return key === undefined;
  if (CONFIG_ACTIONS.test(action) || action === 'get')
    return key !== undefined && !key.startsWith('-') && more.length === 0;
  // A name with a dot is a setting, not an action. A second word would be its new value, even if it looks like a flag.
  return words.length === 1 && args.at(-1) === action && /^\w[\w-]*\.[\w.-]+$/.test(action);
}
