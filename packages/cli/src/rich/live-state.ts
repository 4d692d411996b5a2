/** The state of the current run, for the region: its phase, its start, and the running calls. Pure. */
import { isToolResult, type Json, type LoopEvent, type ToolIntent } from '@heddle/core';
import { stripVTControlCharacters } from 'node:util';
import { callLine, progressText } from '../terminal/call-line.ts';
import { escapeControls } from '../terminal/escape-controls.ts';

export interface LiveState {
  /** Undefined while no turn or command runs. */
  readonly startedAt: number | undefined;
  readonly phase: Phase;
  /** The number of tokens that the model has written in this run: the server's count, or an estimate until it arrives. */
  readonly writtenTokens: number;
  /** Characters of the current answer, whose tokens are not counted yet. */
  readonly uncounted: number;
  /** In the order of their start. */
  readonly calls: readonly LiveCall[];
  /** The last todo list of the model, unchecked. */
  readonly todos: unknown;
}

type Phase =
  | { readonly kind: 'working' | 'waiting' | 'thinking' | 'answering' | 'preparing' | 'compacting' }
  | { readonly kind: 'retry'; readonly at: number; readonly attempt: number; readonly maxAttempts: number };

export interface LiveCall {
  readonly id: string;
  readonly line: string;
  /** The call runs a subagent. Its output is its last action with its number of calls and tokens. */
  readonly isAgent: boolean;
  readonly startedAt: number;
  /** The end of its output, without escape sequences. */
  readonly output: string;
  /** The number of complete lines of its output that are not empty. */
  readonly lines: number;
}

export const IDLE: LiveState = {
  startedAt: undefined,
  phase: { kind: 'working' },
  writtenTokens: 0,
  uncounted: 0,
  calls: [],
  todos: undefined,
};

/** The number of characters per token, for the estimate while an answer streams. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_OUTPUT_LENGTH = 4_000;
const AGENT_TOOLS: ReadonlySet<string> = new Set(['Agent', 'Task']);
/** These tools wait for the user. */
const WAITING_FOR_USER: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

export interface Moment {
  readonly now: number;
  readonly cwd: string;
}

export function beginWork(state: LiveState, now: number): LiveState {
  return state.startedAt === undefined ? { ...IDLE, todos: state.todos, startedAt: now } : state;
}

export function endWork({ todos }: LiveState): LiveState {
  return { ...IDLE, todos };
}

export function writtenTokens({ writtenTokens: counted, uncounted }: LiveState): number {
  return counted + Math.ceil(uncounted / CHARACTERS_PER_TOKEN);
}

export function reduceEvent(state: LiveState, event: LoopEvent, { now, cwd }: Moment): LiveState {
  switch (event.type) {
    case 'stream_request_start':
      return { ...state, phase: { kind: 'waiting' } };
    case 'stream_event':
      return reduceStream(state, event.event);
    case 'answer_end': {
      const counted = state.writtenTokens + event.usage.output_tokens;
      return { ...state, phase: { kind: 'working' }, writtenTokens: counted, uncounted: 0 };
    }
    case 'retry': {
      const { attempt, maxAttempts, delayMs } = event;
      return { ...state, uncounted: 0, phase: { kind: 'retry', at: now + delayMs, attempt, maxAttempts } };
    }
    case 'compacting':
      return { ...state, phase: { kind: 'compacting' } };
    case 'context':
      return { ...state, phase: { kind: 'working' } };
    case 'tool_intent': {
      const todos = event.tool === 'TodoWrite' ? event.input['todos'] : state.todos;
      if (WAITING_FOR_USER.has(event.tool)) return { ...state, todos };
      return {
        ...state,
        todos,
        calls: [...state.calls, beginCall(event)],
      };
    }
    case 'progress':
      return { ...state, calls: state.calls.map((call) => addOutput(call, event.toolUseId, event.data)) };
    case 'message': {
      const { message } = event;
      if (message.type !== 'user' || typeof message.content === 'string') return state;
      const ended = new Set(message.content.filter(isToolResult).map((result) => result.tool_use_id));
      return { ...state, calls: state.calls.filter(({ id }) => !ended.has(id)) };
    }
    default:
      return state;
  }

  function beginCall({ toolUseId: id, tool, input, ...place }: ToolIntent): LiveCall {
    const isAgent = AGENT_TOOLS.has(tool);
    return { id, line: callLine(tool, input, cwd, place), isAgent, startedAt: now, output: '', lines: 0 };
  }
}

type ApiEvent = Extract<LoopEvent, { type: 'stream_event' }>['event'];

function reduceStream(state: LiveState, event: ApiEvent): LiveState {
  switch (event.type) {
    case 'content_block_start': {
      const { type } = event.content_block;
      const kind = type === 'thinking' ? 'thinking' : type === 'tool_use' ? 'preparing' : 'answering';
      return { ...state, phase: { kind } };
    }
    case 'content_block_delta': {
      const { delta } = event;
      const text =
        delta.type === 'text_delta' ? delta.text : delta.type === 'thinking_delta' ? delta.thinking : '';
      return text === '' ? state : { ...state, uncounted: state.uncounted + text.length };
    }
    default:
      return state;
  }
}

function addOutput(call: LiveCall, id: string, data: Json): LiveCall {
  const text = progressText(data);
  if (call.id !== id || text === undefined) return call;
  const added = stripVTControlCharacters(text);
  const unfinished = call.output.slice(call.output.lastIndexOf('\n') + 1);
  const complete = (unfinished + added).split('\n').slice(0, -1);
  return {
    ...call,
    output: (call.output + added).slice(-MAX_OUTPUT_LENGTH),
    lines: call.lines + complete.filter((line) => line.trim() !== '').length,
  };
}

/** Returns the number of lines before the last ones. */
export function earlierLines({ output, lines }: LiveCall, shown: number): number {
  const isLastComplete = output.slice(output.lastIndexOf('\n') + 1).trim() === '';
  return Math.max(0, lines + (isLastComplete ? 0 : 1) - shown);
}

/** Returns the last lines of the output of a call, for the screen. */
export function lastLines({ output }: LiveCall, count: number): string[] {
  return output
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .slice(-count)
    .map((line) => escapeControls(line));
}
