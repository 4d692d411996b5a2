/**
 * Deliberate defects, as changes of the source. The random runs must detect each of them. Each text must occur in its file
 * exactly once, so a change of the code may require a change here.
 */
export interface Mutant {
  readonly name: string;
  /** The path below `packages/core/src`. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a retracted answer gets no tombstone',
    file: 'loop/steps.ts',
    text: "if (retracted.length > 0) yield { type: 'tombstone', uuids: retracted };",
    instead: '',
  },
  {
    name: 'a tombstoned answer stays in the history',
    file: 'loop/answer.ts',
    text: 'blocks: answer.blocks.slice(0, start),',
    instead: 'blocks: answer.blocks,',
  },
  {
    name: 'the last block of a cut answer is not dropped',
    file: 'machine/decide.ts',
    text: "ended.well ? [] : [{ type: 'drop_unfinished' }]",
    instead: '[]',
  },
  {
    name: 'an escalated attempt is not retracted',
    file: 'machine/decide.ts',
    text: "continueWith('max_output_tokens_escalate', loop, config, {}), [\n          { type: 'tombstone_attempt' },\n        ]",
    instead: "continueWith('max_output_tokens_escalate', loop, config, {}), []",
  },
  {
    name: 'an error is released twice',
    file: 'loop/steps.ts',
    text: 'if (failure) yield failure;',
    instead: 'if (failure) { yield failure; if (error) yield errorEvent(env.write, error); }',
  },
  {
    name: 'an error is never released',
    file: 'loop/steps.ts',
    text: 'if (failure) yield failure;',
    instead: '',
  },
  {
    name: 'a recovered error is reported as well',
    file: 'loop/effects/stream.ts',
    text: '} else yield* spentEvents(attempt);',
    instead:
      "} else { if (error.class === 'overflow') yield messageEvent({ type: 'assistant', uuid: 'x', at: 0, responseId: 'x', model: 'x', content: [], apiError: 'overflow' }); yield* spentEvents(attempt); }",
  },
  {
    name: 'an abort forgets open calls',
    file: 'loop/steps.ts',
    text: 'for (const call of openCalls(answer)) {',
    instead: 'for (const call of openCalls(answer).slice(0, 0)) {',
  },
  {
    name: 'a result is left out of the next conversation',
    file: 'machine/continues.ts',
    text: "messages: ['prepared', 'answer', 'results', 'attachments'],",
    instead: "messages: ['prepared', 'answer', 'attachments'],",
  },
  {
    name: 'an attachment of a stop hook is stored and not sent',
    file: 'machine/continues.ts',
    text: "messages: ['prepared', 'answer', 'attachments', 'hook_errors'],",
    instead: "messages: ['prepared', 'answer', 'hook_errors'],",
  },
  {
    name: 'calls with effects start early',
    file: 'tools/slot.ts',
    text: '(streamEnded || call.early)',
    instead: 'true',
  },
  {
    name: 'a call begins before its intent is stored',
    file: 'loop/effects/run-tools.ts',
    text: 'const { raw, effect } = update.call;',
    instead: 'const { raw, effect } = update.call; executor?.begin(slot);',
  },
  {
    name: 'results overtake one another',
    file: 'tools/executor.ts',
    text: "if (slot.state !== 'settled') break;",
    instead: "if (slot.state !== 'settled') continue;",
  },
  {
    name: 'exclusive calls run beside others',
    file: 'tools/slot.ts',
    text: 'if (!call.safe) return next;\n    isFirst = false;',
    instead: '',
  },
  {
    name: 'calls that started early do not count against the limit',
    file: 'tools/slot.ts',
    text: ' - slots.filter(isUnderWay).length',
    instead: '',
  },
  {
    name: 'a discarded attempt continues to work',
    file: 'tools/executor.ts',
    text: 'slot.controller.abort(reason);\n    this.#settle(slot, failedCall(message));',
    instead: 'this.#settle(slot, failedCall(message));',
  },
  {
    name: 'a call to the model starts after an abort',
    file: 'loop/effects/attempt.ts',
    text: 'if (signal.aborted) return attemptEnd(reader, executor, answer, last, ABORTED_END);',
    instead: '',
  },
  {
    name: 'an answer with complete calls is requested again',
    file: 'machine/attempts.ts',
    text: 'if (facts.aborted || facts.calls > 0) return ACCEPT;',
    instead: 'if (facts.aborted) return ACCEPT;',
  },
  {
    name: 'compaction after an error has no guard',
    file: 'machine/guards.ts',
    text: 'mayCompact: ({ state }) => !state.hasAttemptedReactiveCompact,',
    instead: 'mayCompact: () => true,',
  },
  {
    name: 'an empty answer is requested again without a limit',
    file: 'machine/attempts.ts',
    text: 'mayAskAgain: (tries) => !tries.askedAgain,',
    instead: 'mayAskAgain: () => true,',
  },
  {
    name: 'a rewritten prefix is not announced',
    file: 'loop/effects/stream.ts',
    text: "if (rewrotePrefix) yield { type: 'prefix_rewritten' };",
    instead: '',
  },
  {
    name: 'the hidden opening text changes from call to call',
    file: 'request/builder.ts',
    text: 'opening: this.#opening,',
    instead: 'opening: `${this.#opening} ${messages.length}`,',
  },
  {
    name: 'thinking is sent to a model that did not write it',
    file: 'request/normalize/model-steps.ts',
    text: 'undated(written) === undated(asked)',
    instead: 'undated(written) !== asked + asked',
  },
  {
    name: 'stop hooks run after an error',
    file: 'machine/decide.ts',
    text: "return stop(loop, { reason: 'api_error', error }, RELEASE_AND_RUN_HOOKS);",
    instead: "return perform({ type: 'stop_hooks', stopHookActive: state.stopHookActive }, loop);",
  },
  {
    name: 'commands are lost at the turn limit',
    file: 'machine/decide.ts',
    text: 'const drainQueue = guards.mayTakeAnotherTurn(loop.state, config.maxTurns);',
    instead: 'const drainQueue = true;',
  },
  {
    name: 'commands are never completed',
    file: 'loop/query.ts',
    text: "yield { type: 'command', commandId, state: 'completed' };",
    instead: 'void commandId;',
  },
  {
    name: 'an attempt without an answer is not billed',
    file: 'loop/effects/stream.ts',
    text: "if (isSpent(usage)) yield { type: 'spent', model, usage };",
    instead: '',
  },
  {
    name: 'a consumer that leaves ends nothing',
    file: 'loop/environment.ts',
    text: "scope.abort('run over');\n    scope.release();\n    await current?.stop();",
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
    text: 'if (call !== undefined) asText.push(...resultAsText(result, call));',
    instead: 'if (call !== undefined) asText.push(text(BLOCK_REFUSED));',
  },
  {
    name: 'a fallback that was tried is tried again',
    file: 'loop/effects/stream.ts',
    text: 'return { ...now, fallbacks, leavesOutThinking: false,',
    instead: 'return { ...now, leavesOutThinking: false,',
  },
  {
    name: 'the result of a dropped call is not retracted',
    file: 'loop/answer.ts',
    text: 'retracted: [cut, ...gone].map(({ uuid }) => uuid),',
    instead: 'retracted: [cut.uuid],',
  },
];
