/** What one prompt's run amounts to, for its result line. */
import { addUsage, type LoopEvent, NO_USAGE, textOf, type Usage } from '@heddle/core';
import { webSearchesOf } from '@heddle/models';

export class Tally {
  readonly startedAt: number;
  answers = 0;
  lastText = '';
  stopReason: string | null = null;
  usage: Usage = NO_USAGE;
  webSearches = 0;
  /** Time spent waiting for the model. */
  apiMs = 0;
  #askedAt: number | undefined;

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  note(event: LoopEvent, now: number): void {
    switch (event.type) {
      case 'stream_request_start':
        this.#askedAt = now;
        return;
      case 'message': {
        const { message } = event;
        if (message.type !== 'assistant') return;
        const text = textOf(message.content);
        if (text !== '') this.lastText = text;
        return;
      }
      case 'answer_end':
        this.answers++;
        this.stopReason = event.stopReason ?? null;
        this.#answered(event.usage, now);
        return;
      case 'spent':
        this.#answered(event.usage, now);
        return;
      default:
        return;
    }
  }

  #answered(usage: Usage, now: number): void {
    this.usage = addUsage(this.usage, usage);
    this.webSearches += webSearchesOf(usage);
    this.apiMs += now - (this.#askedAt ?? now);
    this.#askedAt = now;
  }
}
