/** The first and the last line of a prompt's run. */
import { NO_USAGE, type Terminal, type TerminalReason } from '@heddle/core';
import {
  type PermissionDenial,
  type ResultSubtype,
  type SdkInit,
  type SdkResult,
  sdkUsage,
  totalCost,
} from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';
import type { CostTotals } from '../cost/cost-tracker.ts';
import type { PromptRun, RunCounts } from './prompt-run.ts';

/** The protocol version of these lines. Clients derive from it what they can expect. */
export const VERSION = '0.1.0';

export interface LineStamp {
  readonly uuid: string;
  readonly session_id: string;
}

export function initLine(options: AgentOptions, stamp: LineStamp): SdkInit {
  const { slashCommands = [], skills = [], plugins = [] } = options.extensions?.() ?? {};
  const agents = options.subagents?.definitions().map(({ name }) => name) ?? [];
  return {
    type: 'system',
    subtype: 'init',
    ...stamp,
    cwd: options.cwd,
    model: options.modelName,
    permissionMode: options.permissionMode ?? 'default',
    apiKeySource: options.apiKeySource ?? 'none',
    claude_code_version: VERSION,
    tools: [
      ...options.tools.map(({ name }) => CLIENT_NAMES.get(name) ?? name),
      ...(options.liveTools?.names() ?? []),
    ],
    mcp_servers: options.liveTools?.servers() ?? [],
    slash_commands: ['compact', 'continue', ...(options.slashCommands ?? []), ...slashCommands],
    output_style: 'default',
    skills,
    ...(agents.length === 0 ? {} : { agents }),
    plugins,
  };
}

/** Clients know the tool by its first name. */
const CLIENT_NAMES: ReadonlyMap<string, string> = new Map([['Agent', 'Task']]);

export interface EndOfRun {
  readonly terminal: Terminal;
  readonly counts: RunCounts;
  readonly denials: readonly PermissionDenial[];
  /** Of the whole conversation, not of this run alone. */
  readonly spending: CostTotals;
  readonly now: number;
  /** The structured answer, if one was asked for and given. */
  readonly structured: unknown;
  /** A structured answer was requested and never given. */
  readonly exhausted: boolean;
  /** Why the end could not be stored; undefined if it was. */
  readonly unstored: string | undefined;
}

export function endOf(
  { counts, denials, structured }: PromptRun,
  end: Pick<EndOfRun, 'terminal' | 'spending' | 'now' | 'unstored'>,
): EndOfRun {
  return {
    ...end,
    counts,
    denials: denials.list,
    structured: structured?.value,
    exhausted: structured?.exhausted === true && NORMAL_ENDS.has(end.terminal.reason),
  };
}

/** A run with such an end did not fail for another reason. */
const NORMAL_ENDS: ReadonlySet<Terminal['reason']> = new Set(['completed', 'hook_stopped']);

export function resultLine(end: EndOfRun, stamp: LineStamp): SdkResult {
  const { terminal, counts, spending } = end;
  const { subtype, isError, word } = end.exhausted
    ? NEVER_VALID
    : end.structured === undefined
      ? interpretTerminal(terminal)
      : STRUCTURED;
  return {
    type: 'result',
    subtype,
    is_error: isError,
    duration_ms: end.now - counts.startedAt,
    duration_api_ms: counts.apiMs,
    num_turns: turnsOf(end),
    stop_reason: isTruncated(terminal) ? 'max_tokens' : counts.stopReason,
    total_cost_usd: totalCost(spending),
    usage: sdkUsage(counts.usage, counts.webSearches),
    modelUsage: spending.models,
    permission_denials: end.denials,
    terminal_reason: word,
    ...stamp,
    ...outcome(end, subtype),
  };
}

/** The result of a command that was typed as a prompt. It has no terminal, because there was no run. */
export function commandResult(command: string, end: EndOfRun, stamp: LineStamp): SdkResult {
  const { terminal_reason: _, ...line } = resultLine(end, stamp);
  return { ...line, local_command: command };
}

const STRUCTURED = { subtype: 'success', isError: false, word: 'completed' } as const;
const NEVER_VALID = {
  subtype: 'error_max_structured_output_retries',
  isError: true,
  word: 'structured_output_retry_exhausted',
} as const;

type Outcome = Pick<SdkResult, 'result' | 'errors' | 'api_error_status' | 'structured_output'>;

/** An answer stays valid if its end could not be stored. The result reports both. */
function outcome(end: EndOfRun, subtype: SdkResult['subtype']): Outcome {
  const outcome = outcomeOf(end, subtype);
  const { unstored } = end;
  if (unstored === undefined || outcome.errors?.includes(unstored)) return outcome;
  return { ...outcome, errors: [...(outcome.errors ?? []), unstored] };
}

