/** What each flag means, for `--help`, for completions and for the documentation. The compiler wants an entry for every flag. */
import type { FlagName } from './flags.ts';

/** A list of values that the program makes when a shell asks for it. */
export type CandidateKind = 'sessions' | 'keys' | 'models' | 'providers';

export interface FlagText {
  readonly group: Group;
  readonly text: string;
  /** What its value is called. */
  readonly value?: string;
  /** The words its value can be. */
  readonly words?: readonly string[];
  /** What the program offers for its value. */
  readonly candidates?: CandidateKind;
  /** Other ways to write it. */
  readonly aliases?: readonly FlagName[];
}

export const GROUPS = ['Running', 'Model', 'Limits', 'Permission', 'Sessions', 'Prompt', 'Other'] as const;
type Group = (typeof GROUPS)[number];

type Alias = '-n' | '-p' | '-h' | '-v' | '-c' | '-r' | '--allowedTools' | '--disallowedTools';

export const FLAG_TEXTS: Readonly<Record<Exclude<FlagName, Alias>, FlagText>> = {
  '--print': {
    group: 'Running',
    text: 'run one prompt and print the answer, for scripts and pipes',
    aliases: ['-p'],
  },
  '--plain': { group: 'Running', text: 'a conversation without colour or moving lines; reads a pipe, too' },
  '--output-format': {
    group: 'Running',
    text: 'what -p prints: the answer, one result object, or every event',
    words: ['text', 'json', 'stream-json'],
  },
  '--input-format': {
    group: 'Running',
    text: 'what -p reads: a text, or prompts as lines of JSON',
    words: ['text', 'stream-json'],
  },
  '--include-partial-messages': {
    group: 'Running',
    text: 'stream-json also shows the raw events of the model',
  },
  '--replay-user-messages': { group: 'Running', text: 'stream-json also repeats the prompts it was given' },
  '--json-schema': {
    group: 'Running',
    value: 'SCHEMA',
    text: 'the answer must be an object of this JSON Schema',
  },
  '--disable-slash-commands': {
    group: 'Running',
    text: 'prompts of -p are words for the model, also where they look like a command',
  },
  '--bare': { group: 'Running', text: 'the fastest start: nothing is looked for, nothing runs beside' },
  '--model': {
    group: 'Model',
    value: 'NAME',
    candidates: 'models',
    text: 'opus, sonnet, haiku, PROVIDER/MODEL, rehearsal (offline), replay:FILE; see heddle models',
  },
  '--fallback-model': {
    group: 'Model',
    value: 'NAMES',
    candidates: 'models',
    text: 'models that take over in order when one is overloaded, separated by commas',
  },
  '--effort': {
    group: 'Model',
    text: 'how much work goes into an answer',
    words: ['low', 'medium', 'high', 'xhigh', 'max'],
  },
  '--thinking': {
    group: 'Model',
    text: 'whether the model thinks before it answers; on unless disabled',
    words: ['adaptive', 'disabled'],
  },
  '--max-thinking-tokens': { group: 'Model', value: 'N', text: 'how long it may think; 0 switches it off' },
  '--betas': { group: 'Model', value: 'NAMES', text: 'beta features of the API, up to the next flag' },
  '--record': {
    group: 'Model',
    value: 'FILE',
    text: 'record what is exchanged with the model, without secrets; play it with replay:FILE',
  },
  '--max-turns': { group: 'Limits', value: 'N', text: 'stop after N rounds of tools; 0 for no limit' },
  '--max-budget-usd': { group: 'Limits', value: 'USD', text: 'stop before more than this is spent' },
  '--task-budget': { group: 'Limits', value: 'TOKENS', text: 'tell the model how many tokens it has' },
  '--permission-mode': {
    group: 'Permission',
    text: 'what may run unasked',
    words: ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'],
  },
  '--allowed-tools': {
    group: 'Permission',
    value: 'RULES',
    text: 'let these run unasked, up to the next flag, for example: Read "Bash(npm test)"',
    aliases: ['--allowedTools'],
  },
  '--disallowed-tools': {
    group: 'Permission',
    value: 'RULES',
    text: 'never run these, up to the next flag',
    aliases: ['--disallowedTools'],
  },
  '--tools': {
    group: 'Permission',
    value: 'NAMES',
    text: 'offer the model only these tools, up to the next flag; "" for none',
  },
  '--add-dir': {
    group: 'Permission',
    value: 'FOLDERS',
    text: 'folders to work in beside this one, up to the next flag',
  },
  '--permission-prompt-tool': {
    group: 'Permission',
    text: 'stdio: the program that drives Heddle answers questions',
    words: ['stdio'],
  },
  '--permission-prompts': {
    group: 'Permission',
    text: 'none: nobody is asked, whoever drives Heddle; what would ask is denied',
    words: ['host', 'none'],
  },
  '--dangerously-skip-permissions': {
    group: 'Permission',
    text: 'run everything that no rule denies or asks about; for containers',
  },
  '--allow-dangerously-skip-permissions': {
    group: 'Permission',
    text: 'the driving program may switch to that later',
  },
  '--continue': { group: 'Sessions', text: 'go on with the newest session of this folder', aliases: ['-c'] },
  '--resume': {
    group: 'Sessions',
    value: 'ID',
    candidates: 'sessions',
    text: 'go on with a session: its id, the beginning of it, or its title (--resume="two words")',
    aliases: ['-r'],
  },
  '--fork-session': { group: 'Sessions', text: 'go on in a copy; the old session stays as it is' },
  '--resume-session-at': {
    group: 'Sessions',
    value: 'MESSAGE',
    text: 'go on from this message, without what came after it',
  },
  '--name': {
    group: 'Sessions',
    value: 'TITLE',
    text: 'what the session is called in lists',
    aliases: ['-n'],
  },
  '--session-id': { group: 'Sessions', value: 'UUID', text: 'the id of the new session' },
  '--no-session-persistence': { group: 'Sessions', text: 'keep no session file' },
  '--system-prompt': { group: 'Prompt', value: 'TEXT', text: 'in place of the built-in one' },
  '--append-system-prompt': { group: 'Prompt', value: 'TEXT', text: 'behind the built-in one' },
  '--system-prompt-file': { group: 'Prompt', value: 'FILE', text: 'the same, from a file' },
  '--append-system-prompt-file': { group: 'Prompt', value: 'FILE', text: 'the same, from a file' },
  '--settings': { group: 'Other', value: 'FILE', text: 'more settings: a file, or JSON' },
  '--setting-sources': {
    group: 'Other',
    value: 'LIST',
    text: 'which settings are read: user,project,local; "" for none',
  },
  '--managed-settings': { group: 'Other', value: 'JSON', text: 'settings that nothing overrides' },
  '--debug': {
    group: 'Other',
    text: 'tell on standard error what the loop does; --debug=retry,transition for some kinds of events',
  },
  '--debug-file': { group: 'Other', value: 'FILE', text: 'tell it there' },
  '--verbose': { group: 'Other', text: 'accepted for compatibility; stream-json is always complete' },
  '--version': { group: 'Other', text: 'the version', aliases: ['-v'] },
  '--help': { group: 'Other', text: 'this text', aliases: ['-h'] },
};
