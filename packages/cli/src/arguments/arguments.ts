/**
 * Reads the command line into a command. Pure; an unknown flag is an error that names the nearest known one, except where a
 * program speaks: the next release of its client library may have flags that this one has never heard of.
 */
import { type Effort, isJsonObject, type JsonObject, type PermissionMode, type Thinking } from '@heddle/core';
import { type CommandName, foreignCommand, isCommand, nearestCommand } from './program-commands.ts';
import { collectValues, type FlagMistake, UsageError } from './flags.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';

export interface PrintCommand extends RunOptions {
  readonly name: 'print';
  /** Undefined: the prompt comes through the pipe. */
  readonly prompt: string | undefined;
  readonly inputFormat: 'text' | 'stream-json';
  readonly outputFormat: OutputFormat;
  /** Permission questions go to the host over the control channel. */
  readonly asksHost: boolean;
  readonly replayUserMessages: boolean;
  /** Prompts are words for the model, also where they look like a command. */
  readonly verbatim: boolean;
}

/** A conversation at the terminal. */
export interface ChatCommand extends RunOptions {
  readonly name: 'chat';
  /** The first prompt, if one was given. */
  readonly prompt: string | undefined;
  /** No colour, no moving lines; standard input may be a pipe. */
  readonly plain: boolean;
}

/** What every surface that runs prompts understands. */
export interface RunOptions {
  readonly model: string | undefined;
  /** In the order in which they are tried. Undefined: the settings decide. */
  readonly fallbackModel: readonly string[] | undefined;
  readonly thinking: Thinking | undefined;
  readonly effort: Effort | undefined;
  readonly betas: readonly string[];
  readonly maxTurns: number | undefined;
  readonly maxBudgetUsd: number | undefined;
  readonly taskBudget: number | undefined;
  readonly jsonSchema: JsonObject | undefined;
  /** Undefined: what the settings say. */
  readonly permissionMode: PermissionMode | undefined;
  /** bypassPermissions may be switched on later. */
  readonly mayBypass: boolean;
  readonly addDirs: readonly string[];
  /** A file or JSON. */
  readonly settings: string | undefined;
  readonly managedSettings: string | undefined;
  /** Undefined: all. */
  readonly settingSources: readonly ('user' | 'project' | 'local')[] | undefined;
  /** The tools offered; undefined: all of them. */
  readonly tools: readonly string[] | undefined;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly systemPrompt: PromptText | undefined;
  readonly appendSystemPrompt: PromptText | undefined;
  readonly partialMessages: boolean;
  /** What happens is told, line by line. */
  readonly debug: Debugging | undefined;
  /** Where the exchange with the model is recorded. */
  readonly record: string | undefined;
  readonly bare: boolean;
  readonly session: SessionChoice;
  /** What was asked for and there is not: told, and the run goes on without. */
  readonly notes: readonly string[];
}

export type PromptText = { readonly text: string } | { readonly file: string };

export interface Debugging {
  /** Undefined: standard error. */
  readonly file: string | undefined;
  /** Kinds of events; none: all of them. */
  readonly only: readonly string[];
}

export interface SessionChoice {
  readonly persist: boolean;
  readonly from:
    | { readonly kind: 'new' }
    | { readonly kind: 'resume'; readonly id: string }
    /** The user chooses from a list. */
    | { readonly kind: 'pick' }
    | { readonly kind: 'continue' };
  readonly fork: boolean;
  readonly id: string | undefined;
  /** What the user calls it. */
  readonly title?: string | undefined;
  /** Keep the conversation up to and including this message. */
  readonly at: string | undefined;
}

type Command =
  | PrintCommand
  | ChatCommand
  | { readonly name: 'help' | 'version' }
  /** Reads its own words. */
  | { readonly name: 'own'; readonly command: CommandName; readonly argv: readonly string[] };

type ParsedArguments =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly message: string };

const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
const FORMATS: readonly OutputFormat[] = ['text', 'json', 'stream-json'];
const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

export function readArguments(argv: readonly string[]): ParsedArguments {
  try {
    return { ok: true, command: commandOf(argv) };
  } catch (thrown) {
    if (thrown instanceof UsageError) return { ok: false, message: thrown.message };
    throw thrown;
  }
}

