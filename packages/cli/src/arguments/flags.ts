/**
 * The flags, in one table. A row contains the name, the arguments that the flag takes, its parser, its help text and its
 * destination. The types of the options, `--help`, completions and the documentation follow from it.
 */
import {
  agentsObject,
  choiceFlag,
  commaList,
  folderPath,
  type Flag,
  jsonSchema,
  listFlag,
  optionalFlag,
  PERMISSION_MODES,
  permissionMode,
  plainText,
  positiveAmount,
  promptToolName,
  sessionFlag,
  settingSources,
  type FlagSurface,
  switchFlag,
  toolsFlag,
  uuid,
  valueFlag,
  wholeNumber,
} from './flag-kinds.ts';

export const FLAGS = {
  '--print': switchFlag('part', 'print', {
    group: 'Running',
    text: 'run one prompt and print the answer, for scripts and pipes',
    aliases: ['-p'],
  }),
  '--plain': switchFlag('chat', 'plain', {
    group: 'Running',
    text: 'a conversation without color or moving lines; reads a pipe, too',
  }),
  '--output-format': choiceFlag('print', 'outputFormat', ['text', 'json', 'stream-json'], {
    group: 'Running',
    text: 'what -p prints: the answer, one result object, or every event',
  }),
  '--input-format': choiceFlag('print', 'inputFormat', ['text', 'stream-json'], {
    group: 'Running',
    text: 'what -p reads: a text, or prompts as lines of JSON',
  }),
  '--include-partial-messages': switchFlag('every', 'partialMessages', {
    group: 'Running',
    text: 'stream-json also shows the raw events of the model',
  }),
  '--include-hook-events': switchFlag('print', 'hookEvents', {
    group: 'Running',
    text: 'stream-json also shows the starts, outputs and ends of hooks',
  }),
  '--replay-user-messages': switchFlag('print', 'replayUserMessages', {
    group: 'Running',
    text: 'stream-json also repeats the prompts it was given',
  }),
  '--forward-subagent-text': switchFlag('every', 'forwardSubagentText', {
    group: 'Running',
    text: 'stream-json also shows the text and thinking of subagents',
  }),
  '--agent': valueFlag('every', 'agent', plainText, {
    group: 'Running',
    value: 'NAME',
    text: 'run the conversation as this agent: its prompt, tools and model',
  }),
  '--agents': valueFlag('every', 'agents', agentsObject, {
    group: 'Running',
    value: 'JSON',
    text: 'types of subagents, by name: {"reviewer": {"description": "…", "prompt": "…"}}',
  }),
  '--json-schema': valueFlag('every', 'jsonSchema', jsonSchema, {
    group: 'Running',
    value: 'SCHEMA',
    text: 'the answer must be an object of this JSON Schema',
  }),
  '--disable-slash-commands': switchFlag('print', 'verbatim', {
    group: 'Running',
    text: 'prompts of -p are words for the model, also where they look like a command',
  }),
  '--prompt-suggestions': switchFlag('every', 'promptSuggestions', {
    group: 'Running',
    text: 'suggest the next prompt after a turn; costs one request',
  }),
  '--init': switchFlag('every', 'init', {
    group: 'Running',
    text: 'run the Setup hooks before the first prompt, to prepare a project',
  }),
  '--init-only': switchFlag('every', 'initOnly', {
    group: 'Running',
    text: 'run the Setup and SessionStart hooks, and exit',
  }),
  '--maintenance': switchFlag('every', 'maintenance', {
    group: 'Running',
    text: 'run the Setup hooks before the first prompt, to maintain a project',
  }),
  '--bare': switchFlag('every', 'bare', {
    group: 'Running',
    text: 'the fastest start: no instruction files, hooks or extensions, and no work after a turn',
  }),
  '--model': valueFlag('every', 'model', plainText, {
    group: 'Model',
    value: 'NAME',
    candidates: 'models',
    text: 'opus, sonnet, haiku, PROVIDER/MODEL, rehearsal (offline), replay:FILE; see heddle models',
  }),
  '--fallback-model': valueFlag('every', 'fallbackModel', commaList, {
    group: 'Model',
    value: 'NAMES',
    candidates: 'models',
    text: 'models that take over in order when one is overloaded, separated by commas',
  }),
  '--effort': choiceFlag('every', 'effort', ['low', 'medium', 'high', 'xhigh', 'max'], {
    group: 'Model',
    text: 'how much work goes into an answer',
  }),
  '--thinking': choiceFlag('part', 'thinking', ['adaptive', 'disabled'], {
    group: 'Model',
    text: 'whether the model thinks before it answers; on unless disabled',
  }),
  '--max-thinking-tokens': valueFlag('part', 'maxThinkingTokens', wholeNumber, {
    group: 'Model',
    value: 'N',
    text: 'how long it may think; 0 switches it off',
  }),
  '--betas': listFlag('every', 'betas', 'betas', {
    group: 'Model',
    value: 'NAMES',
    text: 'beta features of the API, up to the next flag',
  }),
  '--record': valueFlag('every', 'record', plainText, {
    group: 'Model',
    value: 'FILE',
    text: 'record what is exchanged with the model, without secrets; play it with replay:FILE',
  }),
  '--max-turns': valueFlag('every', 'maxTurns', wholeNumber, {
    group: 'Limits',
    value: 'N',
    text: 'stop after N rounds of tools; 0 for no limit',
  }),
  '--max-budget-usd': valueFlag('every', 'maxBudgetUsd', positiveAmount, {
    group: 'Limits',
    value: 'USD',
    text: 'stop before more than this is spent',
  }),
  '--task-budget': valueFlag('every', 'taskBudget', wholeNumber, {
    group: 'Limits',
    value: 'TOKENS',
    text: 'tell the model how many tokens it has',
  }),
  '--permission-mode': valueFlag('part', 'permissionMode', permissionMode, {
    group: 'Permission',
    text: 'what may run unasked',
    words: PERMISSION_MODES,
  }),
  '--allowed-tools': listFlag('every', 'allowedTools', 'rules', {
    group: 'Permission',
    value: 'RULES',
    text: 'let these run unasked, up to the next flag, for example: Read "Bash(npm test)"',
    aliases: ['--allowedTools'],
  }),
  '--disallowed-tools': listFlag('every', 'disallowedTools', 'rules', {
    group: 'Permission',
    value: 'RULES',
    text: 'never run these, up to the next flag',
    aliases: ['--disallowedTools'],
  }),
  '--tools': toolsFlag('every', 'tools', {
    group: 'Permission',
    value: 'NAMES',
    text: 'offer the model only these tools, up to the next flag; "" for none',
  }),
  '--add-dir': listFlag('every', 'addDirs', 'folders', {
    group: 'Permission',
    value: 'FOLDERS',
    text: 'folders to work in beside this one, up to the next flag',
  }),
  '--permission-prompt-tool': valueFlag('part', 'promptTool', promptToolName, {
    group: 'Permission',
    value: 'TOOL',
    text: 'stdio: the program that drives Heddle answers questions; mcp__SERVER__TOOL: this tool does',
  }),
  '--permission-prompts': choiceFlag('part', 'prompts', ['host', 'none'], {
    group: 'Permission',
    text: 'none: no question is asked; a call that would ask is denied',
  }),
  '--dangerously-skip-permissions': switchFlag('part', 'bypass', {
    group: 'Permission',
    text: 'run everything that no rule denies or asks about; for containers',
  }),
  '--allow-dangerously-skip-permissions': switchFlag('part', 'allowBypass', {
    group: 'Permission',
    text: 'the driving program may switch to that later',
  }),
  '--continue': switchFlag('part', 'continue', {
    group: 'Sessions',
    text: 'continue the newest session of this folder',
    aliases: ['-c'],
  }),
  '--continue-run': switchFlag('part', 'continueRun', {
    group: 'Sessions',
    text: 'continue the prompt that was cut off, where it stopped; in the newest session, or with --resume',
  }),
  '--resume': sessionFlag('part', 'resume', {
    group: 'Sessions',
    value: 'ID',
    candidates: 'sessions',
    text: 'continue a session: its id, the beginning of it, or its title (--resume="two words")',
    aliases: ['-r'],
  }),
  '--fork-session': switchFlag('part', 'fork', {
    group: 'Sessions',
    text: 'continue in a copy; the old session stays as it is',
  }),
  '--resume-session-at': valueFlag('part', 'resumeAt', plainText, {
    group: 'Sessions',
    value: 'MESSAGE',
    text: 'continue from this message, without what came after it',
  }),
  '--resume-drops-turn': valueFlag('part', 'dropsTurn', plainText, {
    group: 'Sessions',
    value: 'MESSAGE',
    text: 'with --resume-session-at: refuse if more than the turn of this prompt would be dropped',
  }),
  '--session-mirror': switchFlag('print', 'mirrorsSession', {
    group: 'Sessions',
    text: 'the driving program receives each stored line of the session',
  }),
  '--await-initialize': switchFlag('print', 'awaitsInitialize', {
    group: 'Other',
    text: 'the driving program names plugins in its first line; the start waits for it',
  }),
  '--managed-settings-in-initialize': switchFlag('print', 'hasManagedSettings', {
    group: 'Other',
    text: 'the driving program sends managed settings in its first line',
  }),
  '--name': valueFlag('part', 'title', plainText, {
    group: 'Sessions',
    value: 'TITLE',
    text: 'what the session is called in lists',
    aliases: ['-n'],
  }),
  '--session-id': valueFlag('part', 'sessionId', uuid, {
    group: 'Sessions',
    value: 'UUID',
    text: 'the id of the new session',
  }),
  '--no-session-persistence': switchFlag('part', 'noPersistence', {
    group: 'Sessions',
    text: 'keep no session file',
  }),
  '--system-prompt': valueFlag('part', 'systemPrompt', plainText, {
    group: 'Prompt',
    value: 'TEXT',
    text: 'in place of the built-in one',
  }),
  '--append-system-prompt': valueFlag('part', 'appendSystemPrompt', plainText, {
    group: 'Prompt',
    value: 'TEXT',
    text: 'behind the built-in one',
  }),
  '--system-prompt-file': valueFlag('part', 'systemPromptFile', plainText, {
    group: 'Prompt',
    value: 'FILE',
    text: 'the same, from a file',
  }),
  '--append-system-prompt-file': valueFlag('part', 'appendSystemPromptFile', plainText, {
    group: 'Prompt',
    value: 'FILE',
    text: 'the same, from a file',
  }),
  '--mcp-config': listFlag('every', 'mcpConfig', 'configs', {
    group: 'Other',
    value: 'FILES',
    text: 'MCP servers from these files or JSON, up to the next flag',
  }),
  '--strict-mcp-config': switchFlag('every', 'strictMcpConfig', {
    group: 'Other',
    text: 'use no other MCP servers than those of --mcp-config',
  }),
  '--plugin-dir': listFlag('every', 'pluginDirs', 'folders', {
    group: 'Other',
    value: 'FOLDERS',
    text: 'plugins from these folders, up to the next flag',
  }),
  '--plugin-dir-no-mcp': listFlag('every', 'pluginDirsNoMcp', 'folders', {
    group: 'Other',
    value: 'FOLDERS',
    text: 'plugins from these folders, without their MCP servers',
  }),
  '--settings': valueFlag('every', 'settings', plainText, {
    group: 'Other',
    value: 'FILE',
    text: 'more settings: a file, or JSON',
  }),
  '--setting-sources': valueFlag('every', 'settingSources', settingSources, {
    group: 'Other',
    value: 'LIST',
    text: 'which settings are read: user,project,local; "" for none',
  }),
  '--project-config-root': valueFlag('every', 'projectConfigRoot', folderPath, {
    group: 'Other',
    value: 'DIR',
    text: 'the checkout with the settings, servers, agents, commands and skills of the project',
  }),
  '--managed-settings': valueFlag('every', 'managedSettings', plainText, {
    group: 'Other',
    value: 'JSON',
    text: 'settings that nothing overrides',
  }),
  '--debug': optionalFlag('part', 'debug', commaList, {
    group: 'Other',
    text: 'tell on standard error what the loop does; --debug=retry,transition for some kinds of events',
  }),
  '--debug-file': valueFlag('part', 'debugFile', plainText, {
    group: 'Other',
    value: 'FILE',
    text: 'tell it there',
  }),
  '--verbose': switchFlag('part', 'verbose', {
    group: 'Other',
    text: 'accepted for compatibility; stream-json is always complete',
  }),
  '--version': switchFlag('part', 'version', { group: 'Other', text: 'the version', aliases: ['-v'] }),
  '--help': switchFlag('part', 'help', { group: 'Other', text: 'this text', aliases: ['-h'] }),
} as const satisfies Readonly<Record<string, Flag>>;

type FlagName = keyof typeof FLAGS;

type Row = (typeof FLAGS)[FlagName];

/** The names of all values that flags give. */
export type Destination = Row['to'];

/** The type of the value with this name, as the parser of its row returns it. */
export type ValueOf<To extends Destination> =
  Extract<Row, { readonly to: To }> extends Flag<FlagSurface, To, infer Value> ? Value : never;

/** The values of all flags of a surface, by their names. */
export type ValuesFor<On extends FlagSurface> = {
  readonly [R in Extract<Row, { readonly surface: On }> as R['to']]: ValueOf<R['to']>;
};
