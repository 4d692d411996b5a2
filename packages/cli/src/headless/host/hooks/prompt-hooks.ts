/** The host's word on a prompt, before it is taken up: it may be blocked, and something may be said to the model with it. */
import type { Prompt } from '@heddle/agent';
import { type Attachment, textOf } from '@heddle/core';
import type { Objection, Pass } from '../inbox.ts';
import type { HostCallbacks } from './registered.ts';
import { ignoredFieldsIn } from './hook-response.ts';

/** With the reason where the session must not begin. */
type Beginning = Promise<string | undefined>;

export class PromptHooks {
  readonly #callbacks: HostCallbacks;
  readonly #source: 'startup' | 'resume';
  readonly #remark: (remark: Attachment) => void;
  /** What hooks said to the beginning of the session: the first prompt brings it about, and all wait for it. */
  #beginning: Beginning | undefined;

  constructor(
    callbacks: HostCallbacks,
    source: 'startup' | 'resume',
    /** Takes what the model should read with the next prompt. */
    remark: (remark: Attachment) => void,
    beginning?: Beginning,
  ) {
    this.#callbacks = callbacks;
    this.#source = source;
    this.#remark = remark;
    this.#beginning = beginning;
  }

  /** Undefined while the session has not begun. */
  get beginning(): Beginning | undefined {
    return this.#beginning;
  }

  /** Does any of them want to hear of prompts, the first at least? */
  get areThere(): boolean {
    return this.#callbacks.hears('UserPromptSubmit') || this.#callbacks.hears('SessionStart');
  }

  passOf(prompt: Prompt): Pass {
    this.#beginning ??= this.#begin();
    return new PromptPass(this.#beginning, prompt, this.#callbacks, (text) => this.#tellModel(text));
  }

  async #begin(): Beginning {
    const input = { source: this.#source };
    const { context, stop } = await this.#callbacks.call('SessionStart', { what: this.#source, input });
    if (context !== undefined) this.#tellModel(context);
    return stop;
  }

  #tellModel(text: string): void {
    this.#remark({ kind: 'reminder', about: 'hook', text });
  }
}

class PromptPass implements Pass {
  readonly objection: Promise<Objection | undefined>;
  isGiven = false;
  readonly #tellModel: (text: string) => void;
  readonly #dropped = new AbortController();
  #context: string | undefined;

  constructor(
    beginning: Beginning,
    prompt: Prompt,
    callbacks: HostCallbacks,
    tellModel: (text: string) => void,
  ) {
    this.#tellModel = tellModel;
    this.objection = this.#ask(beginning, prompt, callbacks);
  }

  use(): void {
    if (this.#context !== undefined) this.#tellModel(this.#context);
  }

  drop(): void {
    this.#dropped.abort();
  }

  async #ask(
    beginning: Beginning,
    { content }: Prompt,
    callbacks: HostCallbacks,
  ): Promise<Objection | undefined> {
    const unbegun = await beginning;
    if (unbegun !== undefined) return { kind: 'blocked', reason: unbegun };
    const input = { prompt: textOf(content), source: 'sdk' };
    const { signal } = this.#dropped;
    const said = await callbacks.call('UserPromptSubmit', { input, signal });
    const blocked = said.block ?? said.stop;
    if (blocked !== undefined) return { kind: 'blocked', reason: blocked };
    const unheard = ignoredFieldsIn(said);
    if (unheard !== undefined) return { kind: 'unheard', reason: unheard };
    this.#context = said.context;
    this.isGiven = true;
    return undefined;
  }
}
