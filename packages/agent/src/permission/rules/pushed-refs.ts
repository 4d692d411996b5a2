/**
 * Compares pushes of git by what they change: `git push -u origin HEAD:main` and `git push origin +main` push to `main` of `origin`.
 * A push without a branch, or to an address, may change any branch.
 */

interface Push {
  readonly options: readonly string[];
  /** Undefined if unknown. */
  readonly remote: string | undefined;
  /** The branches. Undefined if one is unknown. */
  readonly branches: readonly (string | undefined)[];
}

/** A push with more words has an unknown branch. */
const MOST_WORDS = 64;

const VALUED: ReadonlySet<string> = new Set(['-o', '--push-option', '--repo', '--receive-pack', '--exec']);
const MANY_BRANCHES = ['--all', '--branches', '--mirror', '--tags'];

/** `words`: those after `git push`, with long options. */
function parsePush(words: readonly string[]): Push {
  if (words.length > MOST_WORDS)
    return {
      options: words.filter((word) => word.startsWith('-')),
      remote: undefined,
      branches: [undefined],
    };
  const options: string[] = [];
  const operands: string[] = [];
  let repository: string | undefined;
  let isEnd = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (isEnd || !word.startsWith('-') || word === '-') operands.push(word);
    else if (word === '--') isEnd = true;
    else {
      options.push(word);
      if (!VALUED.has(word)) continue;
      at++;
      if (word === '--repo') repository = words[at];
    }
  }
  const [remote = repository, ...refs] = operands;
  const isWide = options.some(
    (option) => option.length > 3 && MANY_BRANCHES.some((name) => name.startsWith(option)),
  );
  const isUnknown = isWide || refs.length === 0;
  const parsed = refs.map(parseRef);
  return {
    options: [...options, ...new Set(parsed.flatMap(({ does }) => does))],
    remote: remote === undefined || /[:/.$*?`"'\\{[~]/.test(remote) ? undefined : remote,
    branches: [...parsed.map(({ branch }) => branch), ...(isUnknown ? [undefined] : [])],
  };
}

interface Ref {
  readonly does: readonly string[];
  readonly branch: string | undefined;
}

function parseRef(ref: string): Ref {
  const forced = ref.startsWith('+');
  const text = ref.replace(/^\+/, '');
  const at = text.lastIndexOf(':');
  const branch = text.slice(at + 1).replace(/^(?:refs\/)?heads\//, '');
  const isUnknown = branch === '' || /^(?:HEAD|@)$|[$*?`"'\\{[~]/.test(branch);
  return {
    does: [...(forced ? ['--force'] : []), ...(at === 0 && branch !== '' ? ['--delete'] : [])],
    branch: isUnknown ? undefined : branch,
  };
}

/** Returns the words of a rule about pushes in the form of `pushesOf`. */
export function plainPush(rule: readonly string[]): readonly string[] {
  const words = rule.slice(2);
  const { options } = parsePush(words);
  const operands = words.filter((word) => !word.startsWith('-'));
  const branches = operands.slice(1).map((word) => parseRef(word).branch ?? word);
  const plain = [...operands.slice(0, 1), ...branches];
  const isOptionLast = words.at(-1)?.startsWith('-') === true;
  return ['git', 'push', ...(isOptionLast ? [...plain, ...options] : [...options, ...plain])];
}

/**
 * Returns a command for each branch that a push may change, with its options before and after the operands. `rule`: the words of the
 * rule in the same form, which replace what is unknown. `named`: the branch of a rule with a star.
 */
export function pushesOf(
  command: readonly string[],
  rule: readonly string[],
  named: string | undefined,
): readonly (readonly string[])[] {
  const { options, remote, branches } = parsePush(command.slice(2));
  const [ruled, ...others] = rule.slice(2).filter((word) => !word.startsWith('-'));
  const unknown = others.length > 0 || named === undefined ? others : [named];
  const repository = remote ?? ruled ?? (named === undefined ? undefined : 'origin');
  const start = repository === undefined ? [] : [repository];
  return [...new Set(branches)].flatMap((branch) => {
    const operands = [...start, ...(branch === undefined ? unknown : [branch])];
    return [
      ['git', 'push', ...options, ...operands],
      ['git', 'push', ...operands, ...options],
    ];
  });
}
