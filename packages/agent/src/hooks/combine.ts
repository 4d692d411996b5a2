/** The answers of several hooks on one event, as one. They ran in parallel; the strictest decision wins. Pure. */
import { isQuestion } from '../permission/rules/tool-names.ts';
import type { HookDefinition, HookHandler } from './definition.ts';
import { traitsOf } from './events.ts';
import { blockOutcome, type CallDecision, type HookFailure, type HookOutcome } from './outcome.ts';

export interface AnsweredHook {
  readonly hook: HookDefinition;
  readonly outcome: HookOutcome;
}

/** One answer for the event. Texts of several hooks are joined. */
export interface HookResponse extends Omit<HookOutcome, 'message' | 'failure'> {
  /** The hook that blocked, with its source. */
  readonly blockedBy?: string | undefined;
  /** Texts for the user, in the order of the hooks. */
  readonly messages: readonly string[];
  readonly failures: readonly FailedHook[];
}

interface FailedHook {
  readonly hook: HookDefinition;
  readonly failure: HookFailure;
}

export const NO_HOOKS: HookResponse = { messages: [], failures: [] };

/** Failures of hooks whose answer to a question is missing. */
const MAY_DENY: ReadonlySet<HookFailure['kind']> = new Set(['unreadable', 'not_started', 'waiting']);

const STRICTEST_FIRST: readonly CallDecision[] = ['deny', 'ask', 'allow'];

/** `subject`: the value that the matchers were compared with. */
export function combineHooks(answers: readonly AnsweredHook[], subject = ''): HookResponse {
  const all = answers.map((answer) => {
    const outcome = closeFailed(answer);
    return { ...answer, outcome: isWideApproval(answer, subject) ? withoutPermission(outcome) : outcome };
  });
  const outcomes = all.map(({ outcome }) => outcome);
  const changing = outcomes.findLast(({ updatedInput }) => updatedInput !== undefined);
  // A hook allows the input that it saw or wrote. It did not see the input of another hook.
  const deciding = outcomes.filter(
    (outcome) => outcome.decision !== 'allow' || changing === undefined || outcome === changing,
  );
  const decision = STRICTEST_FIRST.find((one) => deciding.some((outcome) => outcome.decision === one));
  const reason = deciding.find(
    (outcome) => outcome.decision === decision && outcome.reason !== undefined,
  )?.reason;
  const blocking = all.find(({ outcome }) => outcome.block !== undefined);
  const block = joinTexts(outcomes.map((outcome) => outcome.block));
  const context = joinTexts(outcomes.map((outcome) => outcome.context));
  // The missing answer may be a denial, so the allow of another hook does not count.
  const mayDeny = outcomes.some(({ failure }) => failure !== undefined && MAY_DENY.has(failure.kind));
  const permission =
    outcomes.find((outcome) => outcome.permission?.behavior === 'deny')?.permission ??
    (mayDeny ? undefined : last(outcomes.map((outcome) => outcome.permission)));
  return {
    decision,
    reason,
    updatedInput: changing?.updatedInput,
    updatedToolOutput: last(outcomes.map((outcome) => outcome.updatedToolOutput)),
    updatedServerOutput: last(outcomes.map((outcome) => outcome.updatedServerOutput)),
    permission,
    block,
    blockedBy: blocking && describeHook(blocking.hook),
    stop: outcomes.find((outcome) => outcome.stop !== undefined)?.stop,
    context,
    sessionTitle: last(outcomes.map((outcome) => outcome.sessionTitle)),
    initialUserMessage: joinTexts(outcomes.map((outcome) => outcome.initialUserMessage)),
    watchPaths: outcomes.flatMap((outcome) => outcome.watchPaths ?? []),
    reloadSkills: last(outcomes.map((outcome) => outcome.reloadSkills)),
    elicitation: last(outcomes.map((outcome) => outcome.elicitation)),
    messages: outcomes.flatMap(({ message }) => (message === undefined ? [] : [message])),
    failures: all.flatMap(({ hook, outcome: { failure } }) =>
      failure === undefined ? [] : [{ hook, failure }],
    ),
  };
}

/**
 * Returns whether a hook for any tool permits a question to the user, such as the approval of a plan. It answers in place of
 * the user only if its matcher names the question. A client's callback is the client's own answer.
 */
function isWideApproval({ hook, outcome }: AnsweredHook, subject: string): boolean {
  if (outcome.permission?.behavior !== 'allow' || !isQuestion(subject)) return false;
  return hook.handler.type !== 'callback' && hook.matches(NO_TOOL);
}

/** No tool has this name. A matcher that accepts it does not name tools. */
const NO_TOOL = 'NameOfNoTool';

function withoutPermission({ permission: _wide, ...outcome }: HookOutcome): HookOutcome {
  return outcome;
}

/** A hook that fails closed and failed blocks its event. So does a host callback that stays silent where silence blocks. */
function closeFailed({ hook, outcome }: AnsweredHook): HookOutcome {
  const { failure } = outcome;
  if (failure === undefined || failure.kind === 'aborted') return outcome;
  const isSilent = hook.handler.type === 'callback' && failure.kind !== 'error';
  const blocks = hook.failsClosed || (isSilent && traitsOf(hook.event).silenceBlocks === true);
  if (!blocks) return outcome;
  return { ...outcome, ...blockOutcome(hook.event, `A required hook gave no answer: ${failure.message}`) };
}

/** Names a hook for reports: what it runs, and its source. */
export function describeHook({ handler, source }: HookDefinition): string {
  return `${describeHandler(handler)} (${source})`;
}

const MAX_PROMPT_CHARACTERS = 80;

export function describeHandler(handler: HookHandler): string {
  switch (handler.type) {
    case 'command':
      return [handler.command, ...(handler.args ?? [])].join(' ');
    case 'http':
      return handler.url;
    case 'mcp_tool':
      return `${handler.server}/${handler.tool}`;
    case 'prompt':
    case 'agent':
      return `${handler.type} hook: ${handler.prompt.slice(0, MAX_PROMPT_CHARACTERS)}`;
    case 'callback':
      return 'callback';
  }
}

function joinTexts(texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '');
  return present.length === 0 ? undefined : present.join('\n\n');
}

function last<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.findLast((value) => value !== undefined);
}
