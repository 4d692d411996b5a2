/** Fake hooks: the end of a turn and the moments around a tool, scripted and recorded. */
import type {
  AfterTool,
  BeforeTool,
  HookedCall,
  HookMessage,
  HookEvent,
  ModelError,
  StopHookInput,
  StopHookOutcome,
  ToolHooks,
  TurnEndPort,
} from '@heddle/core';

/**
 * The result of the stop hooks at the end of one turn: nothing, an error that sends the model back, or an
 * end.
 */
export type StopHookScript = 'pass' | { readonly block: string } | { readonly prevent: string };

export interface FakeTurnEnd extends TurnEndPort {
  /** The executed steps, by name, in order. */
  readonly steps: readonly string[];
  readonly stopHookInputs: readonly StopHookInput[];
  readonly stopFailures: readonly ModelError[];
}

export interface TurnEndOptions {
  /** One entry per end of turn. When the list is used up, hooks pass. A function is called every time. */
  readonly stopHooks?: readonly StopHookScript[] | ((input: StopHookInput, count: number) => StopHookScript);
  readonly teamHooks?: readonly StopHookScript[];
  /** Yielded before the result of the stop hooks. */
  readonly progress?: readonly HookEvent[];
}

export function fakeTurnEnd(options: TurnEndOptions = {}): FakeTurnEnd {
  const steps: string[] = [];
  const stopHookInputs: StopHookInput[] = [];
  const stopFailures: ModelError[] = [];
  const { stopHooks = [], teamHooks = [], progress = [] } = options;
  let teams = 0;

  return {
    steps,
    stopHookInputs,
    stopFailures,
    saveCacheSafeParams: () => void steps.push('saveCacheSafeParams'),
    classifyJob() {
      steps.push('classifyJob');
      return Promise.resolve();
    },
    suggestPrompt: () => void steps.push('suggestPrompt'),
    extractMemories: () => void steps.push('extractMemories'),
    consolidateMemories: () => void steps.push('consolidateMemories'),
    releaseTurnResources() {
      steps.push('releaseTurnResources');
      return Promise.resolve();
    },
    async *userStopHooks(input) {
      steps.push('userStopHooks');
      stopHookInputs.push(input);
      yield* progress;
      const count = stopHookInputs.length;
      return outcomeOf(
        typeof stopHooks === 'function' ? stopHooks(input, count) : stopHooks[count - 1],
        'stop-hook',
      );
    },
    async *teamHooks() {
      steps.push('teamHooks');
      yield* NOTHING;
      return outcomeOf(teamHooks[teams++], 'team-hook');
    },
    stopFailure(error) {
      steps.push('stopFailure');
      stopFailures.push(error);
    },
  };
}

const NOTHING: readonly HookEvent[] = [];

function outcomeOf(script: StopHookScript | undefined, hook: string): StopHookOutcome {
  if (script === undefined || script === 'pass')
    return { blockingErrors: [], preventContinuation: undefined };
  return 'block' in script
    ? { blockingErrors: [{ hook, message: script.block }], preventContinuation: undefined }
    : { blockingErrors: [], preventContinuation: { hook, message: script.prevent } };
}

/** By tool name. Tools that are not named have no hooks. */
export interface ToolHookScript {
  readonly before?: Readonly<Record<string, BeforeTool>>;
  readonly after?: Readonly<Record<string, AfterTool>>;
  readonly afterFailure?: Readonly<Record<string, AfterTool>>;
}

export interface FakeToolHooks extends ToolHooks {
  /** `before Read r1`, `after Read r1`, … in order. */
  readonly seen: readonly string[];
}

export function fakeToolHooks(script: ToolHookScript = {}): FakeToolHooks {
  const seen: string[] = [];
  const note = (moment: string, { tool, toolUseId }: HookedCall) =>
    void seen.push(`${moment} ${tool} ${toolUseId}`);
  return {
    seen,
    before(call) {
      note('before', call);
      return Promise.resolve(script.before?.[call.tool] ?? {});
    },
    after(call) {
      note('after', call);
      return Promise.resolve(script.after?.[call.tool] ?? {});
    },
    afterFailure(call) {
      note('afterFailure', call);
      return Promise.resolve(script.afterFailure?.[call.tool] ?? {});
    },
  };
}

/** The message of a hook that ends the run. */
export function stopMessage(message: string, hook = 'tool-hook'): HookMessage {
  return { hook, message };
}
