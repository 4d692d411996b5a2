/** Splits a command line into the values of flags and the words of the prompt. */
import type { Flag, FlagSurface } from './flag-kinds.ts';
import { type Destination, FLAGS, type ValueOf, type ValuesFor } from './flags.ts';
import { takeList, UsageError } from './list-flags.ts';

/** The arguments of the flags that were given. A value is parsed when it is read. */
export class FlagValues {
  readonly #given = new Map<string, readonly string[]>();

  add({ to }: Pick<Flag, 'to'>, items: readonly string[]): void {
    this.#given.set(to, [...(this.#given.get(to) ?? []), ...items]);
  }

  has(to: Destination): boolean {
    return this.#given.has(to);
  }

  /** The last argument of a flag, before it is parsed. */
  lastArgument(to: Destination): string | undefined {
    return this.#given.get(to)?.at(-1);
  }

  /** Throws `UsageError` if the parser of the flag rejects the value. */
  get<To extends Destination>(to: To): ValueOf<To> {
    const row = ROWS.find(([, flag]) => flag.to === to);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row with this destination parses to this type
    return row?.[1].parse(this.#given.get(to), row[0]) as ValueOf<To>;
  }

  /** The parsed values of all flags of a surface. */
  valuesFor<On extends FlagSurface>(surface: On): ValuesFor<On> {
    const rows = ROWS.filter(([, flag]) => flag.surface === surface);
    const values = rows.map(([name, flag]) => [flag.to, flag.parse(this.#given.get(flag.to), name)]);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each row, from its own parser
    return Object.fromEntries(values) as ValuesFor<On>;
  }
}

const ROWS: readonly (readonly [name: string, flag: Flag])[] = Object.entries(FLAGS);

/** The flags by each of their spellings. */
const FLAG_OF: ReadonlyMap<string, Flag> = new Map(
  ROWS.flatMap(([name, flag]) => [name, ...(flag.aliases ?? [])].map((each) => [each, flag] as const)),
);

interface Collected {
  readonly values: FlagValues;
  readonly words: string[];
  /** Requests for features that do not exist yet. */
  readonly notes: string[];
  readonly unknown: FlagMistake[];
}

export interface FlagMistake {
  readonly name: string;
  readonly message: string;
}

export function collectFlags(argv: readonly string[]): Collected {
  const values = new FlagValues();
  const words: string[] = [];
  const notes: string[] = [];
  const unknown: FlagMistake[] = [];
  // With -p a session must be named, so the next word is its name.
  const mustNameSession = argv.includes('-p') || argv.includes('--print');
  let onlyWords = false;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (onlyWords || !argument.startsWith('-') || argument === '-') {
      words.push(argument);
      continue;
    }
    if (argument === '--') {
      onlyWords = true;
      continue;
    }
    const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
    const name = equals < 0 ? argument : argument.slice(0, equals);
    const inline = equals < 0 ? undefined : argument.slice(equals + 1);
    const flag = FLAG_OF.get(name);
    if (!flag) {
      const known = clientFlag(name);
      if (!known) unknown.push({ name, message: `unknown flag ${name}${suggestion(name)}` });
      if (known?.isRefused) throw new UsageError(`${name}: ${known.lacks}`);
      if (known?.lacks !== undefined) notes.push(`${name}: ${known.lacks}`);
      if (known?.takes === 'value' && equals < 0) at++;
      continue;
    }
    if (flag.takes === 'nothing') {
      if (equals >= 0) throw new UsageError(`${name} takes no value`);
      values.add(flag, []);
      continue;
    }
    if (flag.takes === 'maybe') {
      values.add(flag, [inline ?? '']);
      continue;
    }
    if (flag.takes === 'session') {
      const isNext = mustNameSession ? isWord(argv[at + 1]) : isSessionWord(argv[at + 1]);
      const given = inline ?? (isNext ? argv[++at] : '');
      values.add(flag, [given ?? '']);
      continue;
    }
    if (flag.takes === 'value') {
      const value = inline ?? argv[++at];
      if (value === undefined) throw new UsageError(`${name} needs a value`);
      values.add(flag, [value]);
      continue;
    }
    const taken = takeList(name, flag.takes, argv, at, inline);
    values.add(flag, taken.items);
    ({ at } = taken);
  }
  return { values, words, notes, unknown };
}

function isWord(argument: string | undefined): boolean {
  return argument !== undefined && !argument.startsWith('-');
}

/** An id, the start of one, or a title of one word. In a conversation, a text with spaces after `--resume` is its prompt. */
function isSessionWord(word: string | undefined): boolean {
  return word !== undefined && /^[a-z0-9][\w.-]*$/i.test(word);
}

function suggestion(name: string): string {
  // The edit distance between two letters is always one.
  if (name.length === 2) {
    const other = [...FLAG_OF.keys()].find((flag) => flag.toLowerCase() === name.toLowerCase());
    return other === undefined ? '; see heddle --help' : `; did you mean ${other}?`;
  }
  const near = [...FLAG_OF.keys()]
    .map((flag) => ({ flag, distance: editDistance(flag, name) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const close = near !== undefined && near.distance <= Math.max(2, name.length / 3);
  return close ? `; did you mean ${near.flag}?` : '; see heddle --help';
}

export function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const swap = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(swap, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

/**
 * Flags that client libraries and scripts pass and that Heddle does not support yet. A flag without effect is ignored.
 * A flag for a missing feature prints a warning, and the run continues. A flag is refused if ignoring it would make the run
 * less careful than the host expects.
 */
/**
 * Flags that client libraries and scripts pass and that Heddle does not support yet. A flag without effect is ignored.
 * A flag for a missing feature prints a warning, and the run continues. A flag is refused if ignoring it would make the run
 * less careful than the host expects.
 */
interface ClientFlag {
  readonly takes: 'nothing' | 'value';
  /** The warning about the missing feature, for standard error. Absent if the flag has no effect. */
  readonly lacks?: string;
  readonly isRefused?: true;
}

const CLIENT_FLAGS: Readonly<Record<string, ClientFlag>> = {
  // They ask nothing of us: what they choose does not exist here.
  '--debug-to-stderr': { takes: 'nothing' },
  '--exclude-dynamic-system-prompt-sections': { takes: 'nothing' },
  // The run continues without these features.
  '--thinking-display': { takes: 'value', lacks: 'thinking is shown as the API sends it' },
  // Each narrows what may happen.
  '--restricted': { takes: 'nothing', lacks: 'there is no restricted mode', isRefused: true },
  '--safe-mode': {
    takes: 'nothing',
    lacks: 'there is no safe mode; --bare looks for nothing',
    isRefused: true,
  },
};

function clientFlag(name: string): ClientFlag | undefined {
  return Object.hasOwn(CLIENT_FLAGS, name) ? CLIENT_FLAGS[name] : undefined;
}
