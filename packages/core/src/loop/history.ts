/** Composes the conversation of the next iteration from the parts that the machine named in `State.messages`. */
import type { HistoryPart, HistoryParts } from '../machine/state.ts';
import { History } from '../messages/history.ts';
import type { Message, MessageHistory, UserMessage } from '../messages/message.ts';
import { resultMessages } from './answer.ts';
import type { MessageWriter, RunProgress } from './environment.ts';
import { budgetNudge, RESUME_REQUEST } from './texts.ts';

/** The values of an iteration that a history is composed from. */
type Parts = Pick<RunProgress, 'history' | 'compacted' | 'answer' | 'attachments' | 'hookErrors'>;

/** `written` are the messages that exist only because the loop continues. They were not yielded yet. */
export function composeHistory(
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
