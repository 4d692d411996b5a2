/** The answer of one hook, read from what its handler returned: exit code × output → effect. Pure. */
import { isRecord, type Json, type JsonObject, type Redact } from '@heddle/core';
import { type HookEventName, traitsOf } from './events.ts';

/** The result of a handler before it is interpreted. */
export type HandlerResult =
  | {
      readonly kind: 'exited';
      readonly code: number;
      readonly stdout: string;
      readonly stderr: string;
      /** The end of standard output is missing, because it was too long. */
      readonly isCut?: boolean | undefined;
    }
  /** A callback, a model or a server returned an object. */
  | { readonly kind: 'returned'; readonly output: Readonly<Record<string, unknown>> }
  /** A command printed `{"async":true}` and continues in the background. `rest` resolves when it ends. */
  | { readonly kind: 'detached'; readonly rest: Promise<HandlerResult> }
  | { readonly kind: 'failed'; readonly failure: HookFailure };

/**
 * - `error`: the handler ran and failed.
 * - `timeout`: it gave no answer within its time limit.
 * - `aborted`: the event it was asked about was withdrawn.
 * - `not_started`: its program was not found or cannot be executed, or hooks of its type cannot run here.
 * - `unreachable`: its host or server is gone.
 * - `unreadable`: it gave an answer that is not understood, which may be a denial.
 * - `waiting`: its program changed since the latest prompt of the user, so it did not run.
 */
export interface HookFailure {
  readonly kind: 'error' | 'timeout' | 'aborted' | 'not_started' | 'unreachable' | 'unreadable' | 'waiting';
  readonly message: string;
}

export type CallDecision = 'allow' | 'deny' | 'ask';

/** A hook's answer to a permission question. */
type PermissionRequestAnswer =
  | {
      readonly behavior: 'allow';
      readonly updatedInput?: JsonObject | undefined;
      readonly updatedPermissions?: Json | undefined;
    }
  | { readonly behavior: 'deny'; readonly message?: string | undefined; readonly interrupt: boolean };

