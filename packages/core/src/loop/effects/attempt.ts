/** One attempt at an answer: sends a request, yields each block when it is complete, and starts calls without effects early. */
import { type AbortScope, childScope, whenAborted } from '../../abort.ts';
import { cloneJson, type Json, type JsonObject } from '../../json.ts';
import type { ContentBlock } from '../../messages/blocks.ts';
import { callsOf, type AssistantMessage } from '../../messages/message.ts';
import { modelError, type ModelError, type RateLimits } from '../../messages/model-error.ts';
import type { ModelRecord, ModelRequest, RecordIterator } from '../../model/port.ts';
import { AnswerReader, END_ERRORS, type FinishedBlock } from '../../model/reader.ts';
import { REPEATED_CALL, REPEATED_ID, type Tool, type ToolUseContext } from '../../tools/tool.ts';
import { addBlock, type Answer, endAttempt } from '../answer.ts';
import type { MessageWriter, RunEnvironment, RunProgress } from '../environment.ts';
import type { LoopEvent, MessageEvent } from '../events.ts';
import { announceUpdate, takeResults } from './run-tools.ts';

export interface AttemptEnd extends RecordedEnd, Pick<RunProgress, 'answer' | 'executor'> {
  readonly reader: AnswerReader;
  /** Set if our own code or the model port threw. The rest is the state at that moment. */
  readonly threw?: { readonly thrown: unknown };
}

/** How the stream ended, as its last record reports it. */
interface RecordedEnd {
  readonly error: ModelError | undefined;
  readonly requestId?: string | undefined;
  /** A notice of the model port for the user. */
  readonly notice?: string | undefined;
  readonly rateLimits?: RateLimits | undefined;
}

export async function* runAttempt(
  env: RunEnvironment,
  given: Pick<RunProgress, 'answer' | 'executor' | 'context'>,
  request: ModelRequest,
): AsyncGenerator<LoopEvent, AttemptEnd> {
  const { inbox, config, write, signal } = env;
  const { context } = given;
  const startsEarly = config.gates.streamingToolExecution;
  const reader = new AnswerReader();
  let { answer, executor } = given;
  let last: AssistantMessage | undefined;
  // The consumer may have aborted at the last yield. Then no call starts.
  if (signal.aborted) return attemptEnd(reader, executor, answer, last, ABORTED_END);
  const stream = new AttemptStream(env, reader);
  try {
    stream.open(request);
    while (true) {
      const arrival = inbox.poll();
      if (!arrival) {
        await inbox.arrival();
        continue;
      }
      switch (arrival.type) {
        case 'aborted':
          if (stream.isAborted) return attemptEnd(reader, executor, answer, last, ABORTED_END);
          break;
        case 'port_threw':
          if (arrival.attempt === reader) throw arrival.thrown;
          break;
        case 'record': {
          if (arrival.attempt !== reader) break;
          let record: ModelRecord | undefined = arrival.next.done ? END_ERRORS.network : arrival.next.value;
          // Records that are ready need no promise of their own. Other arrivals come first.
          for (; record; record = inbox.isEmpty ? stream.ready() : undefined) {
            const ended = endOf(record, reader);
            if (ended) return attemptEnd(reader, executor, answer, last, ended);
            if (!isEvent(record)) continue;
            if (config.partialMessages) yield { type: 'stream_event', event: record };
            const finished = reader.push(record);
            if (!finished) continue;
            const { block, badInput } = withOwnId(answer, finished, write);
            // An empty text block is not worth a message.
            const isEmpty = block.type === 'text' && block.text.trim() === '';
            last = isEmpty ? undefined : blockMessage(block, reader, context, write);
            if (!last) continue;
            answer = addBlock(answer, last, startsEarly ? undefined : badInput);
            yield { ...observed(last, context.tools), usage: reader.usage };
            if (block.type !== 'tool_use' || !startsEarly) continue;
            executor ??= env.openExecutor(context);
            executor.addTool(block, badInput);
          }
          stream.pull();
          break;
        }
        case 'settled': {
          const taken = takeResults(executor?.takeResults() ?? [], answer, write);
          answer = taken.answer;
          for (const event of taken.events) yield event;
          break;
        }
        default:
          for (const event of announceUpdate(arrival, executor)) yield event;
      }
    }
  } catch (thrown) {
    return { reader, answer, executor, error: undefined, threw: { thrown } };
  } finally {
    stream.close();
  }
}

/** The records of one request. Each arrives in the inbox with the reader of its attempt. */
class AttemptStream {
  readonly #env: RunEnvironment;
  readonly #reader: AnswerReader;
  readonly #scope: AbortScope;
  readonly #ignoreAbort: () => void;
  #records: RecordIterator | undefined;

