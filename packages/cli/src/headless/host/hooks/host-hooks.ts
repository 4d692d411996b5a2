/** The host's hooks in a conversation: they join it with `initialize`, and prompts pass by them. */
import { newUuid } from '@heddle/agent';
import type { Agent, SdkMessage } from '@heddle/agent';
import type { HookDefinition } from '@heddle/agent/hooks';
import type { StartedSession } from '../../../start/start-agent.ts';
import { rejectedPrompt, settledPrompt } from '../../prompt-result.ts';
import type { HostPrompt, Pass } from '../inbox.ts';
import type { HostRequests } from '../requests.ts';
import { callbackResult } from './registered.ts';
import { PromptHooks } from './prompt-hooks.ts';

export class HooksOfHost {
  readonly #started: Pick<StartedSession, 'agent' | 'session' | 'remark' | 'hooks'>;
  readonly #requests: HostRequests;
  readonly #write: (line: SdkMessage) => unknown;
  #waiting = new AbortController();
  #prompts: PromptHooks | undefined;

  constructor(
    started: Pick<StartedSession, 'agent' | 'session' | 'remark' | 'hooks'>,
    requests: HostRequests,
    write: (line: SdkMessage) => unknown,
  ) {
    this.#started = started;
    this.#requests = requests;
    this.#write = write;
  }

  join(definitions: readonly HookDefinition[]): void {
    const { agent, session, remark, hooks } = this.#started;
    hooks.runner.connectCallbacks(definitions, async ({ hook, input, toolUseId, signal }) => {
      const { handler, timeoutMs: deadlineMs } = hook;
      const request = {
        subtype: 'hook_callback',
        callback_id: handler.type === 'callback' ? handler.callbackId : '',
        input,
        tool_use_id: toolUseId,
      };
      return callbackResult(await this.#requests.ask(request, { signal, deadlineMs }));
    });
    const source = session.snapshot ? 'resume' : 'startup';
    const notify = (text: string): void => this.#notify(text);
    // A host may initialize again; the session starts once.
    this.#prompts = new PromptHooks(
      { runner: hooks.runner, source, remark, notify },
      this.#prompts?.starting,
    );
    agent.change({ hooks: hooks.forAgent(notify) });
  }

  /** The prompt whose turn it is was interrupted: whether it may be taken up is no longer waited for. */
  giveUpWaiting(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  /** Asks the host as soon as a prompt arrives. A host that closes its input afterwards could not answer later. */
  passOf(prompt: HostPrompt): Pass | undefined {
    if (!this.#prompts?.areRegistered) return undefined;
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

  #notify(content: string): void {
    const stamp = { uuid: newUuid(), session_id: this.#started.agent.sessionId };
    void this.#write({ type: 'system', subtype: 'informational', ...stamp, content, level: 'warning' });
  }
}

const INTERRUPTED = 'The turn was interrupted before it began.';

function blockedPrompt(reason: string, agent: Agent): readonly SdkMessage[] {
  const content = `A hook blocked this prompt: ${reason}`;
  return [
    {
      type: 'system',
      subtype: 'informational',
      uuid: newUuid(),
      session_id: agent.sessionId,
      content,
      level: 'warning',
      prevent_continuation: true,
    },
    settledPrompt(content, agent),
  ];
}
