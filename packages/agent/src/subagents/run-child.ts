/** Runs a subagent: one task in a conversation of its own, from its start or its interruption to its result. */
import {
  addUsage,
  errorMessage,
  isToolUse,
  type LoopEvent,
  type Message,
  NO_USAGE,
  omitUndefined,
  type QueuedPrompt,
  type Terminal,
  textOf,
  untilAborted,
  type Usage,
} from '@heddle/core';
import { type Prompt, QueryEngine } from '../engine/engine.ts';
import type { AgentOptions, SubagentSettings } from '../engine/options.ts';
import type { ParentAgent } from '../engine/parent.ts';
import type { SdkMessage, SdkResult, TaskUsage } from '../sdk/message.ts';
import { subagentLines, type SubagentLines } from '../sdk/subagent-lines.ts';
import type { ChildRecord, ChildResult } from './record.ts';

export interface ChildRun {
  readonly options: AgentOptions;
  /** Adds the subagents that it may start itself. `self` is the running subagent as their parent. */
  readonly extend: (options: AgentOptions, self: () => ParentAgent) => AgentOptions;
  readonly record: ChildRecord;
  /** 1: the main conversation started it. */
  readonly depth: number;
  /** Its first message: the task, and rules for it. */
  readonly prompt: string;
  /** The main session, for the lines of the output. */
  readonly parentSessionId: string;
  readonly forwardsText: boolean;
  /** An earlier process was interrupted during this task. */
  readonly isInterrupted: boolean;
  readonly signal: AbortSignal;
  /** The subagent waits for a slow reader of its lines. */
  readonly emit: (line: SdkMessage) => unknown;
  readonly watch?: SubagentSettings['watch'];
  readonly now: () => number;
  readonly uuid: () => string;
  /** Messages to the running subagent. */
  readonly queue: MessageQueue;
  /** Runs behind the SubagentStart hooks of a new task, and before anything that the subagent does. Never rejects. */
  readonly beforeWork?: (() => Promise<void>) | undefined;
  /** Loads the texts that follow its task: those of its skills, and notes about its servers. */
  readonly texts: () => Promise<readonly string[]>;
}

/** The messages to a subagent. It reads them between two calls, or after its last answer. */
interface MessageQueue {
  readonly takeQueued: () => readonly QueuedPrompt[];
  /** Takes a message after the last answer. Undefined: there is none. */
  readonly takeLeft: () => QueuedPrompt | undefined;
  /** The conversation contains the message now. */
  readonly noteRead: (commandId: string) => void;
  /** The subagent reads no more messages. */
  readonly closeQueue: () => void;
}

export interface ChildRunEnd {
  readonly result: ChildResult;
  /** Resolves when its memory is stored and its session file is closed. Never rejects. */
  readonly closed: Promise<void>;
}

const CONTINUE =
  'The program was interrupted while you worked on this task. Calls without a result were reported above. Continue where you stopped.';

/**
 * Contract: never rejects. Ends soon after the signal aborts.
 */
export async function runChild(run: ChildRun): Promise<ChildRunEnd> {
  const { record, signal, emit, now } = run;
  const startedAt = now();
  const lines = subagentLines({
    agentId: record.agentId,
    type: record.agentType,
    description: record.description,
    depth: run.depth,
    parentId: record.parentId,
    prompt: record.prompt,
    toolUseId: record.toolUseId,
    isBackground: record.isBackground,
    forwardsText: run.forwardsText,
    sessionId: run.parentSessionId,
    uuid: run.uuid,
  });
  for (const line of lines.started()) await emit(line);
  const meter = new ChildMeter(() => now() - startedAt);
  const watch = run.watch?.({
    agentId: record.agentId,
    type: record.agentType,
    toolUseId: record.toolUseId,
    modelName: run.options.modelName,
  });
  const { engine, ...end } = await drive(run, lines, (event) => {
    watch?.onEvent(event);
    const tool = meter.note(event);
    if (tool !== undefined) void emit(lines.progress(meter.usage, tool));
  });
  watch?.end(end.status === 'completed' ? undefined : end.status);
  const result: ChildResult = { ...end, usage: meter.usage };
  const error = end.status === 'completed' ? undefined : end.text;
  const outputFile = run.options.session?.journal.path ?? '';
  for (const line of lines.ended({ status: end.status, error, outputFile, usage: meter.usage, now: now() }))
    await emit(line);
  const closed = closeChild(run, end.status === 'completed' ? engine : undefined);
  return {
    result: signal.aborted && end.status === 'failed' ? { ...result, status: 'stopped' } : result,
    closed,
  };
}

