/**
 * Step 1, `normalizeMessagesForAPI`: folds the history from left to right into rounds. A round is an answer and the user
 * messages after it. The next answer closes it, and a closed round never changes. This step does not depend on the model.
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
  /** The model that wrote the block. Signatures are valid only for that model. */
  readonly model: unknown;
}

export interface Round {
  /** The round before the first answer. It contains only user messages. */
  readonly isFirst: boolean;
  /** The range of its messages. `to` is one past the last message with an effect. */
  readonly from: number;
  to: number;
  readonly responses: Set<string>;
  /** A prompt follows the answer. Only results can be between two blocks of one answer, so a later block begins another one. */
  isFollowedByPrompt: boolean;
  readonly answer: AnswerPart[];
  readonly results: ToolResultBlock[];
  /** The blocks of the user's side, except results. */
  readonly userBlocks: ContentBlock[];
  /** The index in `userBlocks` for the next attachment: behind the nearest result or answer. */
  attachmentIndex: number;
  readonly repairs: string[];
}

interface FoldInput {
  readonly messages: History<Message>;
  readonly survey: Survey;
}

/** Folds the messages from `from` to the end. Passes each closed round to `close`, and returns the open one. */
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

/** Applies only this step: no pairing and none of the later steps. */
export function normalizeMessagesForAPI(messages: Iterable<Message>): RequestMessage[] {
  const history = History.of(messages);
  const survey = new Survey();
  survey.read(history);
  const normalized: RequestMessage[] = [];
  const close = (round: Round): void => {
    const answer = round.answer.map((part) => part.block);
    const content = [...round.results, ...round.userBlocks];
    if (answer.length > 0) normalized.push({ role: 'assistant', content: answer });
    if (content.length > 0) normalized.push({ role: 'user', content });
  };
  close(fold({ messages: history, survey }, survey.start, true, close));
  return normalized;
}

/** Returns false if no result or user message follows the answer. The next answer then continues it. */
export function isAnswered(round: Round): boolean {
  return round.results.length > 0 || round.userBlocks.length > 0;
}

function newRound(from: number, isFirst: boolean): Round {
  return {
    isFirst,
    from,
    to: from,
    responses: new Set(),
    isFollowedByPrompt: false,
    answer: [],
    results: [],
    userBlocks: [],
    attachmentIndex: 0,
    repairs: [],
  };
}

/** A message that cannot be read (a getter that throws) is left out, so that the session stays usable. */
function absorbSafely(input: FoldInput, round: Round, index: number): Round {
  try {
    return absorb(input, round, index);
  } catch {
    round.repairs.push(`message ${index}: could not be read and was left out`);
    return round;
  }
}

/** Adds one message to the round or to a new one. Returns the round that contains it. */
function absorb(input: FoldInput, round: Round, index: number): Round {
  const message: unknown = input.messages.at(index);
  const repair: Repair = (what) => round.repairs.push(`message ${index}: ${what}`);
  if (!isRecord(message)) {
    repair('is not a message and was left out');
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
  addAll(round.userBlocks, read.rest.map(send));
  if (read.results.length > 0) round.attachmentIndex = round.userBlocks.length;
  else round.isFollowedByPrompt = true;
  round.to = index + 1;
}

function absorbAssistant(round: Round, message: Dict, index: number): Round {
  // The loop made it to report a failed call. It is not sent, and later attachments stay behind it.
  if (isApiError(message)) {
    round.attachmentIndex = round.userBlocks.length;
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
  // A server may use the id of an answer again, such as after it was restarted.
  const isSameAnswer = response !== undefined && round.responses.has(response) && !round.isFollowedByPrompt;
  const continues = !isAnswered(round) || isSameAnswer;
  const home = round.isFirst || !continues ? newRound(index, false) : round;

  addAll(home.repairs, repairs);
  for (const block of read.rest) home.answer.push({ block: withCleanInput(block), model: message['model'] });
  addAll(home.results, read.results);
  if (response !== undefined) home.responses.add(response);
  home.attachmentIndex = home.userBlocks.length;
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
  const below = round.userBlocks.splice(round.attachmentIndex);
  addAll(round.userBlocks, blocks);
  round.attachmentIndex = round.userBlocks.length;
  addAll(round.userBlocks, below);
  round.to = index + 1;
}

function absorbSystem(round: Round, message: Dict, index: number): void {
  // It replaces a missing answer. Everything before it was sent, so later attachments stay behind it.
  if (message['subtype'] === 'interruption') round.attachmentIndex = round.userBlocks.length;
  const content = message['content'];
  if (message['subtype'] !== 'local_command' || typeof content !== 'string' || isBlank(content)) return;
  round.userBlocks.push(text(localCommand(wellFormed(content))));
  round.to = index + 1;
}

/** Replaces media of a message that the API refused. */
function sendable(input: FoldInput, index: number): (block: ContentBlock) => ContentBlock {
  if (!input.survey.isRefused(index)) return (block) => block;
  return (block) => mapMedia(block, (media) => text(mediaNote(media.type, MEDIA_REFUSED)));
}

/** A history from a file may contain an input that JSON or the API does not accept. */
function withCleanInput(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use') return block;
  const input = cleanJson(block.input);
  return input === block.input || !isJsonObject(input) ? block : { ...block, input };
}

/** Does not spread the items: a message may have more blocks than a call can have arguments. */
function addAll<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
}

function attachmentBlocks(attachment: unknown, repair: Repair): readonly ContentBlock[] {
  if (!isRecord(attachment)) {
    repair('an attachment that could not be read was left out');
    return [];
  }
  if (attachment['kind'] === 'queued_command') return queuedCommand(attachment['prompt'], repair);
  if (attachment['kind'] === 'image') return namedImage(attachment, repair);
  const content = attachmentText(attachment);
  if (content === undefined) repair('an attachment of an unknown kind was left out');
  return content === undefined || isBlank(content) ? [] : [text(reminder(wellFormed(content)))];
}

function queuedCommand(prompt: unknown, repair: Repair): readonly ContentBlock[] {
  const { rest } = readUserContent(prompt, repair);
  const [first, ...more] = rest;
  if (first === undefined) return [];
  return first.type === 'text'
    ? [text(`${SENT_MEANWHILE}\n${first.text}`), ...more]
    : [text(SENT_MEANWHILE), ...rest];
}

function namedImage({ path, image }: Dict, repair: Repair): readonly ContentBlock[] {
  const { rest } = readUserContent([image], repair);
  return rest.length === 0
    ? []
    : [text(reminder(wellFormed(`The prompt names the image ${String(path)}:`))), ...rest];
}

function attachmentText(attachment: Dict): string | undefined {
  const of = (field: string): string => {
    const value = attachment[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  switch (attachment['kind']) {
    case 'changed_file':
      return `${of('path')} was changed on disk, by the user or by a program, after you last read it. ${of('note')}`;
    case 'file':
      return [
        `The prompt names ${of('path')}.`,
        of('note'),
        of('text') === '' ? '' : `Content:\n\n${of('text')}`,
      ]
        .filter((part) => part !== '')
        .join(' ');
    case 'memory':
      return `From the memory file ${of('path')}, written in an earlier session (it may be out of date):\n\n${of('text')}`;
    case 'instructions':
      return `Follow these instructions of ${of('path')} (${of('reason')}) from now on:\n\n${of('text')}`;
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
