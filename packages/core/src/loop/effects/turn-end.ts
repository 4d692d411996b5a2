/** The effects at the end of a turn: `attach` after tools, `stop_hooks` after an answer without calls. */
import type { Effect } from '../../machine/effects.ts';
import type { Attachment, AttachmentMessage } from '../../messages/message.ts';
import { type EffectEnd, messageEvent, type RunEnvironment, type RunProgress } from '../environment.ts';
import type { LoopEvent } from '../events.ts';
import type { HookEvent, StopHookInput, StopHookOutcome } from '../params.ts';
import { repetitionNudge } from '../texts.ts';
import { relaySteps } from '../wait.ts';

/** Adds the messages that arrived beside the conversation. It does not wait for those that are not ready. */
export async function* attach(
  env: RunEnvironment,
  given: Pick<RunProgress, 'history' | 'context' | 'attachments' | 'commands'>,
  { drainQueue, nudge }: Extract<Effect, { type: 'attach' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const { deps, write, aborted } = env;
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
    for (const attachment of await env.waitFor(deps.attachments.gather(history, context)))
      yield add(attachment);
    if (nudge.length > 0) yield add({ kind: 'reminder', about: 'repetition', text: repetitionNudge(nudge) });
    return { event: { type: 'attached', aborted: env.aborted }, changed: { attachments, commands } };
  } catch (thrown) {
    // The commands joined the run, so its end must report them.
    return { thrown, changed: { attachments, commands } };
  }
}

export async function* runStopHooks(
  env: RunEnvironment,
  given: Pick<RunProgress, 'history' | 'answer' | 'context' | 'attachments' | 'outputTokens'>,
  { stopHookActive }: Extract<Effect, { type: 'stop_hooks' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const answer = given.answer.blocks;
  const messages = given.history.append(answer);
  const input: StopHookInput = { messages, answer, stopHookActive, context: given.context };
  const attached: AttachmentMessage[] = [];
  const { blockingErrors, preventContinuation } = yield* handleStopHooks(env, input, attached);
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
 * Runs the steps at the end of a turn, in the order of the specification. An abort ends them at the current step.
 *
 * - Suggestion, memory extraction and consolidation run in the background. Bare mode and subagents skip them.
 * - Subagents do not hold resources of the turn, so they release none.
 * - Attachments of hooks are added to `attached`. The next request has them if the run continues.
 */
async function* handleStopHooks(
  { config, deps: { turnEnd }, signal, waitFor }: RunEnvironment,
  input: StopHookInput,
  attached: AttachmentMessage[],
): AsyncGenerator<LoopEvent, StopHookOutcome> {
  const { messages, answer, context } = input;
  const isMain = !config.isSubagent;
  if (isMain && (config.querySource === 'repl_main_thread' || config.querySource === 'sdk')) {
    turnEnd.saveCacheSafeParams({ messages, context });
  }
  await waitFor(turnEnd.classifyJob(answer, signal));
  if (signal.aborted) return NO_STOP_HOOK_RESULT;
  if (isMain && !config.bare) {
    turnEnd.suggestPrompt(messages);
    turnEnd.extractMemories(messages);
    turnEnd.consolidateMemories();
  }
  if (isMain) await waitFor(turnEnd.releaseTurnResources(signal));
  if (signal.aborted) return NO_STOP_HOOK_RESULT;
  const eventsOf = (event: HookEvent): HookEvent[] => {
    if (event.type === 'message') attached.push(event.message);
    return [event];
  };
  const user = yield* relaySteps(turnEnd.userStopHooks(input), waitFor, eventsOf);
  if (signal.aborted || user.preventContinuation || user.blockingErrors.length > 0) return user;
  return yield* relaySteps(turnEnd.teamHooks(input), waitFor, eventsOf);
}

export const NO_STOP_HOOK_RESULT: StopHookOutcome = { blockingErrors: [], preventContinuation: undefined };
