/** The next iteration: composes its conversation from the parts that the machine named in `State.messages`. */
import type { Handle, HistoryPart, HistoryParts, LoopState, Transition } from '../machine/state.ts';
import { History } from '../messages/history.ts';
import type { Message, MessageHistory, UserMessage } from '../messages/message.ts';
import { callsWithResults, resultMessages } from './answer.ts';
import {
  messageEvent,
  type MessageWriter,
  type PendingSummary,
  type RunEnvironment,
  type RunProgress,
} from './environment.ts';
import type { LoopEvent } from './events.ts';
import { startIteration } from './start.ts';
import { budgetNudge, RESUME_REQUEST } from './texts.ts';

/** Composes the conversation that the machine asked for, and reports why the loop continues. */
export async function* continueRun(
  env: RunEnvironment,
  progress: RunProgress,
  { state }: LoopState,
  transition: Transition,
): AsyncGenerator<LoopEvent, RunProgress> {
  const summary = followSummary(env, progress, state.pendingToolUseSummary);
  const percentUsed = transition.reason === 'token_budget_continuation' ? transition.percentUsed : 0;
  const { history, written } = composeHistory(state.messages, progress, env.write, percentUsed);
  for (const message of written) yield messageEvent(message);
  yield { type: 'transition', transition, turnCount: state.turnCount };
  env.releaseExecutor();
  return { ...progress, ...startIteration(history), summary };
}

/** A new handle of the machine starts a summary. No handle drops the pending one. */
function followSummary(
  { deps, signal }: RunEnvironment,
  { summary, answer }: RunProgress,
  handle: Handle | undefined,
): PendingSummary | undefined {
  if (handle === undefined) return undefined;
  if (summary?.handle === handle) return summary;
  const calls = callsWithResults(answer).flatMap(({ call, message }) =>
    message ? [{ call, result: message }] : [],
  );
  let text: string | undefined;
  const write = async (): Promise<void> => {
    try {
      text = await deps.summarizeTools(calls, signal);
    } catch {
      // The summary is a convenience: the run continues without it.
    }
  };
  void write();
  return { handle, toolUseIds: calls.map(({ call }) => call.id), text: () => text };
}

/** The values of an iteration that a history is composed from. */
type Parts = Pick<RunProgress, 'history' | 'compacted' | 'answer' | 'attachments' | 'hookErrors'>;

/** `written` are the messages that exist only because the loop continues. They were not yielded yet. */
function composeHistory(
  parts: HistoryParts,
  progress: Parts,
  write: MessageWriter,
  percentUsed: number,
): { history: MessageHistory; written: UserMessage[] } {
  let history = History.of<Message>([]);
  const written: UserMessage[] = [];
  for (const part of parts) {
    const { base, added = [], isNew } = resolvePart(part, progress, write, percentUsed);
    if (base) history = base;
    history = history.append(added);
    if (isNew) for (const message of added) if (message.type === 'user') written.push(message);
  }
  return { history, written };
}

interface ResolvedPart {
  /** Replaces the history so far. */
  readonly base?: MessageHistory;
  readonly added?: readonly Message[];
  /** True for messages of the loop itself. All others were yielded when they arrived. */
  readonly isNew?: boolean;
}

function resolvePart(
  part: HistoryPart,
  { history, compacted, answer, attachments, hookErrors }: Parts,
  write: MessageWriter,
  percentUsed: number,
): ResolvedPart {
  switch (part) {
    case 'given':
    case 'prepared':
      return { base: history };
    case 'compacted':
      return { base: compacted ?? history };
    case 'answer':
      return { added: answer.blocks };
    case 'results':
      return { added: resultMessages(answer) };
    case 'attachments':
      return { added: attachments };
    case 'resume_request':
      return { added: [write.hidden(RESUME_REQUEST)], isNew: true };
    case 'hook_errors':
      return { added: hookErrors.map(({ message }) => write.hidden(message)), isNew: true };
    case 'budget_nudge':
      return { added: [write.hidden(budgetNudge(percentUsed))], isNew: true };
  }
}
