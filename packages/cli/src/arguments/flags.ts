/** The flags, and how a command line is taken apart. */
import { clientFlag } from './client-flags.ts';
import { type ListKind, UsageError, takeList } from './list-flags.ts';

export { UsageError };

export interface Flag {
  /** `session`: a session, or nothing. `maybe`: a value behind an equals sign, or nothing. A list: words up to the next flag. */
  readonly takes: 'nothing' | 'value' | 'session' | 'maybe' | ListKind;
  readonly as: string;
}

export const FLAGS = {
  '-p': { takes: 'nothing', as: 'print' },
  '--print': { takes: 'nothing', as: 'print' },
  '-h': { takes: 'nothing', as: 'help' },
  '--help': { takes: 'nothing', as: 'help' },
  '-v': { takes: 'nothing', as: 'version' },
  '--version': { takes: 'nothing', as: 'version' },
  '--verbose': { takes: 'nothing', as: 'verbose' },
  '--input-format': { takes: 'value', as: 'inputFormat' },
  '--output-format': { takes: 'value', as: 'outputFormat' },
  '--include-partial-messages': { takes: 'nothing', as: 'partialMessages' },
  '--replay-user-messages': { takes: 'nothing', as: 'replayUserMessages' },
  '--model': { takes: 'value', as: 'model' },
  '--fallback-model': { takes: 'value', as: 'fallbackModel' },
  '--effort': { takes: 'value', as: 'effort' },
  '--thinking': { takes: 'value', as: 'thinking' },
  '--max-thinking-tokens': { takes: 'value', as: 'maxThinkingTokens' },
  '--betas': { takes: 'betas', as: 'betas' },
  '--max-turns': { takes: 'value', as: 'maxTurns' },
  '--max-budget-usd': { takes: 'value', as: 'maxBudgetUsd' },
  '--task-budget': { takes: 'value', as: 'taskBudget' },
  '--json-schema': { takes: 'value', as: 'jsonSchema' },
  '--permission-mode': { takes: 'value', as: 'permissionMode' },
  '--dangerously-skip-permissions': { takes: 'nothing', as: 'bypass' },
  '--allow-dangerously-skip-permissions': { takes: 'nothing', as: 'allowBypass' },
  '--permission-prompt-tool': { takes: 'value', as: 'promptTool' },
  '--permission-prompts': { takes: 'value', as: 'prompts' },
  '--settings': { takes: 'value', as: 'settings' },
  '--managed-settings': { takes: 'value', as: 'managedSettings' },
  '--setting-sources': { takes: 'value', as: 'settingSources' },
  '--add-dir': { takes: 'folders', as: 'addDirs' },
  '--tools': { takes: 'tools', as: 'tools' },
  '--allowed-tools': { takes: 'rules', as: 'allowedTools' },
  '--allowedTools': { takes: 'rules', as: 'allowedTools' },
  '--disallowed-tools': { takes: 'rules', as: 'disallowedTools' },
  '--disallowedTools': { takes: 'rules', as: 'disallowedTools' },
  '--system-prompt': { takes: 'value', as: 'systemPrompt' },
  '--append-system-prompt': { takes: 'value', as: 'appendSystemPrompt' },
  '--system-prompt-file': { takes: 'value', as: 'systemPromptFile' },
  '--append-system-prompt-file': { takes: 'value', as: 'appendSystemPromptFile' },
  '-c': { takes: 'nothing', as: 'continue' },
  '--continue': { takes: 'nothing', as: 'continue' },
  '-r': { takes: 'session', as: 'resume' },
  '--resume': { takes: 'session', as: 'resume' },
  '--resume-session-at': { takes: 'value', as: 'resumeAt' },
  '--fork-session': { takes: 'nothing', as: 'fork' },
  '-n': { takes: 'value', as: 'title' },
  '--name': { takes: 'value', as: 'title' },
  '--session-id': { takes: 'value', as: 'sessionId' },
  '--no-session-persistence': { takes: 'nothing', as: 'noPersistence' },
  '--record': { takes: 'value', as: 'record' },
  '--plain': { takes: 'nothing', as: 'plain' },
  '--debug': { takes: 'maybe', as: 'debug' },
  '--debug-file': { takes: 'value', as: 'debugFile' },
  '--bare': { takes: 'nothing', as: 'bare' },
  '--disable-slash-commands': { takes: 'nothing', as: 'verbatim' },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof FLAGS;

interface Collected {
  readonly values: Map<string, string>;
  readonly lists: Map<string, string[]>;
  readonly words: string[];
  /** What was asked for and there is not. */
  readonly notes: string[];
  /** Flags that nobody knows. */
  readonly unknown: FlagMistake[];
}

export interface FlagMistake {
  readonly name: string;
  readonly message: string;
}

export function collectValues(argv: readonly string[]): Collected {
  const values = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const words: string[] = [];
  const notes: string[] = [];
  const unknown: FlagMistake[] = [];
  // With -p a session must be named, so whatever follows is its name.
  const nobodyChooses = argv.includes('-p') || argv.includes('--print');
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
    const flag = isFlag(name) ? FLAGS[name] : undefined;
    if (!flag) {
      const known = clientFlag(name);
      if (!known) unknown.push({ name, message: `unknown flag ${name}${suggestion(name)}` });
      if (known?.isRefused) throw new UsageError(`${name}: ${known.lacks}`);
      if (known?.lacks !== undefined) notes.push(`${name}: ${known.lacks}`);
      if (known?.takes === 'value' && equals < 0) at++;
      if (known?.takes === 'configs') ({ at } = takeList(name, known.takes, argv, at, inline));
      continue;
    }
    if (flag.takes === 'nothing') {
      if (equals >= 0) throw new UsageError(`${name} takes no value`);
      values.set(flag.as, 'true');
      continue;
    }
    if (flag.takes === 'maybe') {
      values.set(flag.as, inline ?? '');
      continue;
    }
    if (flag.takes === 'session') {
      const isNext = nobodyChooses ? isWord(argv[at + 1]) : isSessionWord(argv[at + 1]);
      const given = inline ?? (isNext ? argv[++at] : '');
      values.set(flag.as, given ?? '');
      continue;
    }
    if (flag.takes === 'value') {
      const value = inline ?? argv[++at];
      if (value === undefined) throw new UsageError(`${name} needs a value`);
      values.set(flag.as, value);
      continue;
    }
    const taken = takeList(name, flag.takes, argv, at, inline);
    lists.set(flag.as, [...(lists.get(flag.as) ?? []), ...taken.items]);
    ({ at } = taken);
  }
  return { values, lists, words, notes, unknown };
}

function isWord(argument: string | undefined): boolean {
  return argument !== undefined && !argument.startsWith('-');
}

/** An id, the beginning of one, or a title in one word. In a conversation a text with spaces behind `--resume` is its prompt. */
function isSessionWord(word: string | undefined): boolean {
  return word !== undefined && /^[a-z0-9][\w.-]*$/i.test(word);
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

function suggestion(name: string): string {
  // Every letter is one step from every other.
  if (name.length === 2) {
    const other = Object.keys(FLAGS).find((flag) => flag.toLowerCase() === name.toLowerCase());
    return other === undefined ? '; see heddle --help' : `; did you mean ${other}?`;
  }
  const near = Object.keys(FLAGS)
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
