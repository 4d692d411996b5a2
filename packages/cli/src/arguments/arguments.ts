/**
 * Reads the command line into a command. Pure. An unknown flag is an error that names the nearest known one. It is ignored
 * if a client library starts the program: the next release of the library may have flags that this release does not know.
 */
import type { PermissionMode, Thinking } from '@heddle/core';
import { collectFlags, type FlagMistake, type FlagValues } from './collect-flags.ts';
import type { ValuesFor } from './flags.ts';
import { UsageError } from './list-flags.ts';
import { type CommandName, foreignCommand, isCommand, nearestCommand } from './program-commands.ts';

export type OutputFormat = PrintCommand['outputFormat'];

export interface PrintCommand extends RunOptions, Required<Defined<ValuesFor<'print'>>> {
  readonly name: 'print';
  /** Undefined if the prompt comes through the pipe. */
  readonly prompt: string | undefined;
  /** Permission questions go to the host over the control channel. */
  readonly asksHost: boolean;
  /** The tool of an MCP server that answers permission questions. */
  readonly askedTool: string | undefined;
}

/** A conversation at the terminal. */
export interface ChatCommand extends RunOptions, ValuesFor<'chat'> {
  readonly name: 'chat';
  /** The first prompt, if there is one. */
  readonly prompt: string | undefined;
}

type Defined<T> = { readonly [Key in keyof T]: Exclude<T[Key], undefined> };

/** The options of every surface that runs prompts. Most are the values of flags, as the table types them. */
export interface RunOptions extends ValuesFor<'every'> {
  readonly thinking: Thinking | undefined;
  /** Undefined if the settings decide. */
  readonly permissionMode: PermissionMode | undefined;
  /** bypassPermissions may be switched on later. */
  readonly mayBypass: boolean;
  readonly systemPrompt: PromptText | undefined;
  readonly appendSystemPrompt: PromptText | undefined;
  /** Events are logged, one line each. */
  readonly debug: Debugging | undefined;
  readonly session: SessionChoice;
  /** The folder of the run, if it is not the working directory of the process. Settings, trust and servers are those of this folder. */
  readonly folder?: string | undefined;
  /** Requests for features that do not exist yet. They are reported, and the run continues without them. */
  readonly notes: readonly string[];
}

export type PromptText = { readonly text: string } | { readonly file: string };

export interface Debugging {
  /** Undefined means standard error. */
  readonly file: string | undefined;
  /** Kinds of events. An empty list means all of them. */
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
  /** The title that the user gives the session. */
  readonly title?: string | undefined;
  /** Keep the conversation up to and including this message. */
  readonly at: string | undefined;
  /** The prompt of the only turn that may be dropped behind `at`. */
  readonly dropsTurn?: string | undefined;
}

type Command =
  | PrintCommand
  | ChatCommand
  | { readonly name: 'help' | 'version' }
  /** A command that reads its own arguments. */
  | { readonly name: 'own'; readonly command: CommandName; readonly argv: readonly string[] };

type ParsedArguments =
  | { readonly ok: true; readonly command: Command }
  | { readonly ok: false; readonly message: string };

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
  const { values, words, notes, unknown } = collectFlags(argv);
  const [mistake] = unknown;
  if (mistake && values.lastArgument('inputFormat') !== 'stream-json') throw new UsageError(mistake.message);
  if (values.has('help')) return { name: 'help' };
  if (values.has('version')) return { name: 'version' };
  const inputFormat = values.get('inputFormat') ?? 'text';
  const prompt = promptOf(values, words);
  const options = { ...runOptions(values), notes: [...notes, ...unknown.map(ignoredFlag)] };
  // A client that uses JSON in both directions does not pass -p, and needs no terminal.
  const isHeadless = values.has('print') || values.has('initOnly') || inputFormat === 'stream-json';
  if (!isHeadless) return { name: 'chat', prompt, ...values.valuesFor('chat'), ...options };
  if (values.get('resume') === '')
    throw new UsageError('--resume needs a session, its id or title: without a terminal, no list is shown');
  const { outputFormat = 'text', ...printed } = values.valuesFor('print');
  if (inputFormat === 'stream-json' && outputFormat !== 'stream-json') {
    throw new UsageError('--input-format stream-json needs --output-format stream-json');
  }
  const asked = values.get('prompts') === 'none' ? undefined : values.get('promptTool');
  return {
    name: 'print',
    prompt,
    ...printed,
    inputFormat,
    outputFormat,
    asksHost: asked === 'stdio',
    askedTool: asked === 'stdio' ? undefined : asked,
    ...options,
  };
}

