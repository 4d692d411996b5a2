/** Prompts that wait: for their own turn, or to join the one that runs. Pure but for the waiting. */
import { newUuid } from '@heddle/agent';
import type { Prompt } from '@heddle/agent';
import type { QueuedPrompt } from '@heddle/core';
import { isContent, type HostLine, lineIn, textIn } from './json.ts';

export interface HostPrompt extends Prompt {
  readonly uuid: string;
  /** The host gave the uuid, and wants to find it in the answer. */
  readonly isNamed: boolean;
  /** `now`: the running turn ends for it. `next`: it joins the running turn. `later`: it waits for a turn of its own. */
  readonly priority: 'now' | 'next' | 'later';
  /** It joins the conversation, and the model is asked with the next one. */
  readonly isQuiet: boolean;
  /** Undefined if no hook decides about the prompt. */
  readonly pass?: Pass | undefined;
}

/** The decision of the host's hooks whether a prompt may start. They may also add text to it. */
export interface Pass {
  /** Resolves to undefined if the prompt may start. Never rejects. */
  readonly objection: Promise<Objection | undefined>;
  /** True once the hooks have answered and the prompt may start. */
  readonly isGiven: boolean;
  /** The prompt starts now. */
  use(): void;
  /** The prompt does not start. The queue no longer waits for the decision. */
  drop(): void;
}

/** A hook blocked the prompt, or a hook did not answer. */
export interface Objection {
  readonly kind: 'blocked' | 'unheard';
  readonly reason: string;
}

/** Undefined where a line holds no prompt. */
export function hostPromptOf(line: HostLine): HostPrompt | undefined {
  const content = lineIn(line['message'])?.['content'];
  if (typeof content !== 'string' && !isContent(content)) return undefined;
  const priority = line['priority'];
  return {
    content,
    uuid: textIn(line['uuid']) ?? newUuid(),
    isNamed: textIn(line['uuid']) !== undefined,
    priority: priority === 'now' || priority === 'later' ? priority : 'next',
    isQuiet: line['shouldQuery'] === false,
    verbatim: line['client_composed'] === true,
  };
}

export class HostPromptQueue {
  #waiting: HostPrompt[] = [];
  #isClosed = false;
  #wake = (): void => undefined;
  /** True while the next prompt would start at once. */
  #isIdle = true;

  /** Returns true if the prompt must wait: another one is under way or before it. */
  put(prompt: HostPrompt): boolean {
    if (this.#isClosed) return false;
    const waits = !this.#isIdle;
    this.#isIdle = false;
    this.#waiting = prompt.priority === 'now' ? [prompt, ...this.#waiting] : [...this.#waiting, prompt];
    this.#wake();
    return waits;
  }

  /** Those that join the running turn. One that is a command, or asks nothing, does not start one that asks. */
  takeQueued(): readonly QueuedPrompt[] {
    const joins = this.#waiting.filter(mayJoin);
    if (joins.every(({ isQuiet }) => isQuiet)) return [];
    this.#waiting = this.#waiting.filter((prompt) => !joins.includes(prompt));
    for (const { pass } of joins) pass?.use();
    return joins.map(({ uuid, content }) => ({ commandId: uuid, prompt: content }));
  }

  get uuids(): readonly string[] {
    return this.#waiting.map(({ uuid }) => uuid);
  }

  /** Removes one prompt. Returns whether it was still waiting. */
  cancel(uuid: string): boolean {
    const prompt = this.#waiting.find((waiting) => waiting.uuid === uuid);
    prompt?.pass?.drop();
    this.#waiting = this.#waiting.filter((waiting) => waiting !== prompt);
    return prompt !== undefined;
  }

  /** Answers with those that were dropped. */
  clear(): readonly string[] {
    const { uuids } = this;
    for (const { pass } of this.#waiting) pass?.drop();
    this.#waiting = [];
    return uuids;
  }

  /** Nothing more is taken in; what waits still comes. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<HostPrompt, void> {
    while (true) {
      const prompt = this.#waiting.shift();
      if (prompt) yield prompt;
      else if (this.#isClosed) return;
      else {
        this.#isIdle = true;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** Returns whether a prompt may join the running turn. A prompt that hooks have not accepted waits for its own turn. */
function mayJoin(prompt: HostPrompt): boolean {
  return prompt.priority !== 'later' && !isCommand(prompt) && prompt.pass?.isGiven !== false;
}

/** Commands have a turn of their own. */
function isCommand({ content, verbatim }: HostPrompt): boolean {
  const first = typeof content === 'string' ? content : content[0];
  const text = typeof first === 'string' ? first : textIn(first?.type === 'text' ? first.text : undefined);
  return !verbatim && text?.startsWith('/') === true;
}
