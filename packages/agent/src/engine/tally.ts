/** What one prompt's run amounts to, for its result line. */
import {
  addUsage,
  type AssistantMessage,
  isThought,
  isToolUse,
  type LoopEvent,
  NO_USAGE,
  textOf,
  type Usage,
} from '@heddle/core';
import { webSearchesOf } from '@heddle/models';
import { apiErrorText } from '../sdk/translate.ts';

export class Tally {
  readonly startedAt: number;
  /** Answers that stand, those that were cut and resumed included. */
  answers = 0;
  /** The text of the last error that was reported as a message. */
  errorText = '';
  stopReason: string | null = null;
  usage: Usage = NO_USAGE;
  webSearches = 0;
  /** Time spent waiting for the model. */
  apiMs = 0;
  #askedAt: number | undefined;
  /** The text blocks of the answer so far, by message. */
  readonly #pieces = new Map<string, string>();
  /** Something else than text stands behind the last piece. */
  #isInterspersed = false;

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
        if (message.type === 'assistant') this.#say(message);
        return;
      }
      case 'tombstone':
        for (const uuid of event.uuids) this.#pieces.delete(uuid);
        return;
      case 'transition':
        // Only an answer that resumes goes on where the last one broke off; any other begins anew.
        if (event.transition.reason === 'max_output_tokens_recovery') this.answers++;
        else this.#pieces.clear();
        return;
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

  /** The whole answer: all its text since the last tool call, through resumptions and pauses. */
  get answerText(): string {
    return [...this.#pieces.values()].join('');
  }

  #say(message: AssistantMessage): void {
    const text = textOf(message.content);
    if (message.apiError !== undefined) {
      this.errorText = apiErrorText(message);
    } else if (message.content.some(isToolUse)) {
      this.#pieces.clear();
    } else if (text !== '') {
      const isFirst = this.#pieces.size === 0;
      this.#pieces.set(message.uuid, this.#isInterspersed && !isFirst ? `\n\n${text}` : text);
    }
    // A resumed answer may think first: its text goes on where the last piece ended.
    if (!message.content.every(isThought)) this.#isInterspersed = text === '';
  }

  #answered(usage: Usage, now: number): void {
    this.usage = addUsage(this.usage, usage);
    this.webSearches += webSearchesOf(usage);
    this.apiMs += now - (this.#askedAt ?? now);
    this.#askedAt = now;
  }
}
