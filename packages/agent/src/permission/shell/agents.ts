/** Agents, Heddle among them: their names, their settings, and their commands that only print. */
import type { ShellWord } from '@heddle/tools/shell';
import { baseName } from './runners.ts';
import { shortOption } from './short-options.ts';

export interface Agent {
  /** Its programs and packages. */
  readonly names: string;
  /** Patterns of its commands that only print. `NAME` is a word that is not an option. */
  readonly prints: readonly string[];
  /** Options that change nothing about them. */
  readonly flags?: string;
  /** A file with its settings. */
  readonly settings: string;
}

/**
 * Not listed for Heddle: `jobs` and `answer JOB`. They record that the user has seen a question, which `answer JOB yes` then
 * answers. `jobs --json` does not.
 */
const AGENTS: readonly Agent[] = [
  {
    names: 'heddle',
    prints: [
      '-v',
      'models( NAME)?|doctor|import|jobs --json|logs NAME|fleet (help|openapi)|completions (bash|zsh|fish)',
      'mcp( (list|help|get NAME))?',
      'permissions( (list|test|help|explain NAME( NAME)?))?',
      'config( (list|keys|schema|path|help|get NAME))?',
      'hooks( (list( NAME)?|help))?',
      'sessions( list)?( --limit \\d+)?|sessions show NAME|sessions search( NAME)+( --limit \\d+)?',
      'sessions export NAME( --format (markdown|json|html))?',
      'schedule (list|help)|team (list( NAME)?|help)',
      'rewind NAME( NAME --dry-run)?|replay NAME( --from \\d+)?',
    ],
    flags: '--json --all --full --verbose --regex',
    settings: '~/.heddle/settings.json',
  },
  {
    names: 'claude claude-code',
    prints: ['-v', 'mcp (list|get NAME)|config (list|get NAME)|plugin (list|validate NAME)|auth status'],
    flags: '-g --global --json',
    settings: '~/.claude/settings.json',
  },
  {
    names: 'codex',
    prints: ['-V', 'mcp (list|get NAME)|login status|features list|completion( (bash|zsh|fish))?'],
    flags: '--json',
    settings: '~/.codex/config.toml',
  },
  {
    names: 'gemini gemini-cli',
    prints: ['-v|-l|--list-extensions|--list-sessions', 'mcp list|extensions list|skills list'],
    settings: '~/.gemini/settings.json',
  },
  {
    names: 'qwen qwen-code',
    prints: ['-v|-l|--list-extensions', 'mcp list|extensions list'],
    settings: '~/.qwen/settings.json',
  },
  {
    names: 'opencode opencode-ai',
    prints: ['-v', 'models|stats|(mcp|auth) (list|ls)|(agent|session) list|debug paths'],
    settings: '~/.config/opencode/opencode.json',
  },
  {
    names: 'cursor-agent',
    prints: ['-v', 'status|whoami|models|mcp list|mcp list-tools NAME'],
    settings: '~/.cursor/cli-config.json',
  },
  {
    names: 'amp',
    prints: ['-V', '(mcp|permissions|threads|tools) list'],
    settings: '~/.config/amp/settings.json',
  },
  {
    names: 'goose',
    prints: ['-V', 'info|(session|schedule) list'],
    settings: '~/.config/goose/config.yaml',
  },
  {
    names: 'aider aider-chat aider-install',
    prints: ['--(list-)?models NAME'],
    settings: '~/.aider.conf.yml',
  },
  { names: 'copilot', prints: ['-v|help( NAME)?'], settings: '~/.copilot/config.json' },
  { names: 'crush', prints: ['-v|schema|dirs|projects|logs'], settings: '~/.config/crush/crush.json' },
  { names: 'droid @factory/cli', prints: ['-v'], settings: '~/.factory/settings.json' },
  {
    names: 'auggie',
    prints: ['-v|(mcp|session|model|tools) list'],
    settings: '~/.augment/settings.json',
  },
  {
    names: 'kiro-cli kiro-cli-chat q qchat',
    prints: ['-V|version|whoami', '(mcp|settings|agent) list'],
    settings: '~/.kiro/settings/cli.json',
  },
  { names: 'pi pi-coding-agent', prints: ['-v|list|--list-models'], settings: '~/.pi/agent/settings.json' },
  { names: 'cline', prints: ['version'], settings: '~/.cline/data/globalState.json' },
  { names: 'cn @continuedev/cli', prints: ['-v'], settings: '~/.continue/config.yaml' },
  { names: 'kilo kilocode @kilocode/cli', prints: [], settings: '~/.kilocode/cli/config.json' },
  {
    names:
      'openhands iflow iflow-cli codebuff plandex pdx trae-cli kimi kimi-cli grok-cli mistral-vibe junie gptme rovodev ' +
      'letta open-interpreter interpreter',
    prints: [],
    settings: '~/.agents/settings.json',
  },
  // They install servers and skills for agents.
  {
    names: '@smithery/cli smithery mcp-get install-mcp add-mcp mcp-add openskills skills add-skill ccr',
    prints: ['list'],
    settings: '~/.claude/settings.json',
  },
];

