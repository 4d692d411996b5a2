/** Parses the arguments of `heddle sessions`. Throws `UsageError` if they are invalid. */
import { parseArgs } from 'node:util';
import { flagProblem } from '../terminal/write-message.ts';
import { UsageError } from '../arguments/list-flags.ts';
import { bytesOf, durationOf } from './text/units.ts';
import { editDistance } from '../arguments/collect-flags.ts';

export type ExportFormat = 'markdown' | 'json' | 'html';

export type SessionsCommand =
  | { readonly name: 'help' }
  | {
      readonly name: 'list';
      readonly all: boolean;
      /** Undefined: the default limit. 0: all sessions. */
      readonly limit: number | undefined;
      readonly json: boolean;
    }
  | { readonly name: 'show'; readonly session: string; readonly full: boolean; readonly json: boolean }
  | {
      readonly name: 'search';
      readonly words: string;
      readonly regex: boolean;
      readonly all: boolean;
      readonly limit: number | undefined;
      readonly json: boolean;
    }
  | { readonly name: 'rename'; readonly session: string; readonly title: string; readonly json: boolean }
  | {
      readonly name: 'export';
      readonly session: string;
      readonly format: ExportFormat;
      readonly output: string | undefined;
    }
  | {
      readonly name: 'delete';
      readonly sessions: readonly string[];
      readonly yes: boolean;
      readonly json: boolean;
    }
  | {
      readonly name: 'prune';
      readonly olderThanMs: number | undefined;
      readonly largerThanBytes: number | undefined;
      readonly keep: number | undefined;
      readonly all: boolean;
      readonly dryRun: boolean;
      readonly yes: boolean;
      readonly json: boolean;
    };

const VERBS = ['list', 'show', 'search', 'rename', 'export', 'delete', 'prune'] as const;

type Flags = Readonly<Record<string, { readonly type: 'boolean' | 'string'; readonly short?: string }>>;

const NOTHING = { type: 'boolean' } as const;
const VALUE = { type: 'string' } as const;

export function readSessionsCommand(argv: readonly string[]): SessionsCommand {
  const [first, ...others] = argv;
  if (first === 'help' || argv.includes('--help') || argv.includes('-h')) return { name: 'help' };
  const isVerb = first !== undefined && !first.startsWith('-');
  const name = isVerb ? first : 'list';
  const rest = isVerb ? others : argv;
  switch (name) {
    case 'list': {
      const { values, words } = read(rest, { all: NOTHING, limit: VALUE, json: NOTHING });
      if (words.length > 0)
        throw new UsageError('sessions list takes no words. To search, use: heddle sessions search');
      return {
        name,
        all: isOn(values, 'all'),
        limit: count('--limit', values.get('limit')),
        json: isOn(values, 'json'),
      };
    }
    case 'show': {
      const { values, words } = read(rest, { full: NOTHING, json: NOTHING });
      return { name, session: only(words, 'show'), full: isOn(values, 'full'), json: isOn(values, 'json') };
    }
    case 'search': {
      const { values, words } = read(rest, { regex: NOTHING, all: NOTHING, limit: VALUE, json: NOTHING });
      return {
        name,
        words: words.join(' '),
        regex: isOn(values, 'regex'),
        all: isOn(values, 'all'),
        limit: count('--limit', values.get('limit')),
        json: isOn(values, 'json'),
      };
    }
    case 'rename': {
      const { values, words } = read(rest, { json: NOTHING });
      const [session, ...title] = words;
      if (session === undefined || title.length === 0)
        throw new UsageError('usage: heddle sessions rename ID TITLE');
      return { name, session, title: title.join(' ').trim(), json: isOn(values, 'json') };
    }
    case 'export': {
      const { values, words } = read(rest, { format: VALUE, output: { ...VALUE, short: 'o' } });
      const format = values.get('format') ?? 'markdown';
      return { name, session: only(words, 'export'), format: formatOf(format), output: values.get('output') };
    }
    case 'delete': {
      const { values, words } = read(rest, { yes: { ...NOTHING, short: 'y' }, json: NOTHING });
      if (words.length === 0) throw new UsageError('usage: heddle sessions delete ID…');
      return { name, sessions: words, yes: isOn(values, 'yes'), json: isOn(values, 'json') };
    }
    case 'prune':
      return pruneOf(rest);
    default: {
      const near = VERBS.find((verb) => editDistance(verb, name) <= 2);
      const advice = near === undefined ? `Use one of ${VERBS.join(', ')}.` : `Did you mean ${near}?`;
      throw new UsageError(`sessions ${name} is not a command. ${advice}`);
    }
  }
}

function pruneOf(argv: readonly string[]): SessionsCommand {
  const { values, words } = read(argv, {
    'older-than': VALUE,
    'larger-than': VALUE,
    keep: VALUE,
    all: NOTHING,
    'dry-run': NOTHING,
    yes: { ...NOTHING, short: 'y' },
    json: NOTHING,
  });
  if (words.length > 0)
    throw new UsageError('sessions prune takes no words. To delete one session, use: heddle sessions delete');
  const older = values.get('older-than');
  const larger = values.get('larger-than');
  const keep = count('--keep', values.get('keep'));
  if (older === undefined && larger === undefined && keep === undefined)
    throw new UsageError('sessions prune needs --older-than, --larger-than or --keep');
  return {
    name: 'prune',
    olderThanMs:
      older === undefined
        ? undefined
        : must(durationOf(older), '--older-than takes a time such as 30d or 12h', older),
    largerThanBytes:
      larger === undefined
        ? undefined
        : must(bytesOf(larger), '--larger-than takes a size such as 500MB', larger),
    keep,
    all: isOn(values, 'all'),
    dryRun: isOn(values, 'dry-run'),
    yes: isOn(values, 'yes'),
    json: isOn(values, 'json'),
  };
}

interface Read {
  readonly values: ReadonlyMap<string, string>;
  readonly words: readonly string[];
}

function read(argv: readonly string[], options: Flags): Read {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
    const given = Object.entries(values).map(([key, value]) => [key, String(value)] as const);
    return { values: new Map(given), words: positionals };
  } catch (thrown) {
    throw new UsageError(`${flagProblem(thrown)}. See heddle sessions help.`);
  }
}

function isOn(values: Read['values'], flag: string): boolean {
  return values.has(flag);
}

function only(words: readonly string[], verb: string): string {
  const [word, ...more] = words;
  if (word === undefined || more.length > 0) throw new UsageError(`sessions ${verb} takes one session`);
  return word;
}

function count(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new UsageError(`${flag} takes a whole number, not ${value}`);
  return Number(value);
}

function must(value: number | undefined, complaint: string, given: string): number {
  if (value === undefined) throw new UsageError(`${complaint}, not ${given}`);
  return value;
}

const FORMATS: readonly ExportFormat[] = ['markdown', 'json', 'html'];

function formatOf(text: string): ExportFormat {
  const format = FORMATS.find((candidate) => candidate === text);
  if (!format) throw new UsageError(`--format takes one of ${FORMATS.join(', ')}, not ${text}`);
  return format;
}
