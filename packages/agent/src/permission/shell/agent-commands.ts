/**
 * Commands of agents. They change settings, add servers, answer questions of other sessions, or start an agent with other
 * permissions. So only the commands that are known to print count as harmless. Every other one counts as a change of the
 * agent's settings, which are protected.
 */
import type { ShellWord } from '@heddle/tools/shell';
import type { CommandPart, FilePart } from '../part.ts';
import { type Agent, agentNamed, AGENT_OF, isPrinting, mayNameAgent } from './agents.ts';
import type { Around } from './command-part.ts';
import { touchPart } from './files/file-parts.ts';
import { touchesFiles } from './files/files-of.ts';
import { runsElsewhere } from './files/host-words.ts';
import { settingsTouch } from './files/settings-commands.ts';
import { findPackageManager } from './package-managers.ts';
import { mayRunWords } from './possible-commands.ts';
import {
  baseName,
  commandTails,
  feedersIn,
  isManager,
  isRunner,
  type Unwrapped,
  withPiped,
} from './runners.ts';
import { shortOption } from './short-options.ts';

/** They also access files, or read files as scripts. */
const RUNS_WORDS = /^(git|source|\.)$/;

/** Settings that the command changes as an agent, or by agents that it runs. */
export function changedSettingsParts(last: Unwrapped, { readOnly }: CommandPart, around: Around): FilePart[] {
  const program = baseName(last.words[0]?.value ?? '');
  if (readOnly !== 'no' || (touchesFiles(program) && !RUNS_WORDS.test(program))) return [];
  // With options, `xargs` still adds words from its input.
  const words = withPiped({ ...last, more: last.more || feedersIn(last.words).length > 0 });
  return changesByAgents(words).flatMap((change) =>
    touchPart(settingsTouch(change.settings), 'command', around.folders, around.world).map((part) =>
      byAgent(part, change),
    ),
  );
}

function byAgent(part: FilePart, { program }: AgentChange): FilePart {
  const reason = `${program} may change the settings of an agent, or start one. Only its commands that print need no question.`;
  return { ...part, concern: { level: 'unless bypassed', reason } };
}

interface AgentChange {
  readonly program: string;
  readonly settings: string;
}

/** The number of commands in the words of a command that are looked at. */
const MOST_STARTS = 200;
const UNKNOWN: AgentChange = { program: 'one of its words', settings: '~/.agents/settings.json' };

/** Returns the changes that a command makes as an agent, or that agents make which it runs. */
function changesByAgents(words: readonly ShellWord[]): readonly AgentChange[] {
  if (!words.some(({ value }) => mayNameAgent(value))) return [];
  const changes: AgentChange[] = [];
  const starts: Start[] = [{ at: 0, certainty: 'certain' }];
  const seen = new Set<string>();
  for (const { at, certainty } of starts) {
    if (starts.length > MOST_STARTS) return [UNKNOWN];
    const run = words.slice(at);
    const [agent, args] = agentRun(run, certainty);
    if (agent && !isPrinting(agent, args))
      changes.push({ program: baseName(run[0]?.value ?? ''), settings: agent.settings });
    if (agent) continue;
    for (const next of startsOfRuns(run)) {
      const key = `${at + next.at} ${next.certainty}`;
      if (!seen.has(key)) starts.push({ ...next, at: at + next.at });
      seen.add(key);
    }
  }
  return changes;
}

/** Returns the agent that the words run, and its arguments. */
function agentRun(
  [name, ...args]: readonly ShellWord[],
  certainty: Start['certainty'],
): readonly [agent: Agent | undefined, args: readonly ShellWord[]] {
  // The name of a module can follow the option of Python: `-maider`.
  const value = name?.value.replace(MODULE_OPTION, '') ?? '';
  const [command, agent = ''] = AGENT_OF.get(baseName(value)) ?? [];
  if (command !== undefined && args[0]?.value === command)
    return [agentNamed(agent, 'certain'), args.slice(1)];
  return [agentNamed(value, certainty), args];
}

/** A position in the words of a program at which a command may begin. */
interface Start {
  readonly at: number;
  readonly certainty: 'certain' | 'possible';
}

/** Their command is the first word after their options. */
const PLAIN_RUNNERS =
  /^(npx|bunx|pnpx|uvx|env|sudo|doas|nohup|setsid|nice|time|xargs|exec|command|builtin|bash|sh|zsh|dash|ksh|ash)$/;
