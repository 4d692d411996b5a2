/** One attempt: sends a request, yields each block as it finishes, lets calls that may be thrown away start early. */
import type { ContentBlock } from '../../messages/blocks.ts';
import { callsOf, type AssistantMessage } from '../../messages/message.ts';
import { modelError, type ModelError } from '../../messages/model-error.ts';
import type { ModelRecord, ModelRequest } from '../../model/port.ts';
import { AnswerReader, type EndClass, type FinishedBlock } from '../../model/reader.ts';
import { cloneJson, type Json, type JsonObject } from '../../json.ts';
import type { Tool } from '../../tools/tool.ts';
import { childScope, whenAborted } from '../../abort.ts';
import type { LoopEvent, MessageEvent } from '../run/events.ts';
import { stamp, type Run } from '../run/run.ts';
import { REPEATED_ID } from '../../tools/context.ts';
import { deliverResults, executorOf, handleToolUpdate } from './tool-events.ts';

export interface AttemptEnd {
  readonly reader: AnswerReader;
  readonly error: ModelError | undefined;
  readonly requestId: string | undefined;
  /** What the model port wants the user to know about this answer. */
  readonly notice?: string | undefined;
  /** The message of the last block that was finished; undefined where there was none worth a message. */
  readonly last: AssistantMessage | undefined;
}

export async function* runAttempt(run: Run, request: ModelRequest): AsyncGenerator<LoopEvent, AttemptEnd> {
  const { inbox, deps, config } = run;
  const reader = new AnswerReader();
  // The last yield may have been answered with an abort: then no call is made.
  if (run.scope.signal.aborted) return { reader, error: ABORTED, requestId: undefined, last: undefined };
  let last: AssistantMessage | undefined;
  const scope = childScope(run.scope.signal);
  const records = deps.model(request, scope.signal)[Symbol.asyncIterator]();
  const pull = (): void => {
    records.next().then(
      (next) => inbox.push({ type: 'record', attempt: reader, next }),
      (thrown: unknown) => inbox.push({ type: 'port_threw', attempt: reader, thrown }),
    );
  };
  const ignoreAbort = whenAborted(scope.signal, () => inbox.push({ type: 'aborted' }));
  try {
    pull();
    while (true) {
      const arrival = inbox.poll();
      if (!arrival) {
        await inbox.arrival();
        continue;
      }
      switch (arrival.type) {
        case 'aborted':
          if (scope.signal.aborted) return { reader, error: ABORTED, requestId: undefined, last };
          break;
        case 'port_threw':
          if (arrival.attempt === reader) throw arrival.thrown;
          break;
        case 'record': {
          if (arrival.attempt !== reader) break;
          let record: ModelRecord | undefined = arrival.next.done ? SILENT_END : arrival.next.value;
          // What is here already needs no promise of its own; whatever else has arrived goes before it.
          for (; record; record = inbox.isEmpty ? records.ready?.() : undefined) {
            const end = endOf(record, reader);
            if (end) return { ...end, last };
            if (!isEvent(record)) continue;
            if (config.partialMessages) yield { type: 'stream_event', event: record };
            const finished = reader.push(record);
            if (finished) last = yield* yieldBlock(run, reader, finished);
          }
          pull();
          break;
        }
        default:
          yield* handleToolUpdate(run, arrival);
          if (arrival.type === 'settled') yield* deliverResults(run);
      }
    }
  } finally {
    ignoreAbort();
    scope.abort('attempt over');
    scope.release();
    // Not awaited: a port that is slow to wind up must not hold the turn.
    records.return?.()?.catch(() => undefined);
  }
}

async function* yieldBlock(
  run: Run,
  reader: AnswerReader,
  finished: FinishedBlock,
): AsyncGenerator<LoopEvent, AssistantMessage | undefined> {
  const { block, badInput } = withOwnId(run, finished);
  if (block.type === 'text' && block.text.trim() === '') return undefined;
  const message = assistantMessage(run, reader, block);
  run.iteration.answer.push(message);
  yield { ...observed(run, message), usage: reader.usage };
  if (block.type === 'tool_use' && run.config.gates.streamingToolExecution)
    executorOf(run).addTool(block, badInput);
  else if (block.type === 'tool_use' && badInput !== undefined)
    run.iteration.badInputs.set(block.id, badInput);
  return message;
}

/**
 * An id names one call and its one result. A second call under the same id may be the same call sent twice, so it does not
 * run; under an id of its own it stays in the history, and its result tells the model, which may ask again.
 */
function withOwnId(run: Run, finished: FinishedBlock): FinishedBlock {
  const { block } = finished;
  if (block.type !== 'tool_use') return finished;
  if (!callsOf(run.iteration.answer).some(({ id }) => id === block.id)) return finished;
  return { block: { ...block, id: `repeated_${run.deps.ids.uuid()}` }, badInput: REPEATED_ID };
}

function assistantMessage(run: Run, reader: AnswerReader, block: ContentBlock): AssistantMessage {
  // The model as it was asked for, not as the server calls it: signatures are matched against later requests.
  const { model } = run.context;
  return { type: 'assistant', ...stamp(run), responseId: reader.responseId, model, content: [block] };
}

/** Observers see derived fields on a copy; what is stored and sent is the message itself. */
function observed(run: Run, message: AssistantMessage): MessageEvent {
  const [block] = message.content;
  if (block?.type !== 'tool_use') return { type: 'message', message };
  const tool = run.context.tools.find((candidate) => candidate.name === block.name);
  if (!tool?.backfillObservableInput) return { type: 'message', message };
  const input = backfilled(tool, block.input);
  if (!input) return { type: 'message', message };
  return { type: 'message', message, observable: { ...message, content: [{ ...block, input }] } };
}

/** A deep copy: the tool may change what lies within, and the history must not change with it. A tool that throws adds nothing. */
function backfilled(tool: Tool, input: JsonObject): JsonObject | undefined {
  try {
    const copy = cloneJson(input);
    tool.backfillObservableInput?.(copy);
    return fieldsIn(copy) > fieldsIn(input) ? copy : undefined;
  } catch {
    return undefined;
  }
}

/** Fields at any depth: only added ones make the copy worth showing. */
function fieldsIn(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let fields = 0;
  for (const inner of Object.values(value)) fields += 1 + fieldsIn(inner);
  return fields;
}

function endOf(record: ModelRecord, reader: AnswerReader): Omit<AttemptEnd, 'last'> | undefined {
  if (record.type === 'model_error') return { reader, error: record, requestId: record.requestId };
  if (record.type !== 'done') return undefined;
  const { requestId, notice } = record;
  return { reader, error: errorOfEnd(reader), requestId, notice };
}

function errorOfEnd({ endsAs }: AnswerReader): ModelError | undefined {
  return endsAs && ENDS[endsAs];
}

function isEvent(record: ModelRecord): record is Exclude<ModelRecord, { type: 'done' | 'model_error' }> {
  return record.type !== 'done' && record.type !== 'model_error';
}

const ABORTED = modelError('aborted', 'The call was interrupted.');
const SILENT_END = modelError('network', 'The stream ended before the answer was complete.');
const ENDS: Readonly<Record<EndClass, ModelError>> = {
  network: SILENT_END,
  output_cap: modelError('output_cap', 'The answer was cut off at the output limit.'),
  overflow: modelError('overflow', "The answer ran into the end of the model's context window."),
  refusal: modelError(
    'refusal',
    'The model declined to answer. Rephrase the request, or choose another model.',
  ),
};
