/** Runs the hooks of an event in parallel and returns their combined answer. Used for settings, plugins and SDK hosts alike. */
import { errorMessage, untilAborted } from '@heddle/core';
import type { Secrets } from '@heddle/models/secrets';
import { isShellTool } from '../permission/rules/tool-names.ts';
import { type AnsweredHook, combineHooks, describeHook, type HookResponse, NO_HOOKS } from './combine.ts';
import type { HookDefinition, HookHandler } from './definition.ts';
import { type HookEventName, traitsOf } from './events.ts';
import { type HandlerResult, type HookFailure, type HookOutcome, readHookResult } from './outcome.ts';
import type { CommandRun } from './run-command.ts';

export interface HookCall {
  readonly event: HookEventName;
  /** The fields of the event, beside the common ones. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseId?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limits the event to some of the hooks: a host asks its own callbacks about a prompt earlier. */
  readonly among?: ((hook: HookDefinition) => boolean) | undefined;
  /** Hooks that run beside those of the session: those of a subagent. */
  readonly also?: readonly HookDefinition[] | undefined;
}

interface StartedCall extends HookCall {
  /** Variables of this event, for commands. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The input of a handler of another kind than command and HTTP. */
export interface HandlerRun {
  readonly hook: HookDefinition;
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseId: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs one kind of handler. May reject: the hook then counts as failed. */
export type RunHandler = (run: HandlerRun) => Promise<HandlerResult>;

/** Types of handlers that need a model, a server or a client. */
type PortedType = Exclude<HookHandler['type'], 'command' | 'http'>;

export interface HookRunnerDeps {
  /** Fields that every event has: session, transcript, folder, mode. */
  readonly commonInput: () => Readonly<Record<string, unknown>>;
  /**
   * The folder in which commands start. It does not follow the shell: a call that changes the shell's folder must not exchange the
   * program of a hook.
   */
  readonly cwd: () => string;
  /** The folder that `CLAUDE_PROJECT_DIR` and `HEDDLE_PROJECT_DIR` name. */
  readonly projectDir: string;
  /** Environment of commands, without secrets. */
  readonly environment: () => Readonly<Record<string, string | undefined>>;
  /** Whether a permission rule matches a call. */
  readonly matchesRule: (
    rule: string,
    input: Readonly<Record<string, unknown>>,
  ) => boolean | Promise<boolean>;
  /** Returns why the command of a hook does not run now: a file that it names changed since the latest prompt. */
  readonly whyWaiting?: ((hook: HookDefinition) => string | undefined) | undefined;
  /** A command starts for which its event waits. The returned function is called when it has ended, or continues in the background. */
  readonly commandStarted?: ((hook: HookDefinition) => (() => void) | undefined) | undefined;
  /** Handlers that need a model, a server or a client. A kind that is absent fails with a message. */
  readonly handlers: Partial<Record<PortedType, RunHandler>>;
  readonly fetch: typeof fetch;
  /** The known secrets. They are removed here from all output of hooks, so that no receiver has to. */
  readonly secrets: Pick<Secrets, 'redactValue' | 'stream'>;
  readonly observe?: ((event: HookProgress) => void) | undefined;
  /** The folder for files with variables. No call may change it. */
  readonly variableFolder: string;
  /** Receives the variables that hooks set for later commands. Without it, hooks cannot set any. */
  readonly onVariables?: ((variables: Readonly<Record<string, string>>) => void) | undefined;
  /** Receives a sentence about variables that cannot be read. */
  readonly onFailure?: ((message: string) => void) | undefined;
  /** Receives the answer of a hook that ran in the background. */
  readonly onBackground?: ((hook: HookDefinition, outcome: HookOutcome) => void) | undefined;
}

interface ObservedHook {
  readonly id: number;
  readonly hook: HookDefinition;
  /** The value that the matcher was compared with; empty for events without one. */
  readonly subject: string;
}

export type HookProgress = ObservedHook &
  (
    | { readonly type: 'hook_started' }
    | { readonly type: 'hook_output'; readonly text: string }
    | { readonly type: 'hook_finished'; readonly outcome: HookOutcome; readonly result: HandlerResult }
  );

export class HookRunner {
  readonly #deps: HookRunnerDeps;
  readonly #background = new Map<number, Promise<void>>();
  readonly #closing = new AbortController();
  #hooks: readonly HookDefinition[];
  /** The handlers that a client or a server connected later. */
  readonly #connected = new Map<PortedType, RunHandler>();
  #lastId = 0;

  constructor(hooks: readonly HookDefinition[], deps: HookRunnerDeps) {
    this.#hooks = hooks;
    this.#deps = deps;
  }

  get hooks(): readonly HookDefinition[] {
    return this.#hooks;
  }

  /** Takes effect with the next event. */
  replaceHooks(hooks: readonly HookDefinition[]): void {
    this.#hooks = hooks;
  }

  /** Adds the callbacks of a client, in place of those it registered before. */
  connectCallbacks(hooks: readonly HookDefinition[], call: RunHandler): void {
    this.#hooks = [...this.#hooks.filter(({ handler }) => handler.type !== 'callback'), ...hooks];
    this.connectHandler('callback', call);
  }

