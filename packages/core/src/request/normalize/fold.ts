/**
 * Step 1, `normalizeMessagesForAPI`: the history folded from left to right into rounds, an answer and what was said back
 * to it. A round is closed by the next answer and never touched again; only the last one is open. Knows no model.
 */
import { isRecord, isJsonObject } from '../../json.ts';
import { type ContentBlock, isToolResult, text, type ToolResultBlock } from '../../messages/blocks.ts';
import { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { RequestMessage } from '../../model/port.ts';
import { localCommand, MEDIA_REFUSED, mediaNote, reminder, SENT_MEANWHILE } from '../texts.ts';
import { cleanJson, type Dict, isBlank, wellFormed } from './clean-json.ts';
import { mapMedia } from './media.ts';
import { readAnswer, readUserContent, type Repair } from './sanitize.ts';
import { isApiError, Survey } from './survey.ts';

export interface AnswerPart {
  readonly block: ContentBlock;
  /** Who wrote it: signatures belong to their model. */
  readonly model: unknown;
}

export interface Round {
  /** Nothing stands before it, so it has no answer. */
  readonly isFirst: boolean;
  /** The messages it was made of: from the first to one past the last that counted. */
  readonly from: number;
  to: number;
  readonly responses: Set<string>;
  readonly answer: AnswerPart[];
  readonly results: ToolResultBlock[];
  /** All that the user's side says beside results. */
  readonly words: ContentBlock[];
  /** Where in `words` the next attachment goes: behind the nearest result or answer. */
  bar: number;
  readonly repairs: string[];
}

interface FoldInput {
  readonly messages: History<Message>;
  readonly survey: Survey;
}

/** Folds from the message at `from` to the end, hands over each round that was closed, and returns the open one. */
export function fold(input: FoldInput, from: number, isFirst: boolean, close: (round: Round) => void): Round {
  let round = newRound(from, isFirst);
  for (let index = from; index < input.messages.length; index++) {
    const next = absorbSafely(input, round, index);
    if (next === round) continue;
    close(round);
    round = next;
  }
  return round;
}

/** The rounds as messages, with neither pairing nor anything else that later steps see to. */
export function normalizeMessagesForAPI(messages: Iterable<Message>): RequestMessage[] {
  const history = History.of(messages);
  const survey = new Survey();
  survey.read(history);
  const normalized: RequestMessage[] = [];
  const close = (round: Round): void => {
    const answer = round.answer.map((part) => part.block);
    const words = [...round.results, ...round.words];
    if (answer.length > 0) normalized.push({ role: 'assistant', content: answer });
    if (words.length > 0) normalized.push({ role: 'user', content: words });
  };
  close(fold({ messages: history, survey }, survey.start, true, close));
  return normalized;
}

/** Has anything been said back to the answer? If not, the next answer only continues it. */
export function isAnswered(round: Round): boolean {
  return round.results.length > 0 || round.words.length > 0;
}

function newRound(from: number, isFirst: boolean): Round {
  return {
    isFirst,
    from,
    to: from,
    responses: new Set(),
    answer: [],
    results: [],
    words: [],
    bar: 0,
    repairs: [],
  };
}

/** A message that cannot even be looked at (a getter that throws) must not take the session with it. */
function absorbSafely(input: FoldInput, round: Round, index: number): Round {
  try {
    return absorb(input, round, index);
  } catch {
    round.repairs.push(`message ${index}: could not be read and was left out`);
    return round;
  }
}

/** Takes one message into the round, or into a new one, which is returned. */
function absorb(input: FoldInput, round: Round, index: number): Round {
  const message: unknown = input.messages.at(index);
  const repair: Repair = (what) => round.repairs.push(`message ${index}: ${what}`);
  if (!isRecord(message)) {
    repair('is no message and was left out');
    return round;
  }
  if (message['isVirtual'] === true || input.survey.isGone(message)) return round;
  switch (message['type']) {
    case 'user':
      absorbUser(input, round, message['content'], index, repair);
      return round;
    case 'assistant':
      return absorbAssistant(round, message, index);
    case 'attachment':
      absorbAttachment(input, round, message['attachment'], index, repair);
      return round;
    case 'system':
      absorbSystem(round, message, index);
      return round;
    case 'progress':
    case 'tombstone':
    case 'tool_use_summary':
      return round;
    default:
      repair('is of an unknown kind and was left out');
      return round;
  }
}

function absorbUser(input: FoldInput, round: Round, content: unknown, index: number, repair: Repair): void {
  const read = readUserContent(content, repair);
  if (read.results.length + read.rest.length === 0) {
    repair('was empty and was left out');
    return;
  }
  const send = sendable(input, index);
  addAll(round.results, read.results.map(send).filter(isToolResult));
  addAll(round.words, read.rest.map(send));
  if (read.results.length > 0) round.bar = round.words.length;
  round.to = index + 1;
}

function absorbAssistant(round: Round, message: Dict, index: number): Round {
  // Made by the loop to tell of a failed call. It has served the survey; attachments do not pass it.
  if (isApiError(message)) {
    round.bar = round.words.length;
    return round;
  }
  const repairs: string[] = [];
  const read = readAnswer(message['content'], (what) => repairs.push(`message ${index}: ${what}`));
  if (read.rest.length === 0) {
    if (read.results.length > 0) {
      addAll(round.results, read.results);
      round.to = index + 1;
    } else repairs.push(`message ${index}: was empty and was left out`);
    addAll(round.repairs, repairs);
    return round;
  }
  const id = message['responseId'];
  const response = typeof id === 'string' && id !== '' ? id : undefined;
  const continues = !isAnswered(round) || (response !== undefined && round.responses.has(response));
  const home = round.isFirst || !continues ? newRound(index, false) : round;

  addAll(home.repairs, repairs);
  for (const block of read.rest) home.answer.push({ block: withCleanInput(block), model: message['model'] });
  addAll(home.results, read.results);
  if (response !== undefined) home.responses.add(response);
  home.bar = home.words.length;
  home.to = index + 1;
  return home;
}

function absorbAttachment(
  input: FoldInput,
  round: Round,
  attachment: unknown,
  index: number,
  repair: Repair,
): void {
  const blocks = attachmentBlocks(attachment, repair).map(sendable(input, index));
  if (blocks.length === 0) return;
  const below = round.words.splice(round.bar);
  addAll(round.words, blocks);
  round.bar = round.words.length;
  addAll(round.words, below);
  round.to = index + 1;
}

function absorbSystem(round: Round, message: Dict, index: number): void {
  // It stands for an answer that never came; what is above it was sent.
  if (message['subtype'] === 'interruption') round.bar = round.words.length;
  const content = message['content'];
  if (message['subtype'] !== 'local_command' || typeof content !== 'string' || isBlank(content)) return;
  round.words.push(text(localCommand(wellFormed(content))));
  round.to = index + 1;
}

/** Media of a message that the API refused once are not sent again. */
function sendable(input: FoldInput, index: number): (block: ContentBlock) => ContentBlock {
  if (!input.survey.isRefused(index)) return (block) => block;
  return (block) => mapMedia(block, (media) => text(mediaNote(media.type, MEDIA_REFUSED)));
}

/** A history from a file may hold an input that JSON or the API cannot carry. */
function withCleanInput(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use') return block;
  const input = cleanJson(block.input);
  return input === block.input || !isJsonObject(input) ? block : { ...block, input };
}

/** Not by spreading: a message may hold more blocks than a call may have arguments. */
function addAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}

