/** The callbacks of a host about a prompt, before its turn: they may block it, or add context for the model. */
import type { Prompt } from '@heddle/agent';
import {
  describeFailures,
  type HookDefinition,
  type HookResponse,
  type HookRunner,
} from '@heddle/agent/hooks';
import { type Attachment, textOf } from '@heddle/core';
import type { Objection, Pass } from '../inbox.ts';

export interface PromptHooksDeps {
  readonly runner: HookRunner;
  readonly source: 'startup' | 'resume';
  /** Gives the model a text with the next prompt. */
  readonly remark: (remark: Attachment) => void;
  /** Shows a text to the user. */
  readonly notify: (text: string) => void;
}

/** The reason why the session must not start, if there is one. */
type SessionStarting = Promise<string | undefined>;

const isCallback = ({ handler }: HookDefinition): boolean => handler.type === 'callback';

export class PromptHooks {
  readonly #deps: PromptHooksDeps;
  /** The callbacks of SessionStart. The first prompt starts them, and all prompts wait for them. */
  #starting: SessionStarting | undefined;

  constructor(deps: PromptHooksDeps, starting?: SessionStarting) {
    this.#deps = deps;
    this.#starting = starting;
  }

  /** Undefined before the first prompt. */
  get starting(): SessionStarting | undefined {
    return this.#starting;
  }

  /** Whether the host registered callbacks about prompts. */
  get areRegistered(): boolean {
    const { hooks } = this.#deps.runner;
    return hooks.some(
      (hook) => isCallback(hook) && (hook.event === 'UserPromptSubmit' || hook.event === 'SessionStart'),
    );
  }

  passOf(prompt: Prompt): Pass {
    this.#starting ??= this.#start();
    return new PromptPass(this.#starting, prompt, this.#deps);
  }

  async #start(): SessionStarting {
    const { source, notify, runner, remark } = this.#deps;
    const response = await runner.run({ event: 'SessionStart', input: { source }, among: isCallback });
    report(response, notify);
    if (response.context !== undefined) remark({ kind: 'reminder', about: 'hook', text: response.context });
    return response.stop;
  }
}

class PromptPass implements Pass {
  readonly objection: Promise<Objection | undefined>;
  isGiven = false;
  readonly #deps: PromptHooksDeps;
  readonly #dropped = new AbortController();
  #context: string | undefined;

  constructor(starting: SessionStarting, prompt: Prompt, deps: PromptHooksDeps) {
    this.#deps = deps;
    this.objection = this.#ask(starting, prompt);
  }

  use(): void {
    if (this.#context !== undefined)
      this.#deps.remark({ kind: 'reminder', about: 'hook', text: this.#context });
  }

  drop(): void {
    this.#dropped.abort();
  }

  async #ask(starting: SessionStarting, { content }: Prompt): Promise<Objection | undefined> {
    const refusal = await starting;
    if (refusal !== undefined) return { kind: 'blocked', reason: refusal };
    const response = await this.#deps.runner.run({
      event: 'UserPromptSubmit',
      input: { prompt: textOf(content), source: 'sdk' },
      signal: this.#dropped.signal,
      among: isCallback,
    });
    report(response, this.#deps.notify);
    const silent = response.failures.find(({ failure }) => failure.kind !== 'error');
    if (silent !== undefined) return { kind: 'unheard', reason: silent.failure.message };
    const blocked = response.block ?? response.stop;
    if (blocked !== undefined) return { kind: 'blocked', reason: blocked };
    this.#context = response.context;
    this.isGiven = true;
    return undefined;
  }
}

function report(response: HookResponse, notify: (text: string) => void): void {
  for (const text of [...response.messages, ...describeFailures(response)]) notify(text);
}
