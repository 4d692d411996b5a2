/** The sources of a session's requests: their head, and the context pipeline. Both are made once, and again when options change. */
import type { ContextPipeline } from '@heddle/context';
import { omitUndefined, type SessionSnapshot } from '@heddle/core';
import { MemoryFolder } from '../memory/memory-folder.ts';
import { memoryLayer } from '../memory/memory-texts.ts';
import { systemPromptOf } from '../prompt/sections.ts';
import type { Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';
import { contextPipelineOf } from './params.ts';
import type { SessionLog } from './session-log.ts';

interface RequestSourcesSetup {
  readonly session: Session;
  readonly log: SessionLog;
  readonly uuid: () => string;
  /** Returns the current options of the engine. */
  readonly options: () => AgentOptions;
}

export class RequestSources {
  readonly #setup: RequestSourcesSetup;
  /** Windows that servers stated when they rejected a request, by model. */
  readonly #learnedWindows = new Map<string, number>();
  #context: ContextPipeline | undefined;
  #head: SessionSnapshot | undefined;

  constructor(setup: RequestSourcesSetup) {
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

/** Fixed when the session starts. Later changes arrive as messages. */
function newHead(options: AgentOptions): SessionSnapshot {
  const { cwd, modelName, agentName: agent, isPromptShared = false } = options;
  const systemContext = { 'Working directory': cwd, ...options.systemContext };
  const userContext = { ...options.userContext, ...memoryContext(options) };
  return {
    cwd,
    model: modelName,
    systemPrompt: promptOf(options),
    userContext: isPromptShared ? { ...systemContext, ...userContext } : userContext,
    systemContext: isPromptShared ? {} : systemContext,
    ...omitUndefined({ agent }),
  };
}

/** The stored head of the session, byte for byte. A prompt that the host gives replaces the stored one. */
function resumedHead(stored: SessionSnapshot, options: AgentOptions): SessionSnapshot {
  const brings = options.systemPrompt !== undefined || options.appendSystemPrompt !== undefined;
  return brings ? { ...stored, systemPrompt: promptOf(options) } : stored;
}

function promptOf(options: AgentOptions): readonly string[] {
  const { memory } = options;
  return systemPromptOf(options, memory === undefined ? undefined : memoryLayer(memory));
}

/** The index of the memory folder when the session starts. */
function memoryContext({ memory }: AgentOptions): Readonly<Record<string, string>> {
  const index = memory === undefined ? undefined : new MemoryFolder(memory).index();
  return index === undefined ? {} : { Memory: index };
}
