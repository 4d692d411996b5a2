/** Runs a subagent: one task in a conversation of its own, from its start or its interruption to its result. */
import {
  addUsage,
  isToolUse,
  type LoopEvent,
  type Message,
  NO_USAGE,
  type QueuedCommand,
  type Terminal,
  textOf,
  type Usage,
} from '@heddle/core';
import { QueryEngine } from '../engine/engine.ts';
import type { AgentOptions } from '../engine/options.ts';
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
  readonly now: () => number;
  readonly uuid: () => string;
  /** Messages to the running subagent. */
  readonly takeQueued: () => readonly QueuedCommand[];
  /** Loads the texts that follow its task: those of its skills, and notes about its servers. */
  readonly texts: () => Promise<readonly string[]>;
}

const CONTINUE =
  'The program was interrupted while you worked on this task. Calls without a result were reported above. Continue where you stopped.';

/**
 * Contract: never rejects. Ends soon after the signal aborts. The session file is closed at the end.
 */
export async function runChild(run: ChildRun): Promise<ChildResult> {
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
  const end = await drive(run, lines, meter);
  const result: ChildResult = { ...end, usage: meter.usage };
  const error = end.status === 'completed' ? undefined : end.text;
  const outputFile = run.options.session?.journal.path ?? '';
  for (const line of lines.ended({ status: end.status, error, outputFile, usage: meter.usage, now: now() }))
    await emit(line);
  run.options.session?.journal.close();
  return signal.aborted && end.status === 'failed' ? { ...result, status: 'stopped' } : result;
}

type ChildEnd = Pick<ChildResult, 'status' | 'text'>;

async function drive(run: ChildRun, lines: SubagentLines, meter: ChildMeter): Promise<ChildEnd> {
  const { options, signal, emit } = run;
  const stage = run.isInterrupted ? stageOf(run) : 'new';
  const finished = stage === 'ended' ? finishedText(options) : undefined;
  if (finished !== undefined) return { status: 'completed', text: finished };
  let engine: QueryEngine | undefined;
  const stop = (): void => engine?.abort(signal.reason);
  try {
    const own: AgentOptions = {
      ...options,
      takeQueued: run.takeQueued,
      onEvent: (event) => {
        const tool = meter.note(event);
        if (tool !== undefined) emit(lines.progress(meter.usage, tool));
      },
    };
    const child: QueryEngine = new QueryEngine(run.extend(own, () => child.asParent));
    engine = child;
    const content = stage === 'new' ? await firstPrompt(run) : CONTINUE;
    if (signal.aborted) return { status: 'stopped', text: STOPPED };
    signal.addEventListener('abort', stop, { once: true });
    let result: SdkResult | undefined;
    const answer = engine.submitMessage(
      stage === 'open' ? { content: '/continue' } : { content, verbatim: true },
    );
    let next = await answer.next();
    for (; !next.done; next = await answer.next()) {
      if (next.value.type === 'result') result = next.value;
      else for (const line of lines.forwarded(next.value)) await emit(line);
    }
    const end = endOf(next.value, result, engine.messages);
    if (options.memory !== undefined && end.status === 'completed') await remember(engine);
    return end;
  } catch (thrown) {
    return { status: 'failed', text: `The subagent failed: ${String(thrown)}` };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Stores what later tasks of this type must know. The limits of this work apply. */
async function remember({ background }: QueryEngine): Promise<void> {
  background.extract();
  await background.settle();
}

/** How far the task was when the program was interrupted: not stored yet, without an end, or ended without a stored result. */
function stageOf({ options: { session }, record }: ChildRun): 'new' | 'open' | 'ended' {
  if (session?.unfinished?.() !== undefined) return 'open';
  const prompt = [...(session?.projection.messages ?? [])].findLast(
    (message) => message.type === 'user' && typeof message.content === 'string' && !message.isMeta,
  );
  const isStored = prompt?.type === 'user' && textOf(prompt.content).startsWith(record.prompt);
  return isStored ? 'ended' : 'new';
}

/** A hook or a skill that fails does not prevent the subagent. */
async function firstPrompt({ options, prompt, texts: load }: ChildRun): Promise<string> {
  const { hooks, identity } = options;
  const [context, texts] = await Promise.all([
    identity && hooks?.subagentStart?.(identity).catch(() => undefined),
    load().catch(() => []),
  ]);
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
  const last = result?.errors ? lastText(messages) : '';
  const report = last === '' ? '' : `\n\nIts last text:\n${last}`;
  return { status: 'failed', text: `The subagent did not finish. ${why}${report}` };
}

function lastText(messages: Iterable<Message>): string {
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
