/** Options with the same meaning. A deny or ask rule with one of them also concerns the others. */

interface Options {
  /** The long names of a letter. A letter may have several. */
  readonly letters: Readonly<Record<string, readonly string[]>>;
  /** Letters and names that take a value, which may be attached. */
  readonly valued: ReadonlySet<string>;
  /** Options that also do the work of others. */
  readonly implied: Readonly<Record<string, readonly string[]>>;
}

function optionsOf(letters: string, valued = '', implied = ''): Options {
  const record = (text: string): Readonly<Record<string, readonly string[]>> =>
    Object.fromEntries(
      text.split(' ').flatMap((entry) => {
        const [name = '', meaning] = entry.split('=');
        return meaning === undefined ? [] : [[name, meaning.split('+')] as const];
      }),
    );
  return { letters: record(letters), valued: new Set(valued.split(' ')), implied: record(implied) };
}

/** The options of these commands only. */
const OPTIONS: ReadonlyMap<string, Options> = new Map([
  ['git commit', optionsOf('n=no-verify a=all', 'm F C c t S u')],
  ['git am', optionsOf('n=no-verify', 'C p S')],
  ['git branch', optionsOf('D=delete+force d=delete f=force M=move+force m=move C=copy+force c=copy', 'u')],
  ['git tag', optionsOf('d=delete f=force', 'm F u')],
  ['git rebase', optionsOf('i=interactive', 'x C s S X')],
  [
    'git push',
    optionsOf(
      'd=delete f=force u=set-upstream',
      'o repo push-option receive-pack exec',
      'mirror=mirror+force+delete prune=prune+delete force-with-lease=force force-if-includes=force',
    ),
  ],
  ['docker rm', optionsOf('v=volumes f=force')],
  ['docker compose down', optionsOf('v=volumes', 't')],
  ['docker compose rm', optionsOf('v=volumes f=force s=stop')],
  ['docker-compose down', optionsOf('v=volumes', 't')],
  ['docker-compose rm', optionsOf('v=volumes f=force s=stop')],
  ['gh api', optionsOf('X=method', 'X method f F H q t p')],
  ['rm', optionsOf('r=recursive R=recursive f=force')],
]);

/** Returns the long options of a command that rules name with these words. Undefined if they are unknown. */
function knownOptions(rule: readonly string[]): Options | undefined {
  const [program = '', ...words] = rule;
  const names = words.filter((word) => !word.startsWith('-'));
  const name = program.replace(/^.*\//s, '').replace(/^(?:podman|nerdctl)$/, 'docker');
  for (const count of [2, 1, 0]) {
    const found = OPTIONS.get([name, ...names.slice(0, count)].join(' '));
    if (found && names.length >= count) return found;
  }
  return undefined;
}

/** Returns a function that writes the options of a command in one form. Undefined if the options are unknown. */
export function longOptions(
  rule: readonly string[],
): ((words: readonly string[]) => readonly string[]) | undefined {
  const options = knownOptions(rule);
  if (options === undefined) return undefined;
  return (words) => {
    const end = words.indexOf('--');
    const given = end < 0 ? words : words.slice(0, end);
    return [...given.flatMap((word) => longForms(word, options)), ...words.slice(given.length)];
  };
}

function longForms(word: string, options: Options): readonly string[] {
  if (/^--./.test(word)) return longName(word, options);
  if (!/^-[A-Za-z0-9]/.test(word)) return [word];
  const found: string[] = [];
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? '';
    const names = options.letters[letter]?.map((name) => `--${name}`) ?? [`-${letter}`];
    found.push(...names);
    const value = word.slice(at + 1);
    if (!options.valued.has(letter)) continue;
    return value === '' ? found : [...found, value.replace(/^=/, '')];
  }
  return found;
}

function longName(word: string, { valued, implied }: Options): readonly string[] {
  const [, name = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  // Most parsers accept the beginning of a long name.
  const meant = Object.keys(implied).filter((each) => each.startsWith(name));
  const names = [name, ...meant.flatMap((each) => implied[each] ?? [])].map((each) => `--${each}`);
  if (value === undefined) return names;
  const isSplit = [...valued].some((each) => each.length > 1 && each.startsWith(name));
  return isSplit ? [...names, value] : [word, ...names.slice(1)];
}