type ChildEnd = Pick<ChildResult, 'status' | 'text'>;

async function drive(
  run: ChildRun,
  lines: SubagentLines,
  onEvent: (event: LoopEvent) => void,
): Promise<ChildEnd & { readonly engine?: QueryEngine }> {
  const { options, signal, queue } = run;
  let engine: QueryEngine | undefined;
  const stop = (): void => engine?.abort(signal.reason);
  try {
    const own: AgentOptions = {
      ...options,
      takeQueued: () => queue.takeQueued(),
      onAccepted: async (id) => queue.noteRead(id),
      onEvent: (event) => {
        onEvent(event);
        if (event.type === 'message' && event.message.type === 'attachment') {
          const { attachment } = event.message;
          if (attachment.kind === 'queued_command') queue.noteRead(attachment.commandId);
        }
      },
    };
    const child: QueryEngine = new QueryEngine(run.extend(own, () => child.asParent));
    engine = child;
    const first = await firstPrompt(run);
    if (signal.aborted) return { status: 'stopped', text: STOPPED };
    signal.addEventListener('abort', stop, { once: true });
    let end = 'finished' in first ? first.finished : await answerOf(child, first, run, lines);
    while (end.status === 'completed') {
      const left = queue.takeLeft();
      if (!left) break;
      const prompt = { content: left.prompt, uuid: left.commandId, verbatim: true };
      const more = await answerOf(child, prompt, run, lines);
      end = { ...more, text: `${end.text}\n\n${more.text}` };
    }
    return { ...end, engine };
  } catch (thrown) {
    return { status: 'failed', text: `The subagent failed: ${errorMessage(thrown)}` };
  } finally {
    queue.closeQueue();
    signal.removeEventListener('abort', stop);
  }
}

/** Submits one prompt, and forwards the lines of its answer. */
async function answerOf(
  engine: QueryEngine,
  prompt: Prompt,
  { emit }: ChildRun,
  lines: SubagentLines,
): Promise<ChildEnd> {
  let result: SdkResult | undefined;
  const answer = engine.submitMessage(prompt);
  let next = await answer.next();
  for (; !next.done; next = await answer.next()) {
    if (next.value.type === 'result') result = next.value;
    else for (const line of lines.forwarded(next.value)) await emit(line);
  }
  return endOf(next.value, result, engine.messages);
}

/** Stores what later tasks of this type must know, and closes the session. The limits of that work apply. */
async function closeChild({ options, signal }: ChildRun, engine: QueryEngine | undefined): Promise<void> {
  try {
    if (!engine || options.memory === undefined) return;
    const { background } = engine;
    background.extract();
    await untilAborted(background.settle(), signal, () => background.settle(0));
  } catch {
    // The report does not depend on the memory.
  } finally {
    options.session?.journal.close();
  }
}

/** How far the task was when the program was interrupted: not stored yet, without an end, or ended without a stored result. */
function stageOf({ options: { session }, record: { runId } }: ChildRun): 'new' | 'open' | 'ended' {
  if (session?.unfinished?.() !== undefined) return 'open';
  const isStored = [...(session?.projection.messages ?? [])].some(({ uuid }) => uuid === runId);
  return isStored ? 'ended' : 'new';
}

