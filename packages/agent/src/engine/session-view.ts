/** The head of the session's requests, and its context pipeline. Both are made once, and again when options change. */
import type { ContextPipeline } from '@heddle/context';
import type { SessionSnapshot } from '@heddle/core';
import type { Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';
import { contextPipelineOf, newHead, resumedHead } from './params.ts';
import type { SessionLog } from './session-log.ts';

interface SessionViewSetup {
  readonly session: Session;
  readonly log: SessionLog;
  readonly uuid: () => string;
  /** Returns the current options of the engine. */
  readonly options: () => AgentOptions;
}

export class SessionView {
  readonly #setup: SessionViewSetup;
  /** Windows that servers stated when they rejected a request, by model. */
  readonly #learnedWindows = new Map<string, number>();
  #context: ContextPipeline | undefined;
  #head: SessionSnapshot | undefined;

  constructor(setup: SessionViewSetup) {
    this.#setup = setup;
  }

  /** Both depend on the model. Their earlier decisions are in the log. */
  reset(): void {
    this.#context = undefined;
    this.#head = undefined;
  }

  /** The same object for the whole session, so that values derived from it are computed once. */
  get head(): SessionSnapshot {
    const { session, options } = this.#setup;
    const { snapshot } = session;
    return (this.#head ??= snapshot ? resumedHead(snapshot, options()) : newHead(options()));
  }

  /** One for the whole session, because it remembers requests and decisions across prompts. */
  get context(): ContextPipeline {
    const { session, log, uuid, options } = this.#setup;
    return (this.#context ??= contextPipelineOf(options(), {
      session,
      head: this.head,
      uuid,
      learnedWindows: this.#learnedWindows,
      state: () => log.state,
    }));
  }
}
