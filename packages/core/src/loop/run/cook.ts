/** The State's `messages` is a recipe: the machine names the pieces of the next conversation, and here it is cooked. */
import type { HistoryPart, HistoryParts } from '../../machine/state.ts';
import { History } from '../../messages/history.ts';
import type { Message, MessageHistory, UserMessage } from '../../messages/message.ts';
import { meta, type Run } from './run.ts';
import { budgetNudge, RESUME_REQUEST } from './texts.ts';

/** `written` are those of the messages that nobody has seen yet: they exist only because the loop goes on. */
export function composeHistory(
  run: Run,
  historyParts: HistoryParts,
  percentUsed: number,
): { history: MessageHistory; written: UserMessage[] } {
  let history = History.of<Message>([]);
  const written: UserMessage[] = [];
  for (const piece of historyParts) {
    const { base, added } = serve(run, piece, percentUsed);
    if (base) history = base;
    history = history.append(added);
    if (WRITTEN_BY_THE_LOOP.has(piece))
      for (const message of added) if (message.type === 'user') written.push(message);
  }
  return { history, written };
}

/** The pieces that are yielded when the loop goes on; all others were yielded when they came. */
const WRITTEN_BY_THE_LOOP: ReadonlySet<HistoryPart> = new Set([
  'resume_request',
  'hook_errors',
  'budget_nudge',
]);

function serve(
  run: Run,
  piece: HistoryPart,
  percentUsed: number,
): { base?: MessageHistory; added: readonly Message[] } {
  const { iteration } = run;
  switch (piece) {
    case 'given':
    case 'prepared':
      return { base: iteration.prepared, added: [] };
    case 'compacted':
      return { base: iteration.compacted ?? iteration.prepared, added: [] };
    case 'answer':
      return { added: iteration.answer };
    case 'results':
      return { added: iteration.results };
    case 'attachments':
      return { added: iteration.attachments };
    case 'resume_request':
      return { added: [meta(run, RESUME_REQUEST)] };
    case 'hook_errors':
      return { added: iteration.hookErrors.map(({ message }) => meta(run, message)) };
    case 'budget_nudge':
      return { added: [meta(run, budgetNudge(percentUsed))] };
  }
}
