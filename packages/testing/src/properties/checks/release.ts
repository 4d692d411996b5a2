/** I4: a withheld error is released exactly once if it was not recovered, and never if it was. */
import type { Terminal } from '@heddle/core';
import { completeCallIds, errorClassOf, type ReadIteration, type RunReading } from '../reading.ts';

export function checkRelease(reading: RunReading): string[] {
  const { iterations, terminal, leftAt } = reading;
  const complaints: string[] = [];
  for (const iteration of iterations) {
    const classes = iteration.released.map(({ message }) => message.apiError);
    if (iteration.transition !== undefined) {
      if (classes.length > 0) complaints.push(`${classes.join()} was released, and recovered`);
      complaints.push(...notTakenBack(reading, iteration));
    } else if (leftAt !== undefined) {
      if (classes.length > 1) complaints.push(`${classes.length} errors in one iteration`);
    } else if (terminal !== undefined) {
      const expected = expectedOf(reading, iteration, terminal);
      if (classes.join() !== (expected ?? ''))
        complaints.push(
          `${terminal.reason}: released ${classes.join() || 'nothing'}, expected ${expected ?? 'nothing'}`,
        );
    }
  }
  return complaints;
}

/** Returns the one error that an ended run must report. */
function expectedOf(reading: RunReading, iteration: ReadIteration, terminal: Terminal): string | undefined {
  switch (terminal.reason) {
    case 'aborted_streaming':
    case 'aborted_tools':
      return undefined;
    case 'blocking_limit':
      return iteration.attempts.length === 0 ? 'overflow' : 'overflow, before any call';
    case 'model_error':
      return 'internal';
    case 'image_error':
      return errorOfIteration(reading, iteration) === 'media' ? 'media' : 'internal';
    default:
      return errorOfIteration(reading, iteration);
  }
}

/** Returns the failure of the last attempt, if it produced no call and no answer. */
function errorOfIteration(reading: RunReading, { attempts, at }: ReadIteration): string | undefined {
  const end = attempts.at(-1)?.end;
  if (end === undefined || completeCallIds(end).length > 0) return undefined;
  const error = errorClassOf(end);
  if (error !== undefined) return error;
  if (isEmpty(reading, at)) return 'empty';
  return end.stopReason === 'pause_turn' ? 'server' : undefined;
}

/** Returns true if neither text nor calls remain since then. */
function isEmpty({ messages, buried }: RunReading, since: number): boolean {
  return !messages.some(
    ({ at, message }) =>
      at > since &&
      message.type === 'assistant' &&
      message.apiError === undefined &&
      !buried.has(message.uuid) &&
      message.content.some(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'),
  );
}

/**
 * A repeated iteration leaves no trace: everything that it yielded is retracted before the loop continues.
 */
function notTakenBack({ messages, buried, log }: RunReading, iteration: ReadIteration): string[] {
  const reason = iteration.transition?.reason;
  const doneOver =
    reason === 'max_output_tokens_escalate' ||
    reason === 'collapse_drain_retry' ||
    reason === 'reactive_compact_retry';
  if (!doneOver) return [];
  const next = log.findIndex(
    (happening, at) =>
      at > iteration.at && happening.what === 'event' && happening.event.type === 'transition',
  );
  return messages
    .filter(({ at, message }) => at > iteration.at && at < iteration.until && message.type === 'assistant')
    .filter(({ message }) => (buried.get(message.uuid) ?? Number.POSITIVE_INFINITY) > next)
    .map(({ message }) => `${message.uuid} stands although ${reason} did its iteration over`);
}
