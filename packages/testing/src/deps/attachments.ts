/** Fake attachment sources: a queue of commands and scripted attachments. */
import type { Attachment, AttachmentSources, QueuedPrompt } from '@heddle/core';

export interface FakeAttachments extends AttachmentSources {
  /** Adds a command to the queue, as a user does while the model works. */
  enqueue(command: QueuedPrompt): void;
  /** The commands that were not taken yet. */
  readonly queue: readonly QueuedPrompt[];
  /** `run`, `iteration`, … in order. */
  readonly begun: readonly ('run' | 'iteration')[];
}

export interface AttachmentOptions {
  readonly queue?: readonly QueuedPrompt[];
  /** The result of each gathering. Empty when the list is used up. */
  readonly gathered?: readonly (readonly Attachment[])[];
}

export function fakeAttachments(options: AttachmentOptions = {}): FakeAttachments {
  const queue = [...(options.queue ?? [])];
  const begun: ('run' | 'iteration')[] = [];
  let gatherings = 0;
  return {
    queue,
    begun,
    enqueue: (command) => void queue.push(command),
    begin: (scope) => void begun.push(scope),
    takeQueued: () => queue.splice(0),
    gather: () => Promise.resolve(options.gathered?.[gatherings++] ?? []),
  };
}

export function queued(commandId: string, prompt: string): QueuedPrompt {
  return { commandId, prompt };
}
