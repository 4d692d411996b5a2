/**
 * The answer under construction, as a value, and every rule for an answer that did not end by itself.
 * The functions return a new value. The driver yields the events and tells the executor.
 */
import type { Step } from '../machine/effects.ts';
import { isThinking, isToolUse, type ToolResultBlock, type ToolUseBlock } from '../messages/blocks.ts';
import {
  type AssistantMessage,
  callsOf,
  type Message,
  resultsOf,
  type UserMessage,
} from '../messages/message.ts';
import type { ModelError } from '../messages/model-error.ts';

export interface Answer {
  /** The finished blocks that were yielded, one message each. */
  readonly blocks: readonly AssistantMessage[];
  readonly results: readonly CallResult[];
  /** Calls whose input is not valid JSON, by id, with the error for the model. */
  readonly badInputs: ReadonlyMap<string, string>;
  /** The last block of an answer that was cut. It was yielded, but it may be incomplete. */
  readonly cut: AssistantMessage | undefined;
  /** The text of a block that never ended. */
  readonly partialText: string;
  /** Empty until an attempt was accepted. */
  readonly responseId: string;
  /** The error of the accepted attempt, withheld from the consumer while a recovery is possible. */
  readonly error: ModelError | undefined;
}

/** The result of a call, followed by the remarks of hooks about it. */
export interface CallResult {
  readonly toolUseId: string;
  readonly messages: readonly Message[];
}

export const NO_ANSWER: Answer = {
  blocks: [],
  results: [],
  badInputs: new Map(),
  cut: undefined,
  partialText: '',
  responseId: '',
  error: undefined,
};

/** An answer from the log: its blocks, and its results with the messages that follow each. */
export function storedAnswer(messages: readonly Message[], error: ModelError | undefined): Answer {
  const blocks = messages.filter((message) => message.type === 'assistant');
  const results: CallResult[] = [];
  for (const message of messages) {
    if (message.type === 'assistant') continue;
    const [result] = resultsOf(message);
    const last = results.at(-1);
    if (result || !last) results.push({ toolUseId: result?.tool_use_id ?? '', messages: [message] });
    else results[results.length - 1] = { ...last, messages: [...last.messages, message] };
  }
  return { ...NO_ANSWER, blocks, results, responseId: blocks[0]?.responseId ?? '', error };
}

/** The steps of the machine that change the answer. */
export type AnswerStep = Extract<
  Step['type'],
  'drop_unfinished' | 'keep_partial' | 'keep_interrupted' | 'tombstone_attempt' | 'release'
>;

export interface AnswerChange {
  readonly answer: Answer;
  /** The ids of yielded messages that are retracted. */
  readonly retracted: readonly string[];
  /** The calls that the executor must forget. */
  readonly dropped: readonly string[] | 'all';
  /** Partial text to yield as the last block, with the reason why it is incomplete. */
  readonly kept?: { readonly text: string; readonly incomplete: Incomplete };
}

type Incomplete = NonNullable<AssistantMessage['incomplete']>;

/** Applies one step of the machine to the answer. */
export function changeAnswer(answer: Answer, step: AnswerStep): AnswerChange {
  switch (step) {
    case 'tombstone_attempt':
      return retract(answer);
    case 'drop_unfinished':
      return dropCut(answer);
    case 'keep_partial':
      return hasPartialText(answer) ? keepPartial(answer, 'cut') : retract(answer, sendableLength(answer));
    case 'keep_interrupted':
      return hasPartialText(answer) ? keepPartial(answer, 'interrupted') : unchanged(answer);
    case 'release':
      // The blocks stay as they are, but a call without its end never gets a result.
      return answer.cut?.content.some(isToolUse) ? dropCut(answer) : unchanged(answer);
  }
}

/** Retracts the blocks from index `start` on, and every result. */
export function retract(answer: Answer, start = 0): AnswerChange {
  const blocks = answer.blocks.slice(start);
  return {
    answer: {
      ...answer,
      blocks: answer.blocks.slice(0, start),
      results: [],
      badInputs: NO_ANSWER.badInputs,
      cut: undefined,
      partialText: '',
    },
    retracted: [...blocks, ...resultMessages(answer)].map(({ uuid }) => uuid),
    dropped: 'all',
  };
}

