/** The effects at the end of a turn: `attach` after tools, `stop_hooks` after an answer without calls, `ask` after repetitions. */
import type { Effect } from '../../machine/effects.ts';
import type { Attachment, AttachmentMessage } from '../../messages/message.ts';
import { errorMessage } from '../../thrown.ts';
import { type EffectEnd, messageEvent, type RunEnvironment, type RunProgress } from '../environment.ts';
import type { LoopEvent } from '../events.ts';
import type { HookEvent, StopHookInput, StopHookOutcome } from '../params.ts';
import { repetitionNudge } from '../texts.ts';

/** Adds the messages that arrived beside the conversation. Sources that take too long are awaited again in the next turn. */
export async function* attach(
  env: RunEnvironment,
  given: Pick<RunProgress, 'history' | 'context' | 'attachments' | 'commands' | 'gathering'>,
  { drainQueue, nudge }: Extract<Effect, { type: 'attach' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const { config, deps, write, aborted } = env;
  const { context, history } = given;
  if (aborted) return { event: { type: 'attached', aborted } };
  const attachments = [...given.attachments];
  const commands = [...given.commands];
  const add = (attachment: Attachment): LoopEvent => {
    const message = write.attachment(attachment);
    attachments.push(message);
    return messageEvent(message);
  };
  try {
    for (const { commandId, prompt } of drainQueue ? deps.attachments.takeQueued(context) : []) {
      commands.push(commandId);
      yield { type: 'command', commandId, state: 'started' };
      yield add({ kind: 'queued_command', commandId, prompt });
    }
    const gathering = given.gathering ?? deps.attachments.gather(history, context);
    const gathered = await env.valueWithin(gathering, config.limits.turnEndStepMs);
    if (!gathered) yield lateStep('attachments', config);
    for (const attachment of gathered?.value ?? []) yield add(attachment);
    if (nudge.length > 0) yield add({ kind: 'reminder', about: 'repetition', text: repetitionNudge(nudge) });
    const pending = gathered ? undefined : gathering;
    const changed = { attachments, commands, gathering: pending };
    return { event: { type: 'attached', aborted: env.aborted }, changed };
  } catch (thrown) {
    // The commands joined the run, so its end must report them.
    return { thrown, changed: { attachments, commands, gathering: undefined } };
  }
}

export async function* runStopHooks(
  env: RunEnvironment,
  given: Pick<RunProgress, 'history' | 'answer' | 'context' | 'attachments' | 'outputTokens' | 'lastSent'>,
  { stopHookActive }: Extract<Effect, { type: 'stop_hooks' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const answer = given.answer.blocks;
  const messages = given.history.append(answer);
  const input: StopHookInput = { messages, answer, stopHookActive, context: given.context };
  const attached: AttachmentMessage[] = [];
  const { blockingErrors, preventContinuation } = yield* handleStopHooks(
    env,
    input,
    given.lastSent,
    attached,
  );
  return {
    event: {
      type: 'hooks_ran',
      prevented: preventContinuation,
      blocking: blockingErrors,
      outputTokens: given.outputTokens,
      now: env.deps.clock.now(),
      aborted: env.aborted,
    },
    changed: { hookErrors: blockingErrors, attachments: [...given.attachments, ...attached] },
  };
}

/**
 * Runs the steps at the end of a turn, always in the same order. An abort ends them at the current step.
 *
 * - A step that throws or does not end in time is reported, and the next one follows.
 * - Suggestion, memory extraction and consolidation run in the background. Bare mode and subagents skip them.
 * - Subagents do not hold resources of the turn, so they release none.
 * - Attachments of hooks are added to `attached`. The next request has them if the run continues.
 */
async function* handleStopHooks(
  env: RunEnvironment,
  input: StopHookInput,
  lastSent: RunProgress['lastSent'],
  attached: AttachmentMessage[],
): AsyncGenerator<LoopEvent, StopHookOutcome> {
  const { config, signal, sharesPrefix } = env;
  const { turnEnd } = env.deps;
  const { messages, answer } = input;
  const isMain = !config.isSubagent;
  if (sharesPrefix && lastSent)
    yield* isolate(env, 'cache-safe parameters', () => turnEnd.saveCacheSafeParams(lastSent));
  yield* isolate(env, 'job state', () => turnEnd.classifyJob(answer, signal));
  if (signal.aborted) return NO_STOP_HOOK_RESULT;
  if (isMain && !config.bare) {
    yield* isolate(env, 'prompt suggestion', () => turnEnd.suggestPrompt(messages));
    yield* isolate(env, 'memory extraction', () => turnEnd.extractMemories(messages));
    yield* isolate(env, 'memory consolidation', () => turnEnd.consolidateMemories());
  }
  if (isMain) yield* isolate(env, 'turn resources', () => turnEnd.releaseTurnResources(signal));
  if (signal.aborted) return NO_STOP_HOOK_RESULT;
  const user = yield* isolateHooks(env, 'stop hooks', () => turnEnd.userStopHooks(input), attached);
  if (signal.aborted || user.preventContinuation || user.blockingErrors.length > 0) return user;
  return yield* isolateHooks(env, 'team hooks', () => turnEnd.teamHooks(input), attached);
}

/** Runs one step. After an abort, its failure belongs to the abort and is thrown. */
async function* isolate(
  env: RunEnvironment,
  step: string,
  work: () => void | Promise<void>,
): AsyncGenerator<LoopEvent, void> {
  try {
    const pending = work();
    if (pending === undefined) return;
    if (await env.valueWithin(pending, env.config.limits.turnEndStepMs)) return;
  } catch (thrown) {
    if (env.signal.aborted) throw thrown;
    yield { type: 'hook_progress', hook: step, text: `failed: ${errorMessage(thrown)}` };
    return;
  }
  yield lateStep(step, env.config);
}

function lateStep(step: string, { limits }: RunEnvironment['config']): LoopEvent {
  const text = `did not end within ${limits.turnEndStepMs / 1_000} s`;
  return { type: 'hook_progress', hook: step, text };
}

/** Runs the hooks of one kind. A failure of the port counts as no objection. */
async function* isolateHooks(
  { signal, relaySteps }: RunEnvironment,
  step: string,
  start: () => AsyncGenerator<HookEvent, StopHookOutcome>,
  attached: AttachmentMessage[],
): AsyncGenerator<LoopEvent, StopHookOutcome> {
  const eventsOf = (event: HookEvent): HookEvent[] => {
    if (event.type === 'message') attached.push(event.message);
    return [event];
  };
  try {
    return yield* relaySteps(start(), eventsOf);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    yield { type: 'hook_progress', hook: step, text: `failed: ${errorMessage(thrown)}` };
    return NO_STOP_HOOK_RESULT;
  }
}

export const NO_STOP_HOOK_RESULT: StopHookOutcome = { blockingErrors: [], preventContinuation: undefined };

// oxlint-disable-next-line require-yield -- every effect is a generator, and the question is not an event.
export async function* askUser(
  env: RunEnvironment,
  { calls }: Extract<Effect, { type: 'ask' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const continues = await env.waitFor(env.deps.askToContinue(calls, env.signal));
  return { event: { type: 'asked', continues, aborted: env.aborted } };
}
