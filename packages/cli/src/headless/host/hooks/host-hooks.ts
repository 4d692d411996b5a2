/** The host's hooks in a conversation: they join it with `initialize`, and prompts pass by them. */
import type { Agent, SdkMessage } from '@heddle/agent';
import { textOf } from '@heddle/core';
import { randomUUID } from 'node:crypto';
import type { Started } from '../../../start/start-agent.ts';
import { rejectedPrompt, settledPrompt } from '../../prompt-result.ts';
import type { HostPrompt, Pass } from '../inbox.ts';
import type { HostRequests } from '../requests.ts';
import { agentHooks } from './agent-hooks.ts';
import { HostCallbacks, type HostHooks } from './registered.ts';
import { PromptHooks } from './prompt-hooks.ts';

export class HooksOfHost {
  readonly #started: Pick<Started, 'agent' | 'session' | 'remark'>;
  readonly #requests: HostRequests;
  readonly #write: (line: SdkMessage) => unknown;
  #waiting = new AbortController();
  #prompts: PromptHooks | undefined;

  constructor(
    started: Pick<Started, 'agent' | 'session' | 'remark'>,
    requests: HostRequests,
    write: (line: SdkMessage) => unknown,
  ) {
    this.#started = started;
    this.#requests = requests;
    this.#write = write;
  }

  join(hooks: HostHooks): void {
    const { agent, session, remark } = this.#started;
    const callbacks = new HostCallbacks(hooks, {
      requests: this.#requests,
      about: () => this.#basics(),
      tell: (text) => this.#tell(text),
    });
    const source = session.snapshot ? 'resume' : 'startup';
    // A host may introduce itself again; the session begins once.
    this.#prompts = new PromptHooks(callbacks, source, remark, this.#prompts?.beginning);
    agent.change({ hooks: agentHooks(callbacks, () => lastTextOf(agent)) });
  }

  /** The prompt whose turn it is was interrupted: whether it may be taken up is no longer waited for. */
  giveUpWaiting(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  /** Asked as soon as a prompt came: whoever closes the door behind it could not answer any more. */
  passOf(prompt: HostPrompt): Pass | undefined {
    if (!this.#prompts?.areThere) return undefined;
    return this.#prompts.passOf(prompt);
  }

  /** Waits for the word on a prompt whose turn it is; a prompt that is interrupted meanwhile is not taken up. */
  async insteadOf(pass: Pass | undefined): Promise<readonly SdkMessage[] | undefined> {
    if (!pass) return undefined;
    const { agent } = this.#started;
    const { signal } = this.#waiting;
    const { promise: interrupted, resolve } = Promise.withResolvers<typeof INTERRUPTED>();
    const interrupt = (): void => resolve(INTERRUPTED);
    signal.addEventListener('abort', interrupt, { once: true });
    const word = await Promise.race([pass.objection, interrupted]);
    signal.removeEventListener('abort', interrupt);
    if (word === undefined) {
      pass.use();
      return undefined;
    }
    pass.drop();
    if (word !== INTERRUPTED && word.kind === 'blocked') return blockedPrompt(word.reason, agent);
    const why = word === INTERRUPTED ? INTERRUPTED : `A hook was to decide about this prompt. ${word.reason}`;
    return [rejectedPrompt(why, agent)];
  }

  #basics(): object {
    const { agent, session } = this.#started;
    return {
      session_id: agent.sessionId,
      transcript_path: session.journal.path ?? '',
      cwd: process.cwd(),
      permission_mode: agent.permissionMode,
    };
  }

  #tell(content: string): void {
    const stamp = { uuid: randomUUID(), session_id: this.#started.agent.sessionId };
    void this.#write({ type: 'system', subtype: 'informational', ...stamp, content, level: 'warning' });
  }
}

const INTERRUPTED = 'The turn was interrupted before it began.';

function lastTextOf({ messages }: Agent): string {
  const last = [...messages].findLast((message) => message.type === 'assistant');
  return last?.type === 'assistant' ? textOf(last.content) : '';
}

function blockedPrompt(reason: string, agent: Agent): readonly SdkMessage[] {
  const content = `A hook blocked this prompt: ${reason}`;
  return [
    {
      type: 'system',
      subtype: 'informational',
      uuid: randomUUID(),
      session_id: agent.sessionId,
      content,
      level: 'warning',
      prevent_continuation: true,
    },
    settledPrompt(content, agent),
  ];
}
