/** Takes back what was yielded: the messages are tombstoned, their calls stopped, and nothing of them enters the history. */
import { isToolUse } from '../../messages/blocks.ts';
import type { Message } from '../../messages/message.ts';
import type { LoopEvent } from '../run/events.ts';
import type { Run } from '../run/run.ts';

/** All that this iteration yielded from `start` of its answer on. */
export async function* retractMessages(run: Run, start = 0): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  iteration.executor?.discard();
  iteration.executor = undefined;
  const messages = iteration.answer.splice(start);
  const uuids = [...messages, ...iteration.results].map((message) => message.uuid);
  iteration.results = [];
  iteration.answered.clear();
  iteration.badInputs.clear();
  iteration.cut = undefined;
  iteration.unfinishedText = '';
  if (uuids.length > 0) yield { type: 'tombstone', uuids };
}

/** The last block of a cut answer, with its call and the result that the call may have by now. */
export async function* dropCut(run: Run): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  const { cut } = iteration;
  if (!cut) return;
  iteration.cut = undefined;
  iteration.answer = iteration.answer.filter((message) => message !== cut);
  const retracted = new Set<Message>();
  for (const { id } of cut.content.filter(isToolUse)) {
    iteration.executor?.drop(id);
    for (const message of iteration.answered.get(id) ?? []) retracted.add(message);
    iteration.answered.delete(id);
  }
  iteration.results = iteration.results.filter((message) => !retracted.has(message));
  yield { type: 'tombstone', uuids: [cut.uuid, ...[...retracted].map(({ uuid }) => uuid)] };
}
