/**
 * Calls without a result. Those that a crash left are run again, decided, or reported as interrupted. Those that run when a
 * budget is used up are ended.
 */
import {
  type AssistantMessage,
  finishCalls,
  type HookMessage,
  type LoopEvent,
  type Message,
  type OpenCall,
  type QueryParams,
  type Terminal,
  REPEATED_CALL,
  toolError,
  type ToolUseContext,
} from '@heddle/core';

/**
 * Ends the calls of a run that is over. A call that has ended before keeps its result, also behind one that still runs.
 * Yields the results, and the last reports of the calls.
 */
export async function* endRunningCalls(
  run: AsyncGenerator<LoopEvent, Terminal>,
  { openCalls }: { readonly openCalls: readonly OpenCall[] },
  abort: () => void,
): AsyncGenerator<LoopEvent> {
  if (!openCalls.some(({ intent }) => intent)) return;
  abort();
  for (let next = await run.next(); !next.done; next = await run.next()) {
    const { value: event } = next;
    const isResult = event.type === 'message' && event.outcome !== undefined;
    if (isResult || event.type === 'progress' || event.type === 'spent') yield event;
  }
}

interface OpenCallPlan {
  /** Calls to run again: they changed nothing, or may be repeated. */
  readonly again: readonly OpenCall[];
  /** All others, each with its result for the model. */
  readonly reported: readonly { readonly open: OpenCall; readonly text: string; readonly isError: boolean }[];
}

const NEVER_BEGAN = 'The session was interrupted before this call began. It had no effect.';
const PERHAPS =
  'The session was interrupted while this call was running. It may or may not have taken effect: check before you repeat it.';
const HAD_HAPPENED = 'The session was interrupted, but this call had taken effect before.';
const HAD_NOT = 'The session was interrupted before this call took effect. Nothing was changed.';

/** Gives every open call a result before a run starts. Returns a message if a hook prevents the run. */
export async function* finishOpenCalls(
  params: QueryParams,
  openCalls: readonly OpenCall[],
  stamp: () => { uuid: string; at: number },
): AsyncGenerator<LoopEvent, HookMessage | undefined> {
  if (openCalls.length === 0) return undefined;
  const { again, reported } = await planOpenCalls(openCalls, params.toolUseContext);
  for (const { open, text, isError } of reported) {
    const message = resultMessage(stamp(), open.call.id, text, isError);
    yield { type: 'message', message, outcome: { toolUseId: open.call.id, isError } };
  }
  if (again.length === 0) return undefined;
  return yield* finishCalls(params, answersWithCalls(again, stamp));
}

/**
 * Reports the calls of a cut-off prompt that cannot run again. The continued run runs the others: they never began, or may be
 * repeated.
 */
export async function* reportUncertainCalls(
  params: QueryParams,
  openCalls: readonly OpenCall[],
  stamp: () => { uuid: string; at: number },
): AsyncGenerator<LoopEvent, undefined> {
  const { reported } = await planOpenCalls(openCalls, params.toolUseContext);
  for (const { open, text, isError } of reported) {
    if (!open.intent && isRunnable(open)) continue;
    const message = resultMessage(stamp(), open.call.id, text, isError);
    yield { type: 'message', message, outcome: { toolUseId: open.call.id, isError } };
  }
  return undefined;
}

/** An input that was not valid JSON is stored as an empty one. A repeated call must not run. */
function isRunnable({ call }: OpenCall): boolean {
  return Object.keys(call.input).length > 0 && !call.id.startsWith(REPEATED_CALL);
}

async function planOpenCalls(openCalls: readonly OpenCall[], context: ToolUseContext): Promise<OpenCallPlan> {
  const again: OpenCall[] = [];
  const reported: { open: OpenCall; text: string; isError: boolean }[] = [];
  for (const open of openCalls) {
    const { intent, call } = open;
    const tool = context.tools.find((candidate) => candidate.name === call.name);
    if (!intent) reported.push({ open, text: toolError(NEVER_BEGAN), isError: true });
    else if (tool && intent.effect !== 'writing') again.push(open);
    else {
      const outcome = intent.details ? await tool?.recallOutcome?.(intent.details, context) : undefined;
      if (outcome === 'done') reported.push({ open, text: HAD_HAPPENED, isError: false });
      else
        reported.push({ open, text: toolError(outcome === 'not_done' ? HAD_NOT : PERHAPS), isError: true });
    }
  }
  return { again, reported };
}

export function resultMessage(
  stamp: { uuid: string; at: number },
  toolUseId: string,
  text: string,
  isError: boolean,
): Message & { type: 'user' } {
  const result = { type: 'tool_result' as const, tool_use_id: toolUseId, content: text };
  return { type: 'user', ...stamp, content: [isError ? { ...result, is_error: true } : result] };
}

/** The calls as the answer that contained them, for the second run. */
function answersWithCalls(
  calls: readonly OpenCall[],
  stamp: () => { uuid: string; at: number },
): AssistantMessage[] {
  return calls.map(({ call }) => ({
    type: 'assistant',
    ...stamp(),
    responseId: call.id,
    model: '',
    content: [call],
  }));
}
