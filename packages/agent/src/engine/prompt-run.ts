/** The run of one prompt: its counts, its denied calls, and the translation of its events. */
import {
  addUsage,
  type AssistantMessage,
  isThinking,
  isToolUse,
  type LoopEvent,
  NO_USAGE,
  textOf,
  type Usage,
} from '@heddle/core';
import { webSearchesOf } from '@heddle/models';
import { apiErrorText, Translator } from '../sdk/translate.ts';
import { Denials } from './denials.ts';
import type { AgentOptions } from './options.ts';
import { STRUCTURED_OUTPUT, StructuredOutput } from './structured-output.ts';

export interface PromptRun {
  readonly counts: RunCounts;
  readonly denials: Denials;
  readonly translator: Translator;
  readonly structured: StructuredOutput | undefined;
}

/** `startedAt` is given for a run that continues. */
export function newPromptRun(
  {
    outputSchema,
    replayUserMessages,
    modelName,
  }: Pick<AgentOptions, 'modelName' | 'outputSchema' | 'replayUserMessages'>,
  given: {
    readonly sessionId: string;
    readonly uuid: () => string;
    readonly now: () => number;
    readonly startedAt: number | undefined;
  },
): PromptRun {
  const { startedAt = given.now(), ...host } = given;
  return {
    counts: new RunCounts(startedAt),
    denials: new Denials(),
    translator: new Translator({
      ...host,
      replays: replayUserMessages ?? false,
      ownHooks: [STRUCTURED_OUTPUT],
      model: modelName,
    }),
    structured: outputSchema && new StructuredOutput(outputSchema),
  };
}

/** The figures of a run for its result. */
export class RunCounts {
  readonly startedAt: number;
  /** The number of responses that count, including those that were cut and resumed. */
  answers = 0;
  /** The text of the last error message. */
  errorText = '';
  stopReason: string | null = null;
  usage: Usage = NO_USAGE;
  webSearches = 0;
  /** The time spent waiting for the model. */
  apiMs = 0;
  #askedAt: number | undefined;
  /** The text blocks of the response so far, by message. */
  readonly #pieces = new Map<string, string>();
  /** Content other than text follows the last piece. */
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
        // Only a resumed response continues the last one. Any other response starts a new text.
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

  /** The whole response: all text since the last tool call, through resumptions and pauses. */
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
    // A resumed response may think first. Its text continues the last piece.
    if (!message.content.every(isThinking)) this.#isInterspersed = text === '';
  }

  #answered(usage: Usage, now: number): void {
    this.usage = addUsage(this.usage, usage);
    this.webSearches += webSearchesOf(usage);
    this.apiMs += now - (this.#askedAt ?? now);
    this.#askedAt = now;
  }
}
