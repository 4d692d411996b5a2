/** What callbacks of a host answered, put together. Pure. */
import { isJsonObject, type JsonObject } from '@heddle/core';
import type { HostReply } from '../requests.ts';
import { lineIn, textIn } from '../json.ts';

/** One callback's answer, or why there is none. */
export interface HookAnswer {
  /** Without the word of a needed hook, the call it guards does not run. */
  readonly hook: { readonly isNeeded: boolean };
  readonly reply: HostReply;
}

export interface HookResponse {
  /** The strictest word about the call. */
  readonly decision?: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  readonly updatedInput?: JsonObject;
  /** What the event is about should not happen, or not stay so. */
  readonly block?: string;
  /** The run should end. */
  readonly stop?: string;
  /** What the model should read. */
  readonly context?: string;
  /** What people should read. */
  readonly messages: readonly string[];
  /** Callbacks that gave no word. */
  readonly failures: readonly Failure[];
}

interface Failure {
  readonly why: 'error' | 'late' | 'withdrawn' | 'gone';
  readonly message: string;
  readonly isNeeded: boolean;
}

/** Deny before ask before allow, whoever said it. */
const STRICTEST_FIRST = ['deny', 'ask', 'allow'] as const;

export function combineHookAnswers(answers: readonly HookAnswer[]): HookResponse {
  const words = answers.flatMap(({ reply }) => (reply.ok ? [wordIn(reply.response)] : []));
  const decision = STRICTEST_FIRST.find((one) => words.some((word) => word.decision === one));
  const updatedInput = words.findLast((word) => word.updatedInput !== undefined)?.updatedInput;
  return {
    ...defined({
      decision,
      reason: words.find((word) => word.decision === decision)?.reason,
      updatedInput,
      block: joined(words.map((word) => word.block)),
      stop: words.find((word) => word.stop !== undefined)?.stop,
      context: joined(words.map((word) => word.context)),
    }),
    messages: words.flatMap(({ message }) => (message === undefined ? [] : [message])),
    failures: answers.flatMap(({ hook: { isNeeded }, reply }) =>
      reply.ok ? [] : [{ why: reply.why, message: reply.message, isNeeded }],
    ),
  };
}

/** Why something that waits for a word must not happen; undefined: nothing is missing. */
export function ignoredFieldsIn({ failures }: HookResponse): string | undefined {
  return failures.find(({ why, isNeeded }) => isNeeded || why !== 'error')?.message;
}

/** The same where a word is only waited for if the host cannot do without it. */
export function requiredFieldsIn({ failures }: HookResponse): string | undefined {
  return failures.find(({ isNeeded }) => isNeeded)?.message;
}

interface Word extends Omit<HookResponse, 'messages' | 'failures'> {
  readonly message?: string;
}

const NO_REASON = 'A hook of the host objected.';
/** What a hook adds to a conversation is a remark, not a document. */
const LONGEST_REMARK = 10_000;

/** One that says it will answer later has said nothing. */
function wordIn(output: Readonly<Record<string, unknown>>): Word {
  const specific = lineIn(output['hookSpecificOutput']) ?? {};
  const reason = remarkIn(specific['permissionDecisionReason'] ?? output['reason']);
  const updatedInput = specific['updatedInput'];
  const blocks = output['decision'] === 'block';
  return defined({
    decision: decisionIn(specific['permissionDecision'] ?? output['decision']),
    reason,
    updatedInput: isJsonObject(updatedInput) ? updatedInput : undefined,
    block: blocks ? (reason ?? NO_REASON) : undefined,
    stop: output['continue'] === false ? (remarkIn(output['stopReason']) ?? NO_REASON) : undefined,
    context: remarkIn(specific['additionalContext']),
    message: textIn(output['systemMessage']),
  });
}

/** Older callbacks say approve and block. Where one would rather decide later, or is not understood, a person decides. */
function decisionIn(value: unknown): HookResponse['decision'] {
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

function remarkIn(value: unknown): string | undefined {
  const text = textIn(value);
  if (text === undefined || text.length <= LONGEST_REMARK) return text;
  return `${text.slice(0, LONGEST_REMARK)}\n[The rest of this remark was left out.]`;
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const there = texts.filter((text) => text !== undefined && text !== '');
  return there.length === 0 ? undefined : there.join('\n\n');
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, fewer of them
  return Object.fromEntries(entries) as Defined<T>;
}
