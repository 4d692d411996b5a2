/**
 * The `stream` effect: attempts at one answer until one is accepted. Retries, fallback, pauses, the re-ask after an empty
 * answer and the replacement of a refused block happen in here, each within its bound; the machine sees only the end.
 */
import { abortCause } from '../../abort.ts';
import type { Effect } from '../../machine/effect.ts';
import type { MachineEvent, StreamEnd } from '../../machine/happened.ts';
import { isThinking } from '../../messages/blocks.ts';
import { callsOf } from '../../messages/message.ts';
import { modelError, type ModelError } from '../../messages/model-error.ts';
import { isSpent } from '../../messages/usage.ts';
import type { ModelRequest } from '../../model/port.ts';
import { decideAttempt, NO_ATTEMPTS, type AttemptFacts, type AttemptDecision } from '../../model/retry.ts';
import { rejectedBlockName } from '../../request/normalize/model-steps.ts';
import type { LoopEvent } from '../run/events.ts';
import { meta, messageEvent, systemMessage, type Run } from '../run/run.ts';
import { EMPTY_ANSWER } from '../run/texts.ts';
import { runAttempt, type AttemptEnd } from './attempt.ts';
import { offerSummary } from './summary.ts';
import { retractMessages } from './take-back.ts';
import { requestViewOf } from './view.ts';

export async function* streamAnswer(
  run: Run,
  effect: Extract<Effect, { type: 'stream' }>,
): AsyncGenerator<LoopEvent, MachineEvent> {
  const { iteration, deps, config } = run;
  let tries = NO_ATTEMPTS;
  let paused = false;
  while (true) {
    yield* offerSummary(run);
    const before = iteration.answer.length;
    const messages = paused ? iteration.view.append(iteration.answer) : iteration.view;
    const built = run.builder.build(requestViewOf(run, effect, paused), messages);
    if (built.repairs.length > 0) yield { type: 'mended', mends: built.repairs };
    if (built.rewrotePrefix) yield { type: 'prefix_rewritten' };
    const attempt = yield* runAttempt(run, built.request);
    run.outputTokens += attempt.reader.usage.output_tokens;
    noteCut(run, attempt);
    if (attempt.error?.window !== undefined)
      deps.context.learnWindow(run.context.model, attempt.error.window);
    const refused = newlyRefused(run, built.request, attempt.error);
    const facts = factsOf(run, attempt, {
      refusedInVain: refused === undefined,
      asksForThinking: built.request.options.thinking !== undefined,
    });
    const verdict = run.scope.signal.aborted
      ? ACCEPT
      : decideAttempt(facts, tries, config.retry, deps.random);
    if (verdict.do === 'accept') {
      yield* endAnswer(run, attempt, facts);
      if (attempt.notice !== undefined)
        yield messageEvent(systemMessage(run, 'informational', attempt.notice, 'warning'));
      yield* offerSummary(run);
      const staged = deps.context.staged();
      // Asked again: whoever was told how the answer ended may have answered with an abort.
      const aborted = abortCause(run.scope.signal);
      return { type: 'streamed', calls: facts.calls, ended: streamEnd(facts), staged, aborted };
    }
    yield* billAttempt(attempt);
    yield* prepareAnother(run, verdict, { before, refused, error: facts.error ?? SILENCE });
    tries = verdict.tries;
    paused = isPausedAfter(verdict, paused);
    const aborted = abortCause(run.scope.signal);
    if (aborted) {
      const ended: StreamEnd = { well: false, error: facts.error ?? SILENCE };
      return { type: 'streamed', calls: 0, ended, staged: false, aborted };
    }
  }
}

const ACCEPT = { do: 'accept' } as const;
const SILENCE = modelError('empty', 'The model gave no answer.');

type Another = Exclude<AttemptDecision, { do: 'accept' }>;

/** What has to be done before the next attempt. `before`: the blocks of the answer that the last one did not bring. */
async function* prepareAnother(
  run: Run,
  verdict: Another,
  {
    before,
    refused,
    error,
  }: { readonly before: number; readonly refused: string | undefined; readonly error: ModelError },
): AsyncGenerator<LoopEvent, void> {
  switch (verdict.do) {
    case 'retry': {
      const { delayMs, tries } = verdict;
      const { maxAttempts } = run.config.retry;
      yield { type: 'retry', attempt: tries.attempts, maxAttempts, delayMs, error };
      yield* retractMessages(run, before);
      await run.deps.clock.sleep(delayMs, run.scope.signal);
      return;
    }
    case 'fall_back':
      yield* retractMessages(run);
      return yield* fallBack(run, error);
    case 'resume_pause':
      return;
    case 'ask_again':
      yield* retractMessages(run);
      return yield* askAgain(run);
    case 'replace_block':
      yield* retractMessages(run, before);
      if (refused === undefined) return;
      run.refused.add(refused);
      yield { type: 'refused', blocks: [refused] };
      return;
    case 'leave_out_thinking':
      yield* retractMessages(run, before);
      run.leavesOutThinking = true;
  }
}

