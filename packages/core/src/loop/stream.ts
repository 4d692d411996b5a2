/**
 * The `stream` effect: attempts at one answer until one is accepted. Retries, fallback, pauses, the re-ask after an empty
 * answer and the replacement of a refused block happen in here, each within its bound; the machine sees only the end.
 */
import { isThought } from '../messages/blocks.ts';
import { callsOf } from '../messages/message.ts';
import type { ModelError } from '../model/error.ts';
import type { ModelRequest } from '../model/port.ts';
import { judgeAttempt, NO_TRIES, type AttemptFacts } from '../model/retry.ts';
import type { Effect } from '../machine/effect.ts';
import type { Happened, StreamEnd } from '../machine/happened.ts';
import { abortCause } from '../abort.ts';
import { modelError, runAttempt, type AttemptEnd } from './attempt.ts';
import type { LoopEvent } from './events.ts';
import { refusedName } from '../request/normalise/refused.ts';
import { meta, messageEvent, systemMessage, type Run } from './run.ts';
import { viewOf } from './view.ts';
import { EMPTY_ANSWER } from './texts.ts';
import { offerSummary } from './summary.ts';
import { takeBack } from './take-back.ts';

export async function* streamAnswer(
  run: Run,
  effect: Extract<Effect, { type: 'stream' }>,
): AsyncGenerator<LoopEvent, Happened> {
  const { iteration, deps, config } = run;
  let tries = NO_TRIES;
  let paused = false;
  while (true) {
    yield* offerSummary(run);
    const before = iteration.answer.length;
    const messages = paused ? iteration.view.append(iteration.answer) : iteration.view;
    const built = run.builder.build(viewOf(run, effect, paused), messages);
    if (built.mends.length > 0) yield { type: 'mended', mends: built.mends };
    if (built.rewrotePrefix) yield { type: 'prefix_rewritten' };
    const attempt = yield* runAttempt(run, built.request);
    run.outputTokens += attempt.reader.usage.output_tokens;
    const refused = newlyRefused(run, built.request, attempt.error);
    const facts = factsOf(run, attempt, refused === undefined);
    const verdict = run.scope.signal.aborted ? ACCEPT : judgeAttempt(facts, tries, config.retry, deps.random);
    if (verdict.do === 'accept') {
      yield* endAnswer(run, attempt, facts);
      yield* offerSummary(run);
      const staged = deps.context.staged();
      // Asked again: whoever was told how the answer ended may have answered with an abort.
      return {
        type: 'streamed',
        calls: facts.calls,
        ended: streamEnd(facts),
        staged,
        aborted: abortCause(run.scope.signal),
      };
    }
    yield* billAttempt(attempt);
    tries = verdict.tries;
    switch (verdict.do) {
      case 'retry':
        yield {
          type: 'retry',
          attempt: tries.attempts,
          maxAttempts: config.retry.maxAttempts,
          delayMs: verdict.delayMs,
          error: facts.error ?? SILENCE,
        };
        yield* takeBack(run, before);
        await deps.clock.sleep(verdict.delayMs, run.scope.signal);
        break;
      case 'fall_back':
        // A paused answer belongs to the model that began it.
        paused = false;
        yield* takeBack(run);
        yield* fallBack(run, facts.error ?? SILENCE);
        break;
      case 'resume_pause':
        paused = true;
        break;
      case 'ask_again':
        paused = false;
        yield* takeBack(run);
        yield* askAgain(run);
        break;
      case 'replace_block':
        yield* takeBack(run, before);
        if (refused === undefined) break;
        run.refused.add(refused);
        yield { type: 'refused', blocks: [refused] };
        break;
    }
    if (run.scope.signal.aborted) {
      const ended: StreamEnd = { well: false, error: facts.error ?? SILENCE };
      return { type: 'streamed', calls: 0, ended, staged: false, aborted: abortCause(run.scope.signal) };
    }
  }
}

const ACCEPT = { do: 'accept' } as const;
const SILENCE = modelError('empty', 'The model gave no answer.');

function factsOf(run: Run, { reader, error, last }: AttemptEnd, refusedInVain: boolean): AttemptFacts {
  const { iteration, context } = run;
  const { fallbackModel } = run.params;
  const { answer } = iteration;
  // Of an answer that was cut, the last block counts as unfinished even if it looks whole: nobody knows what it lacks.
  iteration.cut = reader.wasCut && !reader.hasOpenBlock() ? last : undefined;
  iteration.unfinishedText = reader.unfinishedText();
  const kept = answer.filter((message) => message !== iteration.cut);
  return {
    error,
    calls: callsOf(kept).length,
    paused: reader.stopReason === 'pause_turn',
    empty: !answer.some((message) => message.content.some((block) => !isThought(block))),
    fallbackAvailable: fallbackModel !== undefined && context.model !== fallbackModel,
    refusedInVain,
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
  if (
    usage.input_tokens +
      usage.output_tokens +
      usage.cache_creation_input_tokens +
      usage.cache_read_input_tokens >
    0
  ) {
    yield { type: 'spent', model, usage };
  }
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
  const { fallbackModel } = run.params;
  if (fallbackModel === undefined) return;
  const first = run.context.model;
  run.context = { ...run.context, model: fallbackModel };
  yield messageEvent(
    systemMessage(
      run,
      'model_fallback',
      `Switched from ${first} to ${fallbackModel}: ${error.message}`,
      'warning',
    ),
  );
}

/** The name of the refused block, if it is there and was not refused before: only then can another attempt go better. */
function newlyRefused(run: Run, request: ModelRequest, error: ModelError | undefined): string | undefined {
  if (!error?.block) return undefined;
  const block = request.messages.at(error.block.message)?.content[error.block.block];
  const name = block && refusedName(block);
  return name === undefined || run.refused.has(name) ? undefined : name;
}
