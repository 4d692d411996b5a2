/**
 * Collects the effects of later messages on earlier ones: the start of the conversation (after the last compact
 * boundary), retracted messages (tombstones), and media that the API refused. Every other part of a request depends only
 * on earlier messages, so its beginning can be kept.
 */
import { isRecord } from '../../json.ts';
import type { History } from '../../messages/history.ts';
import type { Message } from '../../messages/message.ts';
import type { Dict } from './clean-json.ts';
import { carriesMedia } from './media.ts';

/** An index before the first message: all rounds must be built again. */
const EVERYTHING = -1;

export class Survey {
  #start = 0;
  #seen = 0;
  readonly #gone = new Set<unknown>();
  readonly #refused = new Set<number>();

  /** No message was read yet. */
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

  /** The API refused media of the message at this index, so its media are not sent. */
  isRefused(index: number): boolean {
    return this.#refused.has(index);
  }

  /** Reads the appended messages. Returns the index of the earliest message that must be built again. */
  read(messages: History<Message>): number {
    let earliest = Number.POSITIVE_INFINITY;
    for (; this.#seen < messages.length; this.#seen++)
      earliest = Math.min(earliest, this.#noteSafely(this.#seen, messages));
    return earliest;
  }

  /** A message that cannot be read (a getter that throws) has no effect on others. */
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
    if (message['type'] === 'tombstone') return this.#retract(message['uuids'], index, messages);
    if (message['type'] === 'assistant' && isApiError(message))
      return this.#blameMedia(message['apiError'], index, messages);
    return Number.POSITIVE_INFINITY;
  }

  /** Searches the whole history, because several messages of a broken one may share a uuid. Tombstones are rare. */
  #retract(uuids: unknown, before: number, messages: History<Message>): number {
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
   * Marks the last message that may have caused the refusal. For `media` it can be any earlier one: another model or a
   * stricter limit for many media may refuse it later. For `overflow` it was added after the last answer.
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

/** The loop made this message to report a failed model call. */
export function isApiError(message: Dict): boolean {
  return message['apiError'] !== undefined && message['apiError'] !== null;
}

function userContent(message: Dict): unknown {
  if (message['type'] === 'user') return message['content'];
  const attachment = message['type'] === 'attachment' ? message['attachment'] : undefined;
  return isRecord(attachment) ? attachment['prompt'] : undefined;
}
