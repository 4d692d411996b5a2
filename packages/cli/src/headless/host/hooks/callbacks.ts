/** Calls the host's hooks: all that want to hear of an event at once, each with its own deadline. */
import type { HostRequests } from '../requests.ts';
import type { HookEvent, HostHooks } from './registered.ts';
import { putTogether, type Said } from './said.ts';

export interface Happening {
  /** What a matcher is held against: the tool, the trigger. */
  readonly what?: string;
  readonly input: object;
  readonly toolUseId?: string;
  readonly signal?: AbortSignal;
}

export interface CallbackDoors {
  readonly requests: HostRequests;
  /** What every hook is told: session, folder, mode. */
  readonly about: () => object;
  /** Shows people what a hook has to say to them. */
  readonly tell: (text: string) => void;
}

export class HostCallbacks {
  readonly #hooks: HostHooks;
  readonly #doors: CallbackDoors;

  constructor(hooks: HostHooks, doors: CallbackDoors) {
    this.#hooks = hooks;
    this.#doors = doors;
  }

  hears(event: HookEvent): boolean {
    return this.#hooks.has(event);
  }

  /** Never rejects: a callback that fails has no say, and what that means is for whoever asked. */
  async call(event: HookEvent, { what = '', input, toolUseId, signal }: Happening): Promise<Said> {
    const { requests, about, tell } = this.#doors;
    const hooks = (this.#hooks.get(event) ?? []).filter(({ matches }) => matches(what));
    const request = {
      subtype: 'hook_callback',
      input: { ...about(), hook_event_name: event, ...input },
      ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }),
    };
    const answers = await Promise.all(
      hooks.map(async (hook) => {
        const { callbackId: callback_id, deadlineMs } = hook;
        return { hook, reply: await requests.ask({ ...request, callback_id }, { signal, deadlineMs }) };
      }),
    );
    const said = putTogether(answers);
    for (const text of said.messages) tell(text);
    for (const { why, message } of said.failures)
      if (why !== 'withdrawn') tell(`A ${event} hook of the host gave no answer: ${message}`);
    return said;
  }
}
