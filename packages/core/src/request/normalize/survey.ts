/**
 * What later messages say about earlier ones: where the conversation begins (after the last compact boundary), which
 * messages were taken back (tombstones), and whose media the API refused. Everything else in a request depends only on
 * what stands before it, which is what lets its beginning be kept as it is.
 */
import { isRecord } from '../../json.ts';
import type { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { Dict } from './clean-json.ts';
import { carriesMedia } from './media.ts';

/** Earlier than every message: nothing that was built can be kept. */
const EVERYTHING = -1;

export class Survey {
  #start = 0;
  #seen = 0;
  readonly #gone = new Set<unknown>();
  readonly #refused = new Set<number>();

  /** Nothing was read yet. */
  get isFresh(): boolean {
    return this.#seen === 0;
  }

  /** The first message that may be sent. */
  get start(): number {
    return this.#start;
  }

  isGone(message: Dict): boolean {
    return this.#gone.size > 0 && this.#gone.has(message['uuid']);
  }

  /** The media of the message at this place are not to be sent. */
  isRefused(index: number): boolean {
    return this.#refused.has(index);
  }

  /** Reads what was appended. Answers with the earliest message that has to be seen in a new light. */
  read(messages: History<Message>): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (; this.#seen < messages.length; this.#seen++)
      earliest = Math.min(earliest, this.#noteSafely(this.#seen, messages));
    return earliest;
  }

  /** What cannot even be looked at (a getter that throws) says nothing about others. */
  #noteSafely(index: number, messages: History<Message>): number {
    try {
      const message: unknown = messages.at(index);
      return isRecord(message) ? this.#note(message, index, messages) : Number.POSITIVE_INFINITY;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  #note(message: Dict, index: number, messages: History<Message>): number {
    if (message['type'] === 'system' && message['subtype'] === 'compact_boundary') {
      this.#start = index + 1;
      return EVERYTHING;
    }
    if (message['type'] === 'tombstone') return this.#takeBack(message['uuids'], index, messages);
    if (message['type'] === 'assistant' && isApiError(message))
      return this.#blameMedia(message['apiError'], index, messages);
    return Number.POSITIVE_INFINITY;
  }

  /** All the way back: in a broken history several messages may go by one name. Tombstones are rare. */
  #takeBack(uuids: unknown, before: number, messages: History<Message>): number {
    const named = new Set<unknown>(
      Array.isArray(uuids) ? uuids.filter((uuid) => typeof uuid === 'string') : [],
    );
    for (const uuid of named) this.#gone.add(uuid);
    let earliest = Number.POSITIVE_INFINITY;
    for (let index = before - 1; index >= this.#start && named.size > 0; index--) {
      const message: unknown = messages.at(index);
      if (isRecord(message) && named.has(message['uuid'])) earliest = index;
    }
    return earliest;
  }

  /**
   * A medium may become too large only later (another model, a stricter limit for many), so for `media` any earlier one
   * can be the cause. For `overflow` it is one that came since the last answer: the others had fitted.
   */
  #blameMedia(error: unknown, before: number, messages: History<Message>): number {
    if (error !== 'media' && error !== 'overflow') return Number.POSITIVE_INFINITY;
    for (let index = before - 1; index >= this.#start; index--) {
      const message: unknown = messages.at(index);
      if (!isRecord(message) || this.isGone(message) || message['isVirtual'] === true) continue;
      if (error === 'overflow' && message['type'] === 'assistant' && !isApiError(message)) break;
      if (this.#refused.has(index) || !carriesMedia(userContent(message))) continue;
      this.#refused.add(index);
      return index;
    }
    return Number.POSITIVE_INFINITY;
  }
}

/** Made by the loop to tell of a failed call. */
export function isApiError(message: Dict): boolean {
  return message['apiError'] !== undefined && message['apiError'] !== null;
}

function userContent(message: Dict): unknown {
  if (message['type'] === 'user') return message['content'];
  const attachment = message['type'] === 'attachment' ? message['attachment'] : undefined;
  return isRecord(attachment) ? attachment['prompt'] : undefined;
}