function commandOf(argv: readonly string[]): Command {
  const [first = '', ...rest] = argv;
  if (isCommand(first)) return { name: 'own', command: first, argv: rest };
  if (first === 'help') return helpOf(rest);
  if (first === 'version' && rest.length === 0) return { name: 'version' };
  refuseMistyped(first, rest);
  refuseForeignCommand(argv);
  const { values, lists, words, notes, unknown } = collectValues(argv);
  const [mistake] = unknown;
  if (mistake && values.get('inputFormat') !== 'stream-json') throw new UsageError(mistake.message);
  if (values.has('help')) return { name: 'help' };
  if (values.has('version')) return { name: 'version' };
  const inputFormat = oneOf('--input-format', values.get('inputFormat') ?? 'text', [
    'text',
    'stream-json',
  ] as const);
  const prompt = words.length === 0 ? undefined : words.join(' ');
  // A client that speaks JSON on both sides wants no terminal; it does not say -p.
  const headless = values.has('print') || inputFormat === 'stream-json';
  const options = { ...runOptions(values, lists), notes: [...notes, ...unknown.map(passedOver)] };
  if (!headless) return { name: 'chat', prompt, plain: values.has('plain'), ...options };
  if (values.get('resume') === '')
    throw new UsageError('--resume needs a session, its id or title: there is nobody to choose one');
  const outputFormat = oneOf('--output-format', values.get('outputFormat') ?? 'text', FORMATS);
  if (inputFormat === 'stream-json' && outputFormat !== 'stream-json') {
    throw new UsageError('--input-format stream-json needs --output-format stream-json');
  }
  return {
    name: 'print',
    prompt,
    inputFormat,
    outputFormat,
    asksHost: asksHost(values),
    replayUserMessages: values.has('replayUserMessages'),
    verbatim: values.has('verbatim'),
    ...options,
  };
}

/** Somebody is there to be asked, and wants to be. */
function asksHost(values: Values): boolean {
  const tool = optional(values.get('promptTool'), (value) =>
    oneOf('--permission-prompt-tool', value, ['stdio']),
  );
  const who = optional(values.get('prompts'), (value) =>
    oneOf('--permission-prompts', value, ['host', 'none'] as const),
  );
  return tool !== undefined && who !== 'none';
}

function passedOver({ name }: FlagMistake): string {
  return `${name}: nobody here knows this flag; it is passed over`;
}

function helpOf([about]: readonly string[]): Command {
  if (about === undefined) return { name: 'help' };
  if (isCommand(about)) return { name: 'own', command: about, argv: ['--help'] };
  throw new UsageError(`there is no command ${about}; heddle --help lists commands and flags`);
}

/** `heddle sesions` is no prompt. Two words may still belong to a command; who says more says it to the model. */
function refuseMistyped(first: string, rest: readonly string[]): void {
  const near = rest.length > 1 ? undefined : nearestCommand(first);
  if (near === undefined) return;
  const words = [first, ...rest].join(' ');
  throw new UsageError(
    `there is no command ${first}; did you mean heddle ${near}? As a prompt: heddle -- "${words}"`,
  );
}

/** `heddle mcp list` comes from the habit of another program. Sent to a model it would cost money. */
function refuseForeignCommand(argv: readonly string[]): void {
  const advice = foreignCommand(argv);
  if (advice === undefined) return;
  const words = argv.length === 1 ? argv[0] : JSON.stringify(argv.join(' '));
  throw new UsageError(`there is no command ${argv[0]}; ${advice}. As a prompt: heddle -- ${words}`);
}

