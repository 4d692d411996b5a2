/** One key for all messages of a conversation. The next request of the same conversation costs only what it added. */
import type { History, RequestMessage } from '@heddle/core';
import { digestOfText } from '../digest.ts';

/** Conversations that go on beside each other. */
const REMEMBERED = 8;

interface Link {
  readonly messages: History<RequestMessage>;
  readonly key: string;
}

export class Chain {
  #links: readonly Link[] = [];

  keyOf(messages: History<RequestMessage>, keyOfOne: (message: RequestMessage) => string): string {
    const before = this.#links.find((link) => messages.extends(link.messages));
    let key = before?.key ?? '';
    for (const message of messages.since(before?.messages.length ?? 0))
      key = digestOfText(`${key} ${keyOfOne(message)}`);
    const others = this.#links.filter((link) => link !== before);
    this.#links = [{ messages, key }, ...others].slice(0, REMEMBERED);
    return key;
  }

  /** The keys of single messages have changed. */
  forget(): void {
    this.#links = [];
  }
}
