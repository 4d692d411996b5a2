/**
 * The mailbox of a member: one file for each message. A message is removed only after it is stored in the log of the member, and its
 * id is stored with it. So a crash in between neither loses nor repeats it.
 */
import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Message, textOf } from '@heddle/core';
import * as z from 'zod';
import { readJson } from '../settings/json-file.ts';
import { makeFolder } from '../session/files/lock.ts';
import { newUuid } from '../session/uuid.ts';

const mailSchema = z
  .object({ id: z.string(), from: z.string(), text: z.string(), sentAt: z.number() })
  .readonly();

export type Mail = z.infer<typeof mailSchema>;

const PRIVATE_FILE = 0o600;
/** A mailbox that nothing reads must not fill the disk. */
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 100_000;

export class Mailbox {
  readonly path: string;

  constructor(folder: string) {
    this.path = folder;
  }

  /** Throws if the mailbox is full or the text is too long. */
  send({ from, text }: Pick<Mail, 'from' | 'text'>): Mail {
    if (text.length > MOST_CHARACTERS)
      throw new RangeError(
        `A message has at most ${MOST_CHARACTERS} characters. Write a file, and send its path.`,
      );
    makeFolder(this.path);
    if (this.#files().length >= MOST_WAITING) throw new RangeError('The mailbox is full.');
    const mail: Mail = { id: newUuid(), from, text, sentAt: Date.now() };
    const draft = path.join(this.path, `${mail.id}.tmp`);
    try {
      writeFileSync(draft, JSON.stringify(mail), { mode: PRIVATE_FILE });
      // The name sorts by time. A link appears at once and complete.
      linkSync(draft, path.join(this.path, `${String(mail.sentAt).padStart(15, '0')}-${mail.id}.json`));
    } finally {
      rmSync(draft, { force: true });
    }
    return mail;
  }

  /** Returns the messages that are not acknowledged, oldest first. */
  waiting(): readonly Mail[] {
    // A file can be gone: its message was acknowledged meanwhile.
    return this.#files().flatMap((name) => readJson(path.join(this.path, name), mailSchema) ?? []);
  }

  /** The message is stored in the log of its receiver. */
  acknowledge(id: string): void {
    for (const name of this.#files())
      if (name.endsWith(`-${id}.json`)) rmSync(path.join(this.path, name), { force: true });
  }

  /** Acknowledges the messages that an earlier process stored before it was killed. */
  settle(messages: Iterable<Message>): void {
    const waiting = new Set(this.waiting().map(({ id }) => id));
    if (waiting.size === 0) return;
    for (const message of messages)
      for (const id of mailIn(message)) if (waiting.has(id)) this.acknowledge(id);
  }

  #files(): readonly string[] {
    try {
      return readdirSync(this.path)
        .filter((name) => name.endsWith('.json'))
        .sort();
    } catch {
      return [];
    }
  }
}

/** A message as the model reads it. The sender is another agent, not the user. */
export function mailText({ id, from, text }: Mail): string {
  const safe = text.replaceAll(/<(\/?)(?=teammate-message)/g, '&lt;$1');
  return `<teammate-message from="${from.replaceAll(/[^\w.-]/g, '_')}" id="${id}">\n${safe}\n</teammate-message>`;
}

const MAIL_ID = /^<teammate-message from="[\w.-]+" id="([0-9a-f-]{36})">$/gm;

/** The ids of the messages that an entry of a log contains. */
function mailIn(message: Message): readonly string[] {
  if (message.type === 'attachment')
    return message.attachment.kind === 'queued_command' ? [message.attachment.commandId] : [];
  if (message.type !== 'user') return [];
  const text = typeof message.content === 'string' ? message.content : textOf(message.content);
  return [...text.matchAll(MAIL_ID)].map(([, id = '']) => id);
}