  /** Connects a type of handler that needs a server or a client. */
  connectHandler(type: PortedType, run: RunHandler): void {
    this.#connected.set(type, run);
  }

  has(event: HookEventName, also: readonly HookDefinition[] = []): boolean {
    return [this.#hooks, also].some((hooks) => hooks.some((hook) => hook.event === event));
  }

  /** The hooks that an event would run, in the order of their declaration. */
  async select({
    event,
    input,
    among = () => true,
    also = [],
  }: HookCall): Promise<readonly HookDefinition[]> {
    const { matchField } = traitsOf(event);
    const subjects = subjectsOf(event, input);
    const matching = [...this.#hooks, ...also].filter(
      (hook) =>
        hook.event === event &&
        among(hook) &&
        (matchField === undefined || subjects.some((one) => hook.matches(one))),
    );
    const selected: HookDefinition[] = [];
    for (const hook of uniqueHooks(matching)) {
      if (hook.condition === undefined || (await this.#deps.matchesRule(hook.condition, input)))
        selected.push(hook);
    }
    return selected;
  }

  /** Never rejects: a hook that fails is listed in `failures`. */
  async run(call: HookCall): Promise<HookResponse> {
    if (!this.has(call.event, call.also)) return NO_HOOKS;
    const hooks = await this.select(call);
    if (hooks.length === 0) return NO_HOOKS;
    const runAll = async (variables: Readonly<Record<string, string>>): Promise<HookResponse> => {
      const answers = hooks.map((hook) => this.#runOne(hook, { ...call, variables }));
      const response = combineHooks(await Promise.all(answers), subjectOf(call.event, call.input));
      // They name the commands of hooks.
      const { blockedBy, failures } = response;
      return { ...response, ...this.#redact({ blockedBy, failures }) };
    };
    const { variableFolder: folder, onVariables, onFailure, cwd, environment } = this.#deps;
    if (traitsOf(call.event).setsVariables !== true || !onVariables) return runAll({});
    const { withEnvFile } = await import('./env-file.ts');
    const deps = {
      folder,
      cwd: cwd(),
      environment: environment(),
      onVariables,
      onFailure: (message: string) => onFailure?.(this.#redact(message)),
    };
    return withEnvFile(deps, (file) => runAll({ CLAUDE_ENV_FILE: file, HEDDLE_ENV_FILE: file }));
  }

  /** Waits for background hooks up to a time limit, then ends those that are left. */
  async close(withinMs: number): Promise<void> {
    const ends = Promise.all(this.#background.values());
    if (this.#background.size === 0) return;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, withinMs);
    await Promise.race([ends, late]);
    clearTimeout(timer);
    this.#closing.abort();
    await ends;
  }

  async #runOne(hook: HookDefinition, call: StartedCall): Promise<AnsweredHook> {
    const observed = { id: ++this.#lastId, hook, subject: subjectOf(call.event, call.input) };
    this.#observe({ type: 'hook_started', ...observed });
    if (hook.handler.type === 'command' && hook.handler.async) {
      this.#continueInBackground(observed, this.#runHandler(observed, { ...call, signal: undefined }));
      return { hook, outcome: {} };
    }
    const result = await this.#runHandler(observed, call);
    if (result.kind === 'detached') this.#continueInBackground(observed, result.rest);
    return { hook, outcome: this.#finish(observed, result) };
  }

  #continueInBackground(observed: ObservedHook, rest: Promise<HandlerResult>): void {
    const finish = async (): Promise<void> => {
      const result = await rest;
      this.#background.delete(observed.id);
      this.#deps.onBackground?.(observed.hook, this.#finish(observed, result));
    };
    this.#background.set(observed.id, finish());
  }

  #finish(observed: ObservedHook, result: HandlerResult): HookOutcome {
    const outcome = readHookResult(observed.hook.event, result, (value) => this.#redact(value));
    if (result.kind !== 'detached') this.#observe({ type: 'hook_finished', ...observed, outcome, result });
    return outcome;
  }

  #observe(progress: HookProgress): void {
    this.#deps.observe?.(this.#redact(progress));
  }

  #redact<T>(value: T): T {
    return this.#deps.secrets.redactValue(value);
  }

  async #runHandler(observed: ObservedHook, call: StartedCall): Promise<HandlerResult> {
    const { hook } = observed;
    const closing = this.#closing.signal;
    const signal = call.signal === undefined ? closing : AbortSignal.any([call.signal, closing]);
    const { commonInput, environment, fetch } = this.#deps;
    const input = { ...commonInput(), hook_event_name: hook.event, ...call.input };
    const { handler, timeoutMs } = hook;
    try {
      switch (handler.type) {
        case 'command':
          return await this.#runCommand(observed, handler, call, JSON.stringify(input));
        case 'http':
          return await (await import('./run-http.ts')).runHttpHook({
            handler,
            input: JSON.stringify(input),
            environment: environment(),
            timeoutMs,
            signal,
            fetch,
          });
        case 'mcp_tool':
        case 'prompt':
        case 'agent':
        case 'callback':
          return await this.#runWith(handler, { hook, input, toolUseId: call.toolUseId, signal });
      }
    } catch (thrown) {
      return { kind: 'failed', failure: { kind: 'error', message: errorMessage(thrown) } };
    }
  }

  async #runCommand(
    observed: ObservedHook,
    handler: CommandRun['handler'],
    call: StartedCall,
    input: string,
  ): Promise<HandlerResult> {
    const { hook } = observed;
    const { cwd, environment, secrets } = this.#deps;
    const why = this.#deps.whyWaiting?.(hook);
    if (why !== undefined) return { kind: 'failed', failure: waitingFailure(hook, why) };
    const { runCommandHook } = await import('./run-command.ts');
    // A secret may be split into two chunks.
    const output = secrets.stream();
    const show = (text: string): void => {
      if (text !== '') this.#observe({ type: 'hook_output', ...observed, text });
    };
    const showRest = (end: HandlerResult): HandlerResult => {
      show(output.end());
      return end;
    };
    const ended = handler.async ? undefined : this.#deps.commandStarted?.(hook);
    const result = await runCommandHook({
      handler,
      input,
      cwd: cwd(),
      environment: { ...environment(), ...this.#hookVariables(), ...call.variables, ...hook.environment },
      timeoutMs: hook.timeoutMs,
      signal: this.#closing.signal,
      eventSignal: call.signal,
      onOutput: (text) => show(output.push(text)),
    }).finally(() => ended?.());
    return result.kind === 'detached' ? { ...result, rest: result.rest.then(showRest) } : showRest(result);
  }

  async #runWith(handler: HookHandler, run: HandlerRun): Promise<HandlerResult> {
    const runHandler = this.#handlerFor(handler);
    if (!runHandler)
      return {
        kind: 'failed',
        failure: { kind: 'not_started', message: missingPort(handler) },
      };
    const deadline = AbortSignal.timeout(run.hook.timeoutMs);
    const late = `It gave no answer within ${run.hook.timeoutMs / 1_000} s.`;
    return untilAborted(
      runHandler({ ...run, signal: AbortSignal.any([run.signal, deadline]) }),
      AbortSignal.any([run.signal, deadline]),
      () =>
        run.signal.aborted
          ? { kind: 'failed', failure: { kind: 'aborted', message: 'It was withdrawn.' } }
          : { kind: 'failed', failure: { kind: 'timeout', message: late } },
    );
  }

  #handlerFor({ type }: HookHandler): RunHandler | undefined {
    if (type === 'command' || type === 'http') return undefined;
    return this.#connected.get(type) ?? this.#deps.handlers[type];
  }

  #hookVariables(): Record<string, string> {
    const { projectDir } = this.#deps;
    return { CLAUDE_PROJECT_DIR: projectDir, HEDDLE_PROJECT_DIR: projectDir };
  }
}

/** The values that matchers are compared with. A guard for Bash also sees the other tools that run commands. */
export function subjectsOf(event: HookEventName, input: HookCall['input']): readonly string[] {
  const subject = subjectOf(event, input);
  const { matchField } = traitsOf(event);
  return matchField === 'tool_name' && isShellTool(subject) ? [subject, 'Bash'] : [subject];
}

function subjectOf(event: HookEventName, input: HookCall['input']): string {
  const { matchField } = traitsOf(event);
  const value = matchField === undefined ? undefined : input[matchField];
  return typeof value === 'string' ? value : '';
}

function waitingFailure(hook: HookDefinition, why: string): HookFailure {
  return { kind: 'waiting', message: `The hook ${describeHook(hook)} does not run: ${why}` };
}

function missingPort(handler: HookHandler): string {
  if (handler.type === 'mcp_tool') return `The MCP server ${handler.server} is not connected.`;
  return `Hooks of the type ${handler.type} cannot run here.`;
}

/**
 * The same handler declared in two files runs once. It fails closed if one declaration requires it, and has the longest time of all,
 * so that no file weakens the guard of another.
 */
function uniqueHooks(hooks: readonly HookDefinition[]): readonly HookDefinition[] {
  const unique = new Map<string, HookDefinition>();
  for (const hook of hooks) {
    const key = JSON.stringify([hook.handler, hook.condition ?? '', hook.environment ?? {}]);
    const first = unique.get(key) ?? hook;
    const failsClosed = first.failsClosed || hook.failsClosed;
    const timeoutMs = Math.max(first.timeoutMs, hook.timeoutMs);
    unique.set(key, { ...first, failsClosed, timeoutMs });
  }
  return [...unique.values()];
}

/** Reports a hook that gave no answer, in a sentence for the user. The changed files of hooks that wait are reported elsewhere. */
export function describeFailures({ failures }: HookResponse): readonly string[] {
  return failures
    .filter(({ failure }) => failure.kind !== 'aborted' && failure.kind !== 'waiting')
    .map(({ hook, failure }) => `A ${hook.event} hook failed: ${describeHook(hook)}: ${failure.message}`);
}