function promptOf(values: FlagValues, words: readonly string[]): string | undefined {
  if (!values.has('continueRun')) return words.length === 0 ? undefined : words.join(' ');
  if (words.length > 0) throw new UsageError('--continue-run takes no prompt: it continues the last one');
  if (values.has('verbatim'))
    throw new UsageError('--continue-run and --disable-slash-commands exclude each other');
  return '/continue';
}

function ignoredFlag({ name }: FlagMistake): string {
  return `${name}: unknown flag, ignored`;
}

function helpOf([about]: readonly string[]): Command {
  if (about === undefined) return { name: 'help' };
  if (isCommand(about)) return { name: 'own', command: about, argv: ['--help'] };
  throw new UsageError(`there is no command ${about}; heddle --help lists commands and flags`);
}

/** `heddle sesions` is not a prompt. Two words may still be a mistyped command; more words are a prompt. */
function refuseMistyped(first: string, rest: readonly string[]): void {
  const near = rest.length > 1 ? undefined : nearestCommand(first);
  if (near === undefined) return;
  const words = [first, ...rest].join(' ');
  throw new UsageError(
    `there is no command ${first}; did you mean heddle ${near}? As a prompt: heddle -- "${words}"`,
  );
}

/** `heddle mcp list` is a command of another program. As a prompt it would cost money. */
function refuseForeignCommand(argv: readonly string[]): void {
  const advice = foreignCommand(argv);
  if (advice === undefined) return;
  const words = argv.length === 1 ? argv[0] : JSON.stringify(argv.join(' '));
  throw new UsageError(`there is no command ${argv[0]}; ${advice}. As a prompt: heddle -- ${words}`);
}

function runOptions(values: FlagValues): Omit<RunOptions, 'notes'> {
  return {
    ...values.valuesFor('every'),
    thinking: thinkingOf(values),
    permissionMode: values.has('bypass') ? 'bypassPermissions' : values.get('permissionMode'),
    mayBypass: values.has('bypass') || values.has('allowBypass'),
    systemPrompt: promptText(values, 'systemPrompt', '--system-prompt'),
    appendSystemPrompt: promptText(values, 'appendSystemPrompt', '--append-system-prompt'),
    debug: debuggingOf(values),
    session: sessionOf(values),
  };
}

function sessionOf(values: FlagValues): SessionChoice {
  const id = values.get('resume');
  if (id !== undefined && values.has('continue'))
    throw new UsageError('--resume and --continue exclude each other');
  const from =
    id === undefined
      ? {
          kind:
            values.has('continue') || values.has('continueRun') ? ('continue' as const) : ('new' as const),
        }
      : id === ''
        ? { kind: 'pick' as const }
        : { kind: 'resume' as const, id };
  const fork = values.has('fork');
  if (fork && from.kind === 'new') throw new UsageError('--fork-session needs --resume or --continue');
  const own = values.get('sessionId');
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
    dropsTurn: values.get('dropsTurn'),
  };
}

function promptText(
  values: FlagValues,
  name: 'systemPrompt' | 'appendSystemPrompt',
  flag: string,
): PromptText | undefined {
  const text = values.get(name);
  const file = values.get(`${name}File`);
  if (text !== undefined && file !== undefined)
    throw new UsageError(`${flag} and ${flag}-file exclude each other`);
  if (text !== undefined) return { text };
  return file === undefined ? undefined : { file };
}

function debuggingOf(values: FlagValues): Debugging | undefined {
  const file = values.get('debugFile');
  const only = values.get('debug');
  return only === undefined && file === undefined ? undefined : { file, only: only ?? [] };
}

/** A number of tokens is a budget; 0 switches thinking off. */
function thinkingOf(values: FlagValues): Thinking | undefined {
  const tokens = values.get('maxThinkingTokens');
  if (tokens !== undefined)
    return tokens === 0 ? { type: 'disabled' } : { type: 'enabled', budget_tokens: tokens };
  const type = values.get('thinking');
  return type && { type };
}