/** These names are also those of other programs, files and folders. They count only where a program stands. */
const COMMON_NAME = /^(q|pi|amp|goose|crush|droid|copilot|cn|kilo|interpreter|letta|skills|junie|pdx|ccr)$/;

/** A command of another program that is an agent. */
export const AGENT_OF: ReadonlyMap<string, readonly [command: string, agent: string]> = new Map([
  ['cursor', ['agent', 'cursor-agent']],
  ['gh', ['copilot', 'copilot']],
]);

const BY_NAME: ReadonlyMap<string, Agent> = new Map(
  AGENTS.flatMap((agent) => agent.names.split(' ').map((name) => [name, agent] as const)),
);

const SOME_NAME = new RegExp(
  `(?:^${shortOption('m')}|(?<![a-z0-9]))(?:${[...BY_NAME.keys(), ...AGENT_OF.keys()].join('|')})(?![a-z0-9])`,
  'i',
);

/** Help has precedence over everything else. After more words, the option could belong to a server: `mcp add x y --help`. */
const HELP = /^(--version|--help|-h|[a-z][a-z-]*( [a-z][a-z-]*)? --help)$/;

/** Returns whether a word may name an agent. Most do not, and are not looked at further. */
export function mayNameAgent(word: string): boolean {
  return SOME_NAME.test(word);
}

const PATTERNS: ReadonlyMap<Agent, readonly RegExp[]> = new Map(
  AGENTS.map((agent) => [
    agent,
    agent.prints.map((pattern) => new RegExp(`^(?:${pattern.replaceAll('NAME', '[^-\\s]\\S*')})$`)),
  ]),
);

/** Before the name of a package: `npm:heddle`, `x@npm:@openai/codex`, `github:openai/codex`. */
const SOURCE = /^(?:.*@)?(?:npm|jsr|github|gitlab|bitbucket|file|link|git\+\w+):/;
const VERSION = /(?<=.)@[^/]*$/;
/** After the name of a package of Python, or of a repository: `aider-chat[x]==1.0`, `codex.git`. */
const CONDITION = /(?<=.)[\s[=<>~!].*$|\.git$/;
const EXTENSION = /\.(?:[cm]?[jt]s|exe|cmd|bat|ps1|main|__main__)$/;
const INSTALLED = /node_modules\/((?:@[^/]+\/)?[^/]+)\//g;

/**
 * Returns the agent that a word names: `bin/heddle`, `heddle.js`, `@openai/codex@latest`, `nixpkgs#claude-code`.
 * `possible`: the word may be something else than a program.
 */
export function agentNamed(word: string, certainty: 'certain' | 'possible'): Agent | undefined {
  const lower = word.toLowerCase();
  const packages = Array.from(lower.matchAll(INSTALLED), ([, name = '']) => name);
  const written = [lower, ...lower.split('#')].map((text) => text.replace(SOURCE, '').replace(VERSION, ''));
  for (const name of [...written, ...packages]) {
    const base = baseName(name).replace(CONDITION, '');
    const bare = base.replace(EXTENSION, '');
    const found = BY_NAME.get(name) ?? BY_NAME.get(base) ?? BY_NAME.get(bare);
    const isCommon = COMMON_NAME.test(bare) && (certainty === 'possible' || bare !== base);
    if (found && !isCommon) return found;
  }
  return undefined;
}

/** Returns whether a command of the agent only prints. */
export function isPrinting(agent: Agent, args: readonly ShellWord[]): boolean {
  if (args.some(({ kind }) => kind !== 'literal')) return false;
  const words = args.map(({ value }) => value.replace(/\s/g, '_'));
  const flags = new Set(agent.flags?.split(' '));
  // After an option, the first word is a prompt: `heddle --verbose mcp list`.
  const texts = [words, words.filter((word, at) => at === 0 || !flags.has(word))].map((given) =>
    given.join(' '),
  );
  return (
    HELP.test(texts[0] ?? '') ||
    (PATTERNS.get(agent) ?? []).some((pattern) => texts.some((text) => pattern.test(text)))
  );
}
