/** The `attach` effect: what gathered beside the conversation joins it between two calls. What is not ready is not waited for. */
import type { Effect } from '../../machine/effect.ts';
import type { MachineEvent } from '../../machine/happened.ts';
import type { Attachment } from '../../messages/message.ts';
import { abortCause } from '../../abort.ts';
import type { LoopEvent } from '../run/events.ts';
import { attachmentMessage, messageEvent, type Run } from '../run/run.ts';
import { repetitionNudge } from '../run/texts.ts';
import { untilAborted } from './until-aborted.ts';

export async function* attach(
  run: Run,
  { drainQueue, nudge }: Extract<Effect, { type: 'attach' }>,
): AsyncGenerator<LoopEvent, MachineEvent> {
  const { deps, context, iteration } = run;
  const aborted = abortCause(run.scope.signal);
  if (aborted) return { type: 'attached', aborted };
  const queued = drainQueue ? deps.attachments.takeQueued(context) : [];
  for (const { commandId, prompt } of queued) {
    run.commands.push(commandId);
    yield { type: 'command', commandId, state: 'started' };
    yield* add(run, { kind: 'queued_command', commandId, prompt });
  }
  const gathered = await untilAborted(run, deps.attachments.gather(iteration.prepared, context));
  for (const attachment of gathered) yield* add(run, attachment);
  if (nudge.length > 0)
    yield* add(run, { kind: 'reminder', about: 'repetition', text: repetitionNudge(nudge) });
  return { type: 'attached', aborted: abortCause(run.scope.signal) };
}

async function* add(run: Run, attachment: Attachment): AsyncGenerator<LoopEvent, void> {
  const message = attachmentMessage(run, attachment);
  run.iteration.attachments.push(message);
  yield messageEvent(message);
}