/** The prompt that starts the task or continues it, or the report of a task that had ended. */
async function firstPrompt(run: ChildRun): Promise<Prompt | { readonly finished: ChildEnd }> {
  const stage = run.isInterrupted ? stageOf(run) : 'new';
  if (stage === 'open') return { content: '/continue' };
  const finished = stage === 'ended' ? finishedText(run.options) : undefined;
  if (finished !== undefined) return { finished: { status: 'completed', text: finished } };
  if (stage === 'ended') return { content: CONTINUE, verbatim: true };
  return { content: await taskText(run), verbatim: true, ...omitUndefined({ uuid: run.record.runId }) };
}

/** The task, with the texts of skills and hooks. A hook or a skill that fails does not prevent the subagent. */
async function taskText({ options, prompt, signal, beforeWork, texts: load }: ChildRun): Promise<string> {
  const { hooks, identity } = options;
  const started = identity && hooks?.subagentStart?.(identity, signal).catch(() => undefined);
  // Commands of its skills are work of the subagent.
  const isReady = beforeWork && Promise.resolve(started).then(beforeWork);
  const loading = Promise.all([
    started,
    Promise.resolve(isReady)
      .then(load)
      .catch(() => []),
  ]);
  const [context, texts] = await untilAborted(loading, signal, () => [undefined, []] as const);
  return [prompt, ...texts, context].filter((text) => text !== undefined).join('\n\n');
}

/** The answer of a subagent that had finished before its result was stored. */
function finishedText({ session }: AgentOptions): string | undefined {
  const { messages, lastAnswer, openCalls } = session?.projection ?? {};
  const last = messages?.last();
  if (last?.type !== 'assistant' || last.apiError !== undefined || last.incomplete !== undefined)
    return undefined;
  if ((openCalls?.length ?? 0) > 0 || last.responseId !== lastAnswer?.responseId) return undefined;
  const text = textOf(last.content);
  return text === '' ? undefined : text;
}

const STOPPED = 'The subagent was stopped before it finished.';
const NO_REPORT = 'The subagent finished without a report.';

function endOf(terminal: Terminal, result: SdkResult | undefined, messages: Iterable<Message>): ChildEnd {
  const text = result?.result ?? '';
  if (terminal.reason === 'aborted_streaming' || terminal.reason === 'aborted_tools')
    return { status: 'stopped', text: [STOPPED, text].filter(Boolean).join('\n\n') };
  if (result?.subtype === 'success' && !result.is_error)
    return { status: 'completed', text: text === '' ? NO_REPORT : text };
  const why = result?.errors?.join(' ') ?? text;
  const last = result?.errors ? lastAnswerText(messages) : '';
  const report = last === '' ? '' : `\n\nIts last text:\n${last}`;
  return { status: 'failed', text: `The subagent did not finish. ${why}${report}` };
}

function lastAnswerText(messages: Iterable<Message>): string {
  const answer = [...messages].findLast(
    (message) => message.type === 'assistant' && !message.apiError && textOf(message.content) !== '',
  );
  return answer?.type === 'assistant' ? textOf(answer.content) : '';
}

/** Counts the calls and tokens of a subagent while it runs. */
class ChildMeter {
  readonly #elapsed: () => number;
  #tokens: Usage = NO_USAGE;
  #calls = 0;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Returns the name of the tool if the event is a call. */
  note(event: LoopEvent): string | undefined {
    if (event.type === 'answer_end' || event.type === 'spent')
      this.#tokens = addUsage(this.#tokens, event.usage);
    if (event.type !== 'message' || event.message.type !== 'assistant') return undefined;
    const call = event.message.content.find(isToolUse);
    if (call) this.#calls++;
    return call?.name;
  }

  get usage(): TaskUsage {
    const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } =
      this.#tokens;
    return {
      total_tokens: input_tokens + output_tokens + cache_creation_input_tokens + cache_read_input_tokens,
      tool_uses: this.#calls,
      duration_ms: this.#elapsed(),
    };
  }
}