function attachmentBlocks(attachment: unknown, repair: Repair): readonly ContentBlock[] {
  if (!isRecord(attachment)) {
    repair('an attachment that could not be read was left out');
    return [];
  }
  if (attachment['kind'] === 'queued_command') return queuedCommand(attachment['prompt'], repair);
  const words = wordsOf(attachment);
  if (words === undefined) repair('an attachment of an unknown kind was left out');
  return words === undefined || isBlank(words) ? [] : [text(reminder(wellFormed(words)))];
}

function queuedCommand(prompt: unknown, repair: Repair): readonly ContentBlock[] {
  const { rest } = readUserContent(prompt, repair);
  const [first, ...more] = rest;
  if (first === undefined) return [];
  return first.type === 'text'
    ? [text(`${SENT_MEANWHILE}\n${first.text}`), ...more]
    : [text(SENT_MEANWHILE), ...rest];
}

function wordsOf(attachment: Dict): string | undefined {
  const of = (field: string): string => {
    const value = attachment[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  switch (attachment['kind']) {
    case 'changed_file':
      return `${of('path')} was changed on disk, by the user or by a program, after you last read it. ${of('note')}`;
    case 'memory':
      return `From the memory file ${of('path')}, written in an earlier session (it may be out of date):\n\n${of('text')}`;
    case 'skills':
    case 'reminder':
    case 'task_ended':
      return of('text');
    case 'max_turns_reached':
      return `The limit of ${of('maxTurns')} turns was reached; the work was stopped there.`;
    case 'hook_stopped_continuation':
      return `The hook ${of('hook')} stopped the work here: ${of('reason')}`;
    default:
      return undefined;
  }
}