const INTERPRETERS = /^(go|node|nodejs|deno|bun|tsx|ts-node|(python|pypy)[\d.]*|ruby|perl|php|source|\.)$/;
const ENVIRONMENTS = /^(poetry|pipenv|pdm|rye|hatch|rbenv|pyenv|pipx|conda|mamba|micromamba)$/;
/** Their operands are databases, services and machines. */
const NAMES_DATA =
  /^(psql|pg_\w+|createdb|dropdb|mysql\w*|mariadb\w*|mongo\w*|redis-cli|duckdb|ansible[\w-]*|supervisorctl|pm2|launchctl|open|code)$/;

function startsOfRuns(words: readonly ShellWord[]): readonly Start[] {
  const [name, ...args] = words;
  const program = baseName(name?.value ?? '');
  if (runsElsewhere(program, args)) return [];
  // The value of an option may look like the word before a command: `npm --prefix x exec y`.
  const after = (word: RegExp, count = 1): readonly Start[] =>
    words.flatMap(({ value }, at) => (at > 0 && word.test(value) ? firstWords(words, at + count) : []));
  const manager = findPackageManager(program);
  if (manager)
    return [
      ...after(manager.runs),
      ...(manager.runsIn ? after(manager.runsIn, 2) : []),
      ...(manager.first
        ? after(/^workspace$/, 2).concat(firstWords(words, 1, /^(run|workspaces|foreach)$/))
        : []),
    ];
  if (program === 'uv') return firstWords(words, 1, /^(run|tool)$/);
  if (ENVIRONMENTS.test(program)) return after(/^(run|exec)$/);
  if (PLAIN_RUNNERS.test(program) || INTERPRETERS.test(program)) return firstWords(words, 1, /^run$/);
  if (isRunner(program) || isManager(program)) {
    const [first = []] = commandTails(words);
    return [
      ...(isRunner(program) ? firstWords(words, 1) : []),
      ...possibleStarts(words, words.length - first.length, 'any path'),
    ];
  }
  return mayRunWords(program, args) && !NAMES_DATA.test(program)
    ? possibleStarts(words.slice(0, -1), 1, 'program folder')
    : [];
}

/** Returns the words that name an agent, or a program that may run one. */
function possibleStarts(
  words: readonly ShellWord[],
  from: number,
  paths: 'any path' | 'program folder',
): Start[] {
  return words.flatMap(({ value }, at) => {
    const base = baseName(value);
    const mayRun = mayNameAgent(value) || isRunner(base) || isManager(base) || INTERPRETERS.test(base);
    return at >= from && mayRun && mayBeProgram(words, at, paths) ? [{ at, certainty: 'possible' }] : [];
  });
}

/** A path to a folder is not a program: `watch ls packages/heddle`. */
function mayBeProgram(
  words: readonly ShellWord[],
  at: number,
  paths: 'any path' | 'program folder',
): boolean {
  const { value = '' } = words[at] ?? {};
  if (value === '' || value.startsWith('-')) return false;
  if (!value.includes('/') || /(^|\/)\.?bin\/[^/]+$|^@[^/]+\/[^/]+$/.test(value)) return true;
  return paths === 'any path' && (at + 1 < words.length || value.startsWith('./'));
}

/** The name of a module can follow the option of Python: `-maider`. */
const MODULE_OPTION = new RegExp(`^${shortOption('m', 'cWX')}(?=\\w)`);

/** Options of package runners without a value. The word after another option may be its value, or the command. */
const FLAG = /^(-y|--yes|-q|--quiet|--silent|--bun|--no-install)$/;

/** Returns the words up to the first one that is certainly not an option, or the value of one. `passed`: words before the command. */
function firstWords(words: readonly ShellWord[], from: number, passed?: RegExp): readonly Start[] {
  const starts: Start[] = [];
  for (let at = from; at < words.length; at++) {
    const { value = '' } = words[at] ?? {};
    const isModule = MODULE_OPTION.test(value) && /^(python|pypy)/.test(baseName(words[0]?.value ?? ''));
    if (isModule) starts.push({ at, certainty: 'certain' });
    if (value === '' || value.startsWith('-') || /^\w+=/.test(value) || passed?.test(value)) continue;
    starts.push({ at, certainty: 'certain' });
    const before = at === from ? '' : (words[at - 1]?.value ?? '');
    if (!/^-[^=]+$/.test(before) || before === '--' || FLAG.test(before)) break;
  }
  return starts;
}