/** A paused answer belongs to the model that began it, and to nobody once it was taken back. */
function isPausedAfter({ do: what }: Another, paused: boolean): boolean {
  if (what === 'resume_pause') return true;
  return paused && what !== 'fall_back' && what !== 'ask_again';
}

/** Of an answer that was cut, the last block counts as unfinished even if it looks whole: nobody knows what it lacks. */
function noteCut({ iteration }: Run, { reader, last }: AttemptEnd): void {
  iteration.cut = reader.wasCut && !reader.hasOpenBlock() ? last : undefined;
  iteration.unfinishedText = reader.unfinishedText();
}

function factsOf(
  run: Run,
  { reader, error }: AttemptEnd,
  ofRequest: Pick<AttemptFacts, 'refusedInVain' | 'asksForThinking'>,
): AttemptFacts {
  const { answer, cut } = run.iteration;
  return {
    error,
    calls: callsOf(answer.filter((message) => message !== cut)).length,
    paused: reader.stopReason === 'pause_turn',
    empty: !answer.some((message) => message.content.some((block) => !isThinking(block))),
    fallbackAvailable: run.fallbacks.length > 0,
    ...ofRequest,
  };
}

function streamEnd({ error, empty, calls, paused }: AttemptFacts): StreamEnd {
  if (error) return { well: false, error };
  if (calls > 0) return { well: true };
  if (empty) return { well: false, error: modelError('empty', EMPTY_TWICE) };
  if (paused) return { well: false, error: modelError('server', PAUSED_TOO_OFTEN) };
  return { well: true };
}

const EMPTY_TWICE =
  'The model answered with nothing, twice. Send the request again, or choose another model.';
const PAUSED_TOO_OFTEN = 'The server paused this answer again and again. Send the request again later.';

/** An answer that counts is announced with its end; any other attempt only with what it cost. */
async function* endAnswer(
  run: Run,
  attempt: AttemptEnd,
  facts: AttemptFacts,
): AsyncGenerator<LoopEvent, void> {
  const { reader, error, requestId } = attempt;
  const { iteration } = run;
  iteration.responseId = reader.responseId;
  iteration.withheld = facts.calls > 0 ? undefined : (error ?? errorOf(streamEnd(facts)));
  iteration.failure = iteration.withheld;
  const counts = facts.calls > 0 || iteration.withheld === undefined || error?.class === 'refusal';
  if (!counts) return yield* billAttempt(attempt);
  const { responseId, usage, appliedEdits } = reader;
  const cleared = run.deps.context.answered({ responseId, usage, appliedEdits });
  if (cleared) yield { type: 'context', report: cleared };
  yield {
    type: 'answer_end',
    responseId: reader.responseId,
    model: reader.model,
    stopReason: reader.stopReason,
    usage: reader.usage,
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function errorOf(end: StreamEnd): ModelError | undefined {
  return end.well ? undefined : end.error;
}

async function* billAttempt({ reader }: AttemptEnd): AsyncGenerator<LoopEvent, void> {
  const { usage, model } = reader;
  if (isSpent(usage)) yield { type: 'spent', model, usage };
}

/** The request to say something joins the history, and what is sent of it. */
async function* askAgain(run: Run): AsyncGenerator<LoopEvent, void> {
  const { iteration } = run;
  const again = meta(run, EMPTY_ANSWER);
  const sentAsItIs = iteration.view === iteration.prepared;
  iteration.prepared = iteration.prepared.append([again]);
  iteration.view = sentAsItIs ? iteration.prepared : iteration.view.append([again]);
  yield messageEvent(again);
}

/** The rest of the run uses the other model. Thinking blocks keep their signatures; the request builder leaves them out. */
async function* fallBack(run: Run, error: ModelError): AsyncGenerator<LoopEvent, void> {
  const [next, ...left] = run.fallbacks;
  if (next === undefined) return;
  const first = run.context.model;
  run.fallbacks = left;
  run.leavesOutThinking = false;
  run.context = { ...run.context, model: next };
  yield messageEvent(
    systemMessage(run, 'model_fallback', `Switched from ${first} to ${next}: ${error.message}`, 'warning'),
  );
}

/** The name of the refused block, if it is there and was not refused before: only then can another attempt go better. */
function newlyRefused(run: Run, request: ModelRequest, error: ModelError | undefined): string | undefined {
  if (!error?.block) return undefined;
  const block = request.messages.at(error.block.message)?.content[error.block.block];
  const name = block && rejectedBlockName(block);
  return name === undefined || run.refused.has(name) ? undefined : name;
}
