/** Prompts that wait: for their own turn, or to join the one that runs. Pure but for the waiting. */
import { randomUUID } from 'node:crypto';
import type { Prompt } from '@heddle/agent';
import type { QueuedCommand } from '@heddle/core';
import { isContent, type Line, lineIn, textIn } from './json.ts';

export interface HostPrompt extends Prompt {
  readonly uuid: string;
  /** `now`: the running turn ends for it. `next`: it joins the running turn. `later`: it waits for a turn of its own. */
  readonly priority: 'now' | 'next' | 'later';
  /** It joins the conversation, and the model is asked with the next one. */
  readonly isQuiet: boolean;
}

/** Undefined where a line holds no prompt. */
export function promptOf(line: Line): HostPrompt | undefined {
  const content = lineIn(line['message'])?.['content'];
  if (typeof content !== 'string' && !isContent(content)) return undefined;
  const priority = line['priority'];
  return {
    content,
    uuid: textIn(line['uuid']) ?? randomUUID(),
    priority: priority === 'now' || priority === 'later' ? priority : 'next',
    isQuiet: line['shouldQuery'] === false,
    verbatim: line['client_composed'] === true,
  };
}

export class Inbox {
  #waiting: HostPrompt[] = [];
  #isClosed = false;
  #wake = (): void => undefined;

  put(prompt: HostPrompt): void {
    if (this.#isClosed) return;
    this.#waiting = prompt.priority === 'now' ? [prompt, ...this.#waiting] : [...this.#waiting, prompt];
    this.#wake();
  }

  /** Those that join the running turn. One that is a command, or asks nothing, does not start one that asks. */
  takeQueued(): readonly QueuedCommand[] {
    const joins = this.#waiting.filter((prompt) => prompt.priority !== 'later' && !isCommand(prompt));
    if (joins.every(({ isQuiet }) => isQuiet)) return [];
    this.#waiting = this.#waiting.filter((prompt) => !joins.includes(prompt));
    return joins.map(({ uuid, content }) => ({ commandId: uuid, prompt: content }));
  }

  get uuids(): readonly string[] {
    return this.#waiting.map(({ uuid }) => uuid);
  }

  /** Answers with those that were dropped. */
  clear(): readonly string[] {
    const { uuids } = this;
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
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

/** Commands have a turn of their own. */
function isCommand({ content, verbatim }: HostPrompt): boolean {
  const first = typeof content === 'string' ? content : content[0];
  const text = typeof first === 'string' ? first : textIn(first?.type === 'text' ? first.text : undefined);
  return !verbatim && text?.startsWith('/') === true;
}