/** Retracts the last block of a cut answer, with its call and the result that the call may already have. */
function dropCut(answer: Answer): AnswerChange {
  const { cut } = answer;
  if (!cut) return unchanged(answer);
  const dropped = cut.content.filter(isToolUse).map(({ id }) => id);
  const isDropped = ({ toolUseId }: CallResult): boolean => dropped.includes(toolUseId);
  const gone = answer.results.filter(isDropped).flatMap(({ messages }) => messages);
  return {
    answer: {
      ...answer,
      blocks: answer.blocks.filter((message) => message !== cut),
      results: answer.results.filter((result) => !isDropped(result)),
      cut: undefined,
    },
    retracted: [cut, ...gone].map(({ uuid }) => uuid),
    dropped,
  };
}

function keepPartial(answer: Answer, incomplete: Incomplete): AnswerChange {
  const kept = { text: answer.partialText, incomplete };
  return { answer: { ...answer, partialText: '' }, retracted: [], dropped: [], kept };
}

function unchanged(answer: Answer): AnswerChange {
  return { answer, retracted: [], dropped: [] };
}

function hasPartialText({ partialText }: Answer): boolean {
  return partialText.trim() !== '';
}

/**
 * The number of blocks that can be sent back. The last of them is text, or a block that is neither cut nor thinking:
 * another block must follow thinking.
 */
function sendableLength({ blocks, cut }: Answer): number {
  const canEnd = (message: AssistantMessage): boolean =>
    message.content.every((block) => block.type === 'text' || (message !== cut && !isThinking(block)));
  return blocks.findLastIndex(canEnd) + 1;
}

export function addBlock(answer: Answer, message: AssistantMessage, badInput?: string): Answer {
  const blocks = [...answer.blocks, message];
  const [block] = message.content;
  if (badInput === undefined || block?.type !== 'tool_use') return { ...answer, blocks };
  return { ...answer, blocks, badInputs: new Map(answer.badInputs).set(block.id, badInput) };
}

export function addResult(answer: Answer, result: CallResult): Answer {
  return { ...answer, results: [...answer.results, result] };
}

/** Marks how an attempt ended. `last` is the message of the last block that it finished. */
export function endAttempt(
  answer: Answer,
  ended: {
    readonly last: AssistantMessage | undefined;
    readonly wasCut: boolean;
    readonly hasOpenBlock: boolean;
    readonly partialText: string;
  },
): Answer {
  // A cut answer may lack the end of its last block even if that block looks complete.
  const cut = ended.wasCut && !ended.hasOpenBlock ? ended.last : undefined;
  return { ...answer, cut, partialText: ended.partialText };
}

/** The calls that are known to be complete. */
export function completeCalls({ blocks, cut }: Answer): ToolUseBlock[] {
  return callsOf(blocks.filter((message) => message !== cut));
}

/** The calls without a result. */
export function openCalls({ blocks, results }: Answer): ToolUseBlock[] {
  const closed = new Set(results.map(({ toolUseId }) => toolUseId));
  return callsOf(blocks).filter(({ id }) => !closed.has(id));
}

/** A call, and its result with the message that contains it. An open call has neither. */
export interface AnsweredCall {
  readonly call: ToolUseBlock;
  readonly result: ToolResultBlock | undefined;
  readonly message: UserMessage | undefined;
}

const OPEN = { result: undefined, message: undefined };

export function callsWithResults(answer: Answer): AnsweredCall[] {
  const results = new Map<string, Omit<AnsweredCall, 'call'>>();
  for (const message of resultMessages(answer))
    if (message.type === 'user')
      for (const result of resultsOf(message)) results.set(result.tool_use_id, { result, message });
  return callsOf(answer.blocks).map((call) => {
    const { result, message } = results.get(call.id) ?? OPEN;
    return { call, result, message };
  });
}

/** True if the answer has neither text nor calls. */
export function isEmptyAnswer({ blocks }: Answer): boolean {
  return !blocks.some(({ content }) => content.some((block) => !isThinking(block)));
}

/** Results and remarks, in the order in which they were yielded. */
export function resultMessages({ results }: Answer): Message[] {
  return results.flatMap(({ messages }) => messages);
}
