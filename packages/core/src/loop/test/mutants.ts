/**
 * Deliberate defects, as changes of the source. A proof that does not notice them proves nothing. Each text must stand in
 * its file exactly once: when the code moves on, so must these.
 */
export interface Mutant {
  readonly name: string;
  /** Below `packages/core/src`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a taken-back answer gets no tombstone',
    file: 'loop/effects/take-back.ts',
    text: "if (uuids.length > 0) yield { type: 'tombstone', uuids };",
    instead: '',
  },
  {
    name: 'a tombstoned answer stays in the history',
    file: 'loop/effects/take-back.ts',
    text: 'iteration.answer.splice(start)',
    instead: 'iteration.answer.slice(start)',
  },
  {
    name: 'the last block of a cut answer is not dropped',
    file: 'machine/decide.ts',
    text: "ended.well ? [] : [{ type: 'drop_unfinished' }]",
    instead: '[]',
  },
  {
    name: 'an escalated attempt is not taken back',
    file: 'machine/decide.ts',
    text: "proceed(go.escalate(turn, config), [{ type: 'tombstone_attempt' }])",
    instead: 'proceed(go.escalate(turn, config), [])',
  },
  {
    name: 'an error is released twice',
    file: 'loop/steps.ts',
    text: 'if (withheld) yield* sayError(run, withheld);',
    instead: 'if (withheld) { yield* sayError(run, withheld); yield* sayError(run, withheld); }',
  },
  {
    name: 'an error is never released',
    file: 'loop/steps.ts',
    text: 'if (withheld) yield* sayError(run, withheld);',
    instead: '',
  },
  {
    name: 'a recovered error is told, too',
    file: 'loop/effects/stream.ts',
    text: 'if (!counts) return yield* billAttempt(attempt);',
    instead:
      "if (!counts) { if (error?.class === 'overflow') yield messageEvent({ type: 'assistant', uuid: 'x', at: 0, responseId: 'x', model: 'x', content: [], apiError: 'overflow' }); return yield* billAttempt(attempt); }",
  },
  {
    name: 'an abort forgets open calls',
    file: 'loop/steps.ts',
    text: 'if (!iteration.answered.has(call.id)) yield deliver(run, call, failedCall(notRun));',
    instead: '',
  },
  {
    name: 'a result is left out of the next conversation',
    file: 'machine/continues.ts',
    text: "messages: ['prepared', 'answer', 'results', 'attachments'],",
    instead: "messages: ['prepared', 'answer', 'attachments'],",
  },
  {
    name: 'what a stop hook attached is stored and not sent',
    file: 'machine/continues.ts',
    text: "messages: ['prepared', 'answer', 'attachments', 'hook_errors'],",
    instead: "messages: ['prepared', 'answer', 'hook_errors'],",
  },
  {
    name: 'calls with effects start early',
    file: 'tools/executor.ts',
    text: '(streamEnded || call.early)',
    instead: 'true',
  },
  {
    name: 'a call begins before its intent is stored',
    file: 'loop/effects/tool-events.ts',
    text: 'const { raw, effect } = update.call;',
    instead: 'const { raw, effect } = update.call; run.iteration.executor?.begin(slot);',
  },
  {
    name: 'results overtake one another',
    file: 'tools/executor.ts',
    text: "if (slot.state !== 'settled') break;",
    instead: "if (slot.state !== 'settled') continue;",
  },
  {
    name: 'exclusive calls run beside others',
    file: 'tools/executor.ts',
    text: 'if (!call.safe) return next;\n    isFirst = false;',
    instead: '',
  },
  {
    name: 'calls that started early do not count against the limit',
    file: 'tools/executor.ts',
    text: ' - slots.filter(isUnderWay).length',
    instead: '',
  },
  {
    name: 'a given-up attempt goes on working',
    file: 'tools/executor.ts',
    text: 'slot.controller.abort(reason);\n    this.#settle(slot, failedCall(message));',
    instead: 'this.#settle(slot, failedCall(message));',
  },
  {
    name: 'a call to the model starts after an abort',
    file: 'loop/effects/attempt.ts',
    text: 'if (run.scope.signal.aborted) return { reader, error: ABORTED, requestId: undefined, last: undefined };',
    instead: '',
  },
  {
    name: 'an answer with complete calls is asked for again',
    file: 'model/retry.ts',
    text: "if (facts.calls > 0) return { do: 'accept' };",
    instead: '',
  },
  {
    name: 'compaction after an error has no guard',
    file: 'machine/guards.ts',
    text: 'mayCompact: ({ state }) => !state.hasAttemptedReactiveCompact,',
    instead: 'mayCompact: () => true,',
  },
  {
    name: 'an empty answer is asked for again and again',
    file: 'model/retry.ts',
    text: 'facts.empty && !tries.askedAgain',
    instead: 'facts.empty',
  },
  {
    name: 'a rewritten prefix is not announced',
    file: 'loop/effects/stream.ts',
    text: "if (built.rewrotePrefix) yield { type: 'prefix_rewritten' };",
    instead: '',
  },
  {
    name: 'the hidden first words change from call to call',
    file: 'request/builder.ts',
    text: 'opening: this.#opening,',
    instead: 'opening: `${this.#opening} ${messages.length}`,',
  },
  {
    name: 'thinking goes to a model that did not write it',
    file: 'request/normalize/model-steps.ts',
    text: 'undated(written) === undated(asked)',
    instead: 'undated(written) !== asked + asked',
  },
  {
    name: 'stop hooks run after an error',
    file: 'machine/decide.ts',
    text: "return stop(turn, { reason: 'api_error', error }, RELEASE_AND_TELL_HOOKS);",
    instead: "return perform({ type: 'stop_hooks', stopHookActive: state.stopHookActive }, turn);",
  },
  {
    name: 'commands are swallowed at the turn limit',
    file: 'machine/decide.ts',
    text: 'const drainQueue = guards.mayTakeAnotherTurn(turn.state, config.maxTurns);',
    instead: 'const drainQueue = true;',
  },
  {
    name: 'commands are never completed',
    file: 'loop/query.ts',
    text: "for (const commandId of run.commands) yield { type: 'command', commandId, state: 'completed' };",
    instead: '',
  },
  {
    name: 'an attempt without an answer is not billed',
    file: 'loop/effects/stream.ts',
    text: "if (isSpent(usage)) yield { type: 'spent', model, usage };",
    instead: '',
  },
  {
    name: 'a consumer that leaves ends nothing',
    file: 'loop/run/run.ts',
    text: "scope.abort('run over');\n  scope.release();\n  await iteration.executor?.stop();",
    instead: '',
  },
  {
    name: 'thinking stays on in a turn that lost it',
    file: 'request/turn-thinking.ts',
    text: 'return isRejected ? { ...options, thinking: thinkingAfterLoss } : options;',
    instead: 'return isRejected ? options : options;',
  },
  {
    name: 'the result of a refused call disappears',
    file: 'request/normalize/model-steps.ts',
    text: 'if (call !== undefined) retold.push(...retoldResult(result, call));',
    instead: 'if (call !== undefined) retold.push(text(BLOCK_REFUSED));',
  },
  {
    name: 'a fallback that was tried is tried again',
    file: 'loop/effects/stream.ts',
    text: 'run.fallbacks = left;',
    instead: 'run.fallbacks = [next, ...left];',
  },
  {
    name: 'the result of a dropped call is not retracted',
    file: 'loop/effects/take-back.ts',
    text: 'uuids: [cut.uuid, ...[...retracted].map(({ uuid }) => uuid)]',
    instead: 'uuids: [cut.uuid]',
  },
];