  constructor(env: RunEnvironment, reader: AnswerReader) {
    this.#env = env;
    this.#reader = reader;
    this.#scope = childScope(env.signal);
    this.#ignoreAbort = whenAborted(this.#scope.signal, () => env.inbox.push({ type: 'aborted' }));
  }

  get isAborted(): boolean {
    return this.#scope.signal.aborted;
  }

  /** Sends the request. Throws if the model port does. */
  open(request: ModelRequest): void {
    this.#records = this.#env.deps.model(request, this.#scope.signal)[Symbol.asyncIterator]();
    this.pull();
  }

  /** Requests the next record. */
  pull(): void {
    const { inbox } = this.#env;
    const attempt = this.#reader;
    this.#records?.next().then(
      (next) => inbox.push({ type: 'record', attempt, next }),
      (thrown: unknown) => inbox.push({ type: 'port_threw', attempt, thrown }),
    );
  }

  /** Returns a record that has arrived already. */
  ready(): ModelRecord | undefined {
    return this.#records?.ready?.();
  }

  close(): void {
    this.#ignoreAbort();
    this.#scope.abort('attempt over');
    this.#scope.release();
    // Not awaited: a port that is slow to end must not delay the turn.
    this.#records?.return?.()?.catch(() => undefined);
  }
}

function attemptEnd(
  reader: AnswerReader,
  executor: RunProgress['executor'],
  answer: Answer,
  last: AssistantMessage | undefined,
  { error, requestId, notice, rateLimits }: RecordedEnd,
): AttemptEnd {
  const { wasCut } = reader;
  const hasOpenBlock = reader.hasOpenBlock();
  const partialText = reader.unfinishedText();
  const ended = endAttempt(answer, { last, wasCut, hasOpenBlock, partialText });
  return { reader, executor, answer: ended, error, requestId, notice, rateLimits };
}

/** Names the model as it was requested, not as the server names it: signatures are compared with later requests. */
function blockMessage(
  block: ContentBlock,
  { responseId }: AnswerReader,
  { model }: ToolUseContext,
  write: MessageWriter,
): AssistantMessage {
  return write.assistant({ responseId, model, content: [block] });
}

/**
 * Gives a second call with the same id an id of its own, so that one id has one result. It may be the same call sent twice,
 * so it does not run. Its result tells the model, which can call the tool again.
 */
function withOwnId(answer: Answer, finished: FinishedBlock, write: MessageWriter): FinishedBlock {
  const { block } = finished;
  if (block.type !== 'tool_use') return finished;
  if (!callsOf(answer.blocks).some(({ id }) => id === block.id)) return finished;
  return { block: { ...block, id: `${REPEATED_CALL}${write.uuid()}` }, badInput: REPEATED_ID };
}

/** Adds derived fields to a copy for observers. The message itself is stored and sent. */
function observed(message: AssistantMessage, tools: readonly Tool[]): MessageEvent {
  const [block] = message.content;
  if (block?.type !== 'tool_use') return { type: 'message', message };
  const tool = tools.find((candidate) => candidate.name === block.name);
  if (!tool?.backfillObservableInput) return { type: 'message', message };
  const input = backfilled(tool, block.input);
  if (!input) return { type: 'message', message };
  return { type: 'message', message, observable: { ...message, content: [{ ...block, input }] } };
}

/** A deep copy: the tool may change nested values, and the history must stay as it is. A tool that throws adds nothing. */
function backfilled(tool: Tool, input: JsonObject): JsonObject | undefined {
  try {
    const copy = cloneJson(input);
    tool.backfillObservableInput?.(copy);
    return fieldsIn(copy) > fieldsIn(input) ? copy : undefined;
  } catch {
    return undefined;
  }
}

/** Counts fields at any depth. Only added fields make the copy worth an event. */
function fieldsIn(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let fields = 0;
  for (const inner of Object.values(value)) fields += 1 + fieldsIn(inner);
  return fields;
}

function endOf(record: ModelRecord, reader: AnswerReader): RecordedEnd | undefined {
  if (record.type !== 'done' && record.type !== 'model_error') return undefined;
  const { requestId, rateLimits } = record;
  if (record.type === 'model_error') return { error: record, requestId, rateLimits };
  return { error: reader.endError, requestId, notice: record.notice, rateLimits };
}

function isEvent(record: ModelRecord): record is Exclude<ModelRecord, { type: 'done' | 'model_error' }> {
  return record.type !== 'done' && record.type !== 'model_error';
}

const ABORTED_END: RecordedEnd = { error: modelError('aborted', 'The call was interrupted.') };