function runOptions(
  values: Values,
  lists: ReadonlyMap<string, readonly string[]>,
): Omit<RunOptions, 'notes'> {
  return {
    model: values.get('model'),
    fallbackModel: optional(values.get('fallbackModel'), (value) =>
      value
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    ),
    thinking: thinkingOf(values),
    effort: optional(values.get('effort'), (value) => oneOf('--effort', value, EFFORTS)),
    betas: lists.get('betas') ?? [],
    maxTurns: wholeNumber('--max-turns', values.get('maxTurns')),
    maxBudgetUsd: amount('--max-budget-usd', values.get('maxBudgetUsd')),
    taskBudget: wholeNumber('--task-budget', values.get('taskBudget')),
    jsonSchema: optional(values.get('jsonSchema'), schemaOf),
    permissionMode: modeOf(values),
    mayBypass: values.has('bypass') || values.has('allowBypass'),
    addDirs: lists.get('addDirs') ?? [],
    settings: values.get('settings'),
    managedSettings: values.get('managedSettings'),
    settingSources: optional(values.get('settingSources'), sourcesOf),
    tools: lists.get('tools')?.includes('default') ? undefined : lists.get('tools'),
    allowedTools: lists.get('allowedTools') ?? [],
    disallowedTools: lists.get('disallowedTools') ?? [],
    systemPrompt: promptText(values, 'systemPrompt', '--system-prompt'),
    appendSystemPrompt: promptText(values, 'appendSystemPrompt', '--append-system-prompt'),
    partialMessages: values.has('partialMessages'),
    debug: debuggingOf(values),
    record: values.get('record'),
    bare: values.has('bare'),
    session: sessionOf(values),
  };
}

type Values = ReadonlyMap<string, string>;

function sessionOf(values: Values): SessionChoice {
  const id = values.get('resume');
  if (id !== undefined && values.has('continue'))
    throw new UsageError('--resume and --continue exclude each other');
  const from =
    id === undefined
      ? { kind: values.has('continue') ? ('continue' as const) : ('new' as const) }
      : id === ''
        ? { kind: 'pick' as const }
        : { kind: 'resume' as const, id };
  const fork = values.has('fork');
  if (fork && from.kind === 'new') throw new UsageError('--fork-session needs --resume or --continue');
  const own = optional(values.get('sessionId'), uuidOf);
  if (own !== undefined && from.kind !== 'new' && !fork)
    throw new UsageError(
      '--session-id is for a new session; with --resume or --continue it needs --fork-session',
    );
  return {
    persist: !values.has('noPersistence'),
    from,
    fork,
    id: own,
    title: values.get('title'),
    at: values.get('resumeAt'),
  };
}

/** What every client sends, and what no other session has by accident. */
function uuidOf(text: string): string {
  if (isUuid(text)) return text;
  throw new UsageError(`--session-id takes a UUID, not ${text}; a title is given with --name`);
}

function promptText(values: Values, name: string, flag: string): PromptText | undefined {
  const text = values.get(name);
  const file = values.get(`${name}File`);
  if (text !== undefined && file !== undefined)
    throw new UsageError(`${flag} and ${flag}-file exclude each other`);
  if (text !== undefined) return { text };
  return file === undefined ? undefined : { file };
}

function debuggingOf(values: Values): Debugging | undefined {
  const file = values.get('debugFile');
  const only = values.get('debug');
  if (only === undefined && file === undefined) return undefined;
  return { file, only: (only ?? '').split(',').filter(Boolean) };
}

function modeOf(values: Values): PermissionMode | undefined {
  if (values.has('bypass')) return 'bypassPermissions';
  return optional(values.get('permissionMode'), (mode) =>
    oneOf('--permission-mode', mode === 'manual' ? 'default' : mode, MODES),
  );
}

function sourcesOf(value: string): ('user' | 'project' | 'local')[] {
  const sources = value.split(',').map((source) => source.trim());
  return sources
    .filter(Boolean)
    .map((source) => oneOf('--setting-sources', source, ['user', 'project', 'local'] as const));
}

function thinkingOf(values: Values): Thinking | undefined {
  const tokens = wholeNumber('--max-thinking-tokens', values.get('maxThinkingTokens'));
  if (tokens !== undefined)
    return tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: tokens };
  const type = optional(values.get('thinking'), (value) =>
    oneOf('--thinking', value, ['adaptive', 'disabled'] as const),
  );
  return type && { type };
}

function schemaOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Told below.
  }
  throw new UsageError('--json-schema takes a JSON Schema object');
}

function optional<T>(value: string | undefined, read: (value: string) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function oneOf<T extends string>(flag: string, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (!found) throw new UsageError(`${flag} takes one of ${allowed.join(', ')}, not ${value}`);
  return found;
}

function wholeNumber(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new UsageError(`${flag} takes a whole number, not ${value}`);
  return Number(value);
}

function amount(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(value) || Number(value) <= 0)
    throw new UsageError(`${flag} takes an amount over 0, not ${value}`);
  return Number(value);
}
/** The ids that sessions have. */
function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