interface ElicitationOutcome {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

export interface HookOutcome {
  readonly decision?: CallDecision | undefined;
  /** Why the hook decided so. */
  readonly reason?: string | undefined;
  readonly updatedInput?: JsonObject | undefined;
  readonly updatedToolOutput?: Json | undefined;
  /** The same, but only for tools of MCP servers. */
  readonly updatedServerOutput?: Json | undefined;
  readonly permission?: PermissionRequestAnswer | undefined;
  /** The reason of a block. Its effect depends on the event: see `BlockEffect`. */
  readonly block?: string | undefined;
  /** The reason why the whole run should end (`continue: false`). */
  readonly stop?: string | undefined;
  /** Text for the model. */
  readonly context?: string | undefined;
  /** Text for the user. */
  readonly message?: string | undefined;
  readonly sessionTitle?: string | undefined;
  /** The answer to SessionStart: a message before the first prompt of the user. */
  readonly initialUserMessage?: string | undefined;
  /** Files whose changes the hook wants to hear about. */
  readonly watchPaths?: readonly string[] | undefined;
  /** Skills and commands are read again. */
  readonly reloadSkills?: boolean | undefined;
  /** An answer to a question of a server, in place of that of the user. */
  readonly elicitation?: ElicitationOutcome | undefined;
  readonly failure?: HookFailure | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const BLOCKED = 2;
/** Exit codes of a shell: a program cannot be executed, or was not found. */
const NOT_STARTED: ReadonlySet<number> = new Set([126, 127]);
const NO_REASON = 'A hook blocked this without a reason.';
/** A hook adds a remark to the conversation, not a document. */
const MAX_CONTEXT_CHARACTERS = 10_000;

/**
 * Texts are redacted before they are shortened, because a part of a secret is not recognized. Values that take effect stay as they are:
 * inputs, permissions, paths to watch, and answers to servers.
 */
export function readHookResult(event: HookEventName, result: HandlerResult, redact: Redact): HookOutcome {
  switch (result.kind) {
    case 'failed':
      return failedOutcome(event, redact(result.failure));
    case 'detached':
      return {};
    case 'returned':
      return readOutput(event, result.output, redact);
    case 'exited':
      return readExit(event, result, redact);
  }
}

type Exit = Extract<HandlerResult, { kind: 'exited' }>;

function readExit(
  event: HookEventName,
  { code, stdout, stderr, isCut = false }: Exit,
  redact: Redact,
): HookOutcome {
  const text = stdout.trim();
  const output = isCut ? undefined : parseObject(text);
  const isUnreadable =
    output === undefined && text.startsWith('{') && (isCut || traitsOf(event).textIsContext !== true);
  const outcome = isUnreadable
    ? unreadableOutcome(event, isCut)
    : output === undefined
      ? {}
      : readOutput(event, output, redact);
  if (code === 0) {
    const isAnswer = output !== undefined || isUnreadable;
    if (isAnswer || text === '' || traitsOf(event).textIsContext !== true) return outcome;
    return { context: shorten(redact(text)) };
  }
  const complaint = redact(stderr.trim());
  if (code === BLOCKED) {
    const read = isUnreadable ? {} : outcome;
    const reason = read.reason ?? read.block ?? (complaint === '' ? NO_REASON : shorten(complaint));
    return { ...read, ...blockOutcome(event, reason) };
  }
  const [firstLine = ''] = complaint.split('\n');
  const message = `exit code ${code}${firstLine === '' ? '' : `: ${firstLine.slice(0, 300)}`}`;
  if (isUnreadable) return { ...outcome, failure: { kind: 'unreadable', message } };
  if (!NOT_STARTED.has(code)) return { ...outcome, failure: { kind: 'error', message } };
  const failed = failedOutcome(event, { kind: 'not_started', message });
  return outcome.decision === undefined ? { ...outcome, ...failed } : { ...outcome, failure: failed.failure };
}

/** A guard that cannot start might have denied the call. The user is asked about it. */
function failedOutcome(event: HookEventName, failure: HookFailure): HookOutcome {
  if (failure.kind === 'waiting') return waitingOutcome(event, failure);
  if (failure.kind !== 'not_started' || traitsOf(event).onBlock !== 'deny_call') return { failure };
  return { failure, decision: 'ask', reason: `A hook cannot be started. ${failure.message}` };
}

/** A guard whose program changed must not let anything pass until it runs again. Other hooks are left out. */
function waitingOutcome(event: HookEventName, failure: HookFailure): HookOutcome {
  const { onBlock, isGuard } = traitsOf(event);
  if (onBlock === 'deny_call') return { failure, decision: 'ask', reason: failure.message };
  return isGuard === true ? { failure, ...blockOutcome(event, failure.message) } : { failure };
}

/** An answer that cannot be read may be a denial. The user is asked about the call. */
function unreadableOutcome(event: HookEventName, isCut: boolean): HookOutcome {
  const message = isCut
    ? 'Its JSON answer is too long and was cut off.'
    : 'Its answer starts like JSON but is not valid JSON.';
  const failure = { kind: 'unreadable', message } as const;
  if (traitsOf(event).onBlock !== 'deny_call') return { failure };
  return { failure, decision: 'ask', reason: `The answer of a hook cannot be read. ${message}` };
}

/** Expresses a block in the terms of the event. */
export function blockOutcome(event: HookEventName, reason: string): HookOutcome {
  switch (traitsOf(event).onBlock) {
    case 'deny_call':
      return { decision: 'deny', reason };
    case 'end_run':
      return { stop: reason };
    case 'tell_user':
      return { message: reason };
    case 'tell_model':
    case 'drop_prompt':
    case 'continue_turn':
    case 'prevent_action':
      return { block: reason };
  }
}

function readOutput(event: HookEventName, output: Fields, redact: Redact): HookOutcome {
  const textOf = (value: unknown): string | undefined =>
    typeof value === 'string' && value !== '' ? shorten(redact(value)) : undefined;
  // A callback that answers later has not decided anything.
  if (output['async'] === true) return {};
  const specific = specificOutput(event, output['hookSpecificOutput']);
  const given = specific['permissionDecision'] ?? (event === 'PreToolUse' ? output['decision'] : undefined);
  const reason =
    textOf(specific['permissionDecisionReason']) ??
    textOf(output['reason']) ??
    textOf(unknownDecision(given));
  const blocked: HookOutcome = output['decision'] === 'block' ? blockOutcome(event, reason ?? NO_REASON) : {};
  return {
    decision: decisionOf(given),
    reason,
    updatedInput: jsonObjectOf(specific['updatedInput']),
    updatedToolOutput: redact(jsonOf(specific['updatedToolOutput'])),
    updatedServerOutput: redact(jsonOf(specific['updatedMCPToolOutput'])),
    permission: permissionAnswer(specific['decision'], textOf),
    block: blocked.block,
    stop: output['continue'] === false ? (textOf(output['stopReason']) ?? NO_REASON) : blocked.stop,
    context: textOf(specific['additionalContext']),
    message: textOf(output['systemMessage']) ?? blocked.message,
    sessionTitle: textOf(specific['sessionTitle']),
    initialUserMessage: textOf(specific['initialUserMessage']),
    watchPaths: textsOf(specific['watchPaths']),
    reloadSkills: specific['reloadSkills'] === true ? true : undefined,
    elicitation: elicitationOf(specific['action'], specific['content']),
  };
}

/** Output that names another event was meant for that event and is ignored. */
function specificOutput(event: HookEventName, value: unknown): Fields {
  if (!isRecord(value)) return {};
  const { hookEventName = event } = value;
  return hookEventName === event ? value : {};
}

/** `approve` and `block` are older words of PreToolUse. A decision that is deferred or not understood is left to the user. */
function decisionOf(value: unknown): CallDecision | undefined {
  switch (value ?? undefined) {
    case undefined:
      return undefined;
    case 'allow':
    case 'approve':
      return 'allow';
    case 'deny':
    case 'block':
      return 'deny';
    default:
      return 'ask';
  }
}

/** The reason of a question that a decision causes because it is not understood. */
function unknownDecision(value: unknown): string | undefined {
  const isKnown = value === undefined || value === null || KNOWN_DECISIONS.some((known) => known === value);
  return isKnown ? undefined : `A hook gave an unknown decision: ${JSON.stringify(value)}.`;
}

const KNOWN_DECISIONS = ['allow', 'approve', 'deny', 'block', 'ask', 'defer'];

function permissionAnswer(
  value: unknown,
  textOf: (value: unknown) => string | undefined,
): PermissionRequestAnswer | undefined {
  if (!isRecord(value)) return undefined;
  const { behavior, updatedInput, updatedPermissions, message, interrupt } = value;
  if (behavior === 'allow')
    return {
      behavior,
      updatedInput: jsonObjectOf(updatedInput),
      updatedPermissions: jsonOf(updatedPermissions),
    };
  if (behavior !== 'deny') return undefined;
  return { behavior, interrupt: interrupt === true, message: textOf(message) };
}

function elicitationOf(action: unknown, content: unknown): ElicitationOutcome | undefined {
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined;
  return isJsonObject(content) ? { action, content } : { action };
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

function parseObject(text: string): Fields | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function shorten(text: string): string {
  if (text.length <= MAX_CONTEXT_CHARACTERS) return text;
  return `${text.slice(0, MAX_CONTEXT_CHARACTERS)}\n[${text.length - MAX_CONTEXT_CHARACTERS} more characters were omitted.]`;
}

function jsonObjectOf(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Output that came from a process, a server or a client was parsed from JSON. */
function isJsonObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

function jsonOf(value: unknown): Json | undefined {
  return isJson(value) ? value : undefined;
}

function isJson(value: unknown): value is Json {
  return value !== undefined;
}