function outcomeOf(
  { terminal, counts, structured, exhausted }: EndOfRun,
  subtype: SdkResult['subtype'],
): Outcome {
  if (exhausted) return { errors: ['The model never gave an output of the required shape.'] };
  if (structured !== undefined) return { result: JSON.stringify(structured), structured_output: structured };
  if (subtype !== 'success') return failure(terminal, counts);
  const status = terminal.reason === 'api_error' ? (terminal.error.status ?? null) : null;
  if (isTruncated(terminal))
    return { result: counts.answerText, api_error_status: status, errors: [TRUNCATED] };
  const { isError } = interpretTerminal(terminal);
  return { result: isError ? counts.errorText : counts.answerText, api_error_status: status };
}

/** The partial text of an interrupted answer is in the conversation, so it is part of the result. */
function failure(terminal: Terminal, { answerText }: RunCounts): Outcome {
  const errors = [errorSentence(terminal)];
  const isInterrupted = terminal.reason === 'aborted_streaming' || terminal.reason === 'aborted_tools';
  return isInterrupted && answerText !== '' ? { result: answerText, errors } : { errors };
}

const TRUNCATED =
  'The answer is incomplete: it was cut off at the output limit again and again. Ask for less at once, or raise the limit.';

function isTruncated(terminal: Terminal): boolean {
  return terminal.reason === 'completed' && terminal.truncated === true;
}

/** Round trips to the model, also one that the API refused. A run that reached its limit counts the turn that did not start. */
function turnsOf({ terminal, counts }: EndOfRun): number {
  if (terminal.reason === 'max_turns') return terminal.turnCount;
  return counts.answers + Number(isTruncated(terminal) || REFUSALS.has(terminal.reason));
}

/** Ends after a request that the API refused. */
const REFUSALS: ReadonlySet<Terminal['reason']> = new Set(['api_error', 'prompt_too_long', 'image_error']);

/** The result of a run that could not start. The costs of earlier prompts stay in the total. */
export function failedStart(message: string, stamp: LineStamp, spending?: CostTotals): SdkResult {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    duration_ms: 0,
    duration_api_ms: 0,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: spending ? totalCost(spending) : 0,
    usage: sdkUsage(NO_USAGE),
    modelUsage: spending?.models ?? {},
    permission_denials: [],
    terminal_reason: 'turn_setup_failed',
    ...stamp,
    errors: [message],
  };
}

interface Reading {
  readonly subtype: ResultSubtype;
  readonly isError: boolean;
  /** The reason as SDK clients name it. */
  readonly word: string;
}

const READINGS: Readonly<Record<TerminalReason, Reading>> = {
  completed: { subtype: 'success', isError: false, word: 'completed' },
  api_error: { subtype: 'success', isError: true, word: 'api_error' },
  prompt_too_long: { subtype: 'success', isError: true, word: 'prompt_too_long' },
  image_error: { subtype: 'success', isError: true, word: 'image_error' },
  blocking_limit: { subtype: 'success', isError: true, word: 'blocking_limit' },
  max_turns: { subtype: 'error_max_turns', isError: true, word: 'max_turns' },
  max_budget_usd: { subtype: 'error_max_budget_usd', isError: true, word: 'budget_exhausted' },
  aborted_streaming: { subtype: 'error_during_execution', isError: true, word: 'aborted_streaming' },
  aborted_tools: { subtype: 'error_during_execution', isError: true, word: 'aborted_tools' },
  model_error: { subtype: 'error_during_execution', isError: true, word: 'model_error' },
  stop_hook_prevented: { subtype: 'success', isError: false, word: 'stop_hook_prevented' },
  hook_stopped: { subtype: 'success', isError: false, word: 'hook_stopped' },
  repetition_stopped: { subtype: 'error_during_execution', isError: true, word: 'repetition_stopped' },
};

/** An answer that lacks its end, or was refused, is a success of the protocol and a failure of the run. */
function interpretTerminal(terminal: Terminal): Reading {
  const reading = READINGS[terminal.reason];
  const isIncomplete =
    terminal.reason === 'completed' && (terminal.truncated === true || terminal.refused === true);
  return isIncomplete ? { ...reading, isError: true } : reading;
}

/** The error as a sentence, for the subtypes with `errors`. */
export function errorSentence(terminal: Terminal): string {
  switch (terminal.reason) {
    case 'max_turns':
      return `Reached maximum number of turns (${terminal.maxTurns})`;
    case 'max_budget_usd':
      return `Reached maximum budget ($${terminal.limitUsd})`;
    case 'aborted_streaming':
      return 'The turn was interrupted while the model was answering.';
    case 'aborted_tools':
      return 'The turn was interrupted while tools were running.';
    case 'model_error':
      return terminal.message;
    case 'repetition_stopped':
      return `The same calls kept giving the same results: ${terminal.calls.map(({ tool }) => tool).join(', ')}.`;
    default:
      return terminal.reason;
  }
}
