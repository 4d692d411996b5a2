/** The hooks of a session: those of the settings, and the callbacks that a host adds. */
import type { AgentHooks } from '@heddle/agent';
import {
  createAgentHooks,
  type DeclaredHook,
  describeFailures,
  type HookResponse,
  HookRunner,
  type HookRunnerDeps,
  isDeclared,
} from '@heddle/agent/hooks';
import { type Attachment, isJsonObject, type Message } from '@heddle/core';
import os from 'node:os';
import { commandEnvironment } from '../keys.ts';

export interface SessionHooksSetup {
  /** The hooks of the settings, also those that do not run. */
  readonly declared: readonly DeclaredHook[];
  readonly cwd: string;
  readonly source: 'startup' | 'resume';
  /** Fields of every event: session, transcript, folder, mode. */
  readonly commonInput: () => Readonly<Record<string, unknown>>;
  readonly messages: () => Iterable<Message>;
  readonly tell: (text: string) => void;
  readonly remark: (remark: Attachment) => void;
  /** Names the session. */
  readonly entitle: (title: string) => void;
}

/**
 * Whether a permission rule matches the call of an event: as a deny rule it would deny the call. A call that cannot be decided
 * matches, so that a guard rather runs too often. The permission code loads with the first such hook.
 */
async function matchesRule(
  rule: string,
  input: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<boolean> {
  const { tool_name: tool, tool_input: given } = input;
  if (typeof tool !== 'string' || !isJsonObject(given)) return false;
  const { authorize, observeWorld } = await import('@heddle/agent/permission');
  const home = os.homedir();
  const world = observeWorld({ root: cwd, cwd, directories: [], home, configDirs: [], environment: {} });
  const rules = { deny: [{ text: rule, source: 'user' as const, base: cwd }], ask: [], allow: [] };
  const request = { tool, input: given, readOnly: false, hookDecision: undefined };
  return authorize(request, rules, 'bypassPermissions', world).decision !== 'allow';
}

/** The ports of a hook runner that depend on the folder alone. */
export function hookPorts(cwd: string): Omit<HookRunnerDeps, 'commonInput'> {
  return {
    cwd: () => cwd,
    projectDir: cwd,
    environment: commandEnvironment,
    matchesRule: (rule, input) => matchesRule(rule, input, cwd),
    handlers: {},
    // A reference to the global would load the HTTP client at every start.
    fetch: (input, init) => fetch(input, init),
  };
}

/** Background hooks may finish for this long when the session ends. */
const BACKGROUND_MS = 500;

export class SessionHooks {
  readonly runner: HookRunner;
  readonly #setup: SessionHooksSetup;
  /** The hooks of SessionStart. The first prompt starts them. */
  #starting: Promise<string | undefined> | undefined;

  constructor(setup: SessionHooksSetup) {
    this.#setup = setup;
    const active = setup.declared.filter(({ inactive }) => inactive === undefined);
    this.runner = new HookRunner(
      active.map(({ hook }) => hook),
      {
        ...hookPorts(setup.cwd),
        commonInput: setup.commonInput,
        onBackground: (_, { block, context, message }) => {
          this.#remark([block, context].filter((text) => text !== undefined).join('\n\n'));
          if (message !== undefined) setup.tell(message);
        },
      },
    );
  }

  /** Every hook of the session, also those that do not run. Callbacks of a host come last. */
  list(): readonly DeclaredHook[] {
    const callbacks = this.runner.hooks.filter((hook) => !isDeclared(hook));
    const added = callbacks.map((hook): DeclaredHook => ({ hook, scope: 'session', inactive: undefined }));
    return [...this.#setup.declared, ...added];
  }

  /** The hooks as options of the agent. SessionStart hooks run before the first prompt, which waits for them. */
  forAgent(tell = this.#setup.tell): AgentHooks {
    const hooks = createAgentHooks(this.runner, { tell, messages: this.#setup.messages });
    return {
      ...hooks,
      prompt: async (prompt) => {
        this.#starting ??= this.#start(tell);
        const block = await this.#starting;
        if (block !== undefined) return { block };
        const answer = (await hooks.prompt?.(prompt)) ?? {};
        if (answer.title !== undefined) this.#setup.entitle(answer.title);
        return answer;
      },
    };
  }

  /** Returns the reason if a hook prevents the session. */
  async #start(tell: (text: string) => void): Promise<string | undefined> {
    const { source, entitle } = this.#setup;
    const { stop, context, sessionTitle } = await this.#run('SessionStart', { source }, tell);
    this.#remark(context);
    if (sessionTitle !== undefined) entitle(sessionTitle);
    return stop;
  }

  async end(reason: string): Promise<void> {
    if (this.#starting !== undefined) await this.#run('SessionEnd', { reason }, this.#setup.tell);
    await this.runner.close(BACKGROUND_MS);
  }

  /** Gives the model a text with the next prompt, or between two calls. */
  #remark(text: string | undefined): void {
    if (text !== undefined && text !== '') this.#setup.remark({ kind: 'reminder', about: 'hook', text });
  }

  async #run(
    event: 'SessionStart' | 'SessionEnd',
    input: object,
    tell: (text: string) => void,
  ): Promise<HookResponse> {
    const response = await this.runner.run({ event, input: { ...input }, among: isDeclared });
    for (const text of [...response.messages, ...describeFailures(response)]) tell(text);
    return response;
  }
}
