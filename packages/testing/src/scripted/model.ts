/**
 * A model that plays a script. Contract of a `ModelPort`: it never throws, ends with exactly one `Done` or
 * `ModelError`, and an abort ends every wait at once. It needs no network and no test runner, so the
 * shipped program can embed it.
 */
import {
  type Clock,
  type Done,
  errorMessage,
  type ModelError,
  type ModelPort,
  type ModelRecord,
  type ModelRequest,
} from '@heddle/core';
import { settleOrAbort } from '../gate.ts';
import type { Act, EndAct } from './act.ts';
import { actsOf, lastRecord } from './acts.ts';
import { errorOf } from './errors.ts';
import { createJudge, type Judge, type JudgeOptions, type Problem } from './judge.ts';
import { RecordedCall } from './recorded.ts';
import type { Script, ScriptStep } from './part.ts';

export interface ScriptedOptions extends JudgeOptions {
  /** Pauses and stalls are spent on this clock. Without one they take no time. */
  readonly clock?: Clock;
  /** The context window in tokens. A larger request is rejected like the API does. Default: unlimited. */
  readonly window?: number;
}

export interface ScriptedModel extends ModelPort {
  /** Every attempt, in order, the running one included. */
  readonly calls: readonly RecordedCall[];
  /** Requests that broke the API's rules, calls without a step, steps that threw. */
  readonly problems: readonly Problem[];
  /** The requests as shapes, one string each. */
  shapes(): readonly string[];
  /** Steps not played yet. A script that is one function never ends. */
  stepsLeft(): number;
  /** Throws an error that lists the problems, if there are any. */
  assertNoViolations(): void;
}

export function scriptedModel(script: Script, options: ScriptedOptions = {}): ScriptedModel {
  const calls: RecordedCall[] = [];
  const judge = createJudge(options);

  const port: ModelPort = (request, signal) => {
    const call = new RecordedCall(calls.length + 1, request, options.clock?.now() ?? 0);
    calls.push(call);
    return play(call, actsFor(call, script, judge, options), options.clock, signal);
  };

  return Object.assign(port, {
    calls,
    problems: judge.problems,
    shapes: () => calls.map(({ shape }) => shape),
    stepsLeft: () =>
      typeof script === 'function' ? Number.POSITIVE_INFINITY : Math.max(0, script.length - calls.length),
    assertNoViolations: () => judge.assertNoProblems(),
  });
}

async function* play(
  call: RecordedCall,
  acts: readonly Act[],
  clock: Clock | undefined,
  signal: AbortSignal,
): AsyncGenerator<ModelRecord, void> {
  try {
    for (const act of acts) {
      const end = signal.aborted ? errorOf('aborted') : await perform(act, call.number, clock, signal);
      if (end !== undefined) {
        call.end(end);
        yield end;
        return;
      }
      if (act.act === 'event') yield act.event;
    }
  } finally {
    call.abandonUnlessEnded();
  }
}

/**
 * Waits if the act requires it. Returns the record that ends the stream, if this act or an abort ends it.
 */
async function perform(
  act: Act,
  call: number,
  clock: Clock | undefined,
  signal: AbortSignal,
): Promise<Done | ModelError | undefined> {
  switch (act.act) {
    case 'event':
      return undefined;
    case 'wait':
      await clock?.sleep(act.ms, signal);
      break;
    case 'gate':
      await act.gate.pass(signal);
      break;
    case 'silence':
      await (act.ms === undefined ? settleOrAbort(NEVER, signal) : clock?.sleep(act.ms, signal));
      return signal.aborted ? errorOf('aborted') : lastRecord(act, call);
    case 'done':
    case 'fail':
    case 'hang_up':
      return lastRecord(act, call);
  }
  return signal.aborted ? errorOf('aborted') : undefined;
}

const NEVER = Promise.withResolvers<never>().promise;

function actsFor(
  call: RecordedCall,
  script: Script,
  judge: Judge,
  { window, script: name }: ScriptedOptions,
): readonly Act[] {
  try {
    const objection = judge.examine(call);
    if (objection !== undefined) return [failing(objection)];
    const inputTokens = window === undefined ? call.inputTokens() : call.tokensOfWords();
    if (window !== undefined && inputTokens > window)
      return [
        failing(
          errorOf('overflow', { message: `prompt is too long: ${inputTokens} tokens > ${window} maximum` }),
        ),
      ];
    const step = stepFor(script, call.request, call.number);
    if (step === undefined)
      return [failing(judge.object(call.number, 'out_of_script', endedText(call.number, name)))];
    const { model } = call.request;
    const acts = actsOf(step, {
      call: call.number,
      model,
      inputTokens,
      sign: (thinking) => judge.signatures.sign(model, thinking),
    });
    judge.remember(model, acts);
    return acts;
  } catch (error) {
    const why = errorMessage(error);
    return [
      failing(judge.object(call.number, 'script_threw', `The step for call ${call.number} threw: ${why}`)),
    ];
  }
}

function endedText(call: number, name: string | undefined): string {
  if (name === undefined) return `The script has no step for call ${call}`;
  const answers = call === 2 ? '1 answer' : `${call - 1} answers`;
  return `The script ${name} ended after ${answers}; the run asked for another.`;
}

function stepFor(script: Script, request: ModelRequest, call: number): ScriptStep | undefined {
  const step = typeof script === 'function' ? script : script[call - 1];
  return typeof step === 'function' ? step(request, call) : step;
}

function failing(error: ModelError): EndAct {
  return { act: 'fail', error };
}
