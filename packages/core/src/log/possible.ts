/**
 * What can have come back from an effect, as far as the log tells. What is recorded is pinned: calls and their results, whether
 * the answer counted, tokens, what compaction and draining did. What is not recorded is left open: whether collapses were
 * staged, when an abort came, which words a hook used. Nothing is left open that the log could contradict.
 */
import type { AbortCause } from '../abort.ts';
import type { QueryConfig } from '../machine/config.ts';
import type { Effect } from '../machine/effect.ts';
import type { AutoCompactResult, Happened, HookWord, StreamEnd } from '../machine/happened.ts';
import type { ModelErrorClass } from '../messages/model-error.ts';
import type { RecordedIteration } from './recorded.ts';

export function possible(effect: Effect, recorded: RecordedIteration, config: QueryConfig): Happened[] {
  const thrown = exceptions(effect, recorded);
  const happened = outcomes(effect, recorded, config);
  return [...happened.flatMap((outcome) => withAborts(outcome, recorded)), ...thrown];
}

function outcomes(effect: Effect, recorded: RecordedIteration, config: QueryConfig): Unwatched[] {
  const { calls, asked, levels, decided, outputTokens } = recorded;
  const terminal = decided?.kind === 'stop' ? decided.terminal : undefined;
  const staged = config.gates.contextCollapse ? EITHER : [false];
  switch (effect.type) {
    case 'prepare':
      // A limit that forbade the call leaves no trace of one.
      return (asked ? [false] : EITHER).flatMap((overLimit) =>
        autoCompactions(recorded, config).flatMap((autoCompact) =>
          staged.map(
            (one) => ({ type: 'prepared', context: { overLimit, staged: one, autoCompact } }) as const,
          ),
        ),
      );
    case 'stream':
      return streamEnds(recorded).flatMap((ended) =>
        staged.map((one) => ({ type: 'streamed', calls: calls.length, ended, staged: one }) as const),
      );
    case 'drain':
      return [{ type: 'drained', committed: levels.has('drain') }];
    case 'compact':
      return levels.has('reactive_compact')
        ? [{ type: 'compacted', cause: effect.cause, result: { ok: true, id: '', replacedTokens: 0 } }]
        : [{ type: 'compacted', cause: effect.cause, result: { ok: false } }];
    case 'run_tools': {
      const stoppedBy = terminal?.reason === 'hook_stopped' ? wordOf(terminal) : undefined;
      return [{ type: 'tools_ran', calls, stoppedBy }];
    }
    case 'ask':
      return EITHER.map((goOn) => ({ type: 'asked', goOn }));
    case 'attach':
      return [{ type: 'attached' }];
    case 'stop_hooks': {
      const prevented = terminal?.reason === 'stop_hook_prevented' ? wordOf(terminal) : undefined;
      const isBlocked = decided?.kind === 'continue' && decided.transition.reason === 'stop_hook_blocking';
      const blocking = isBlocked ? [SOME_WORD] : [];
      return outputTokens.map((tokens) => ({
        type: 'hooks_ran',
        prevented,
        blocking,
        outputTokens: tokens,
        now: 0,
      }));
    }
  }
}

const EITHER: readonly boolean[] = [false, true];
const SOME_WORD: HookWord = { hook: '', message: '' };

/** Before it is known whether an abort came. */
type Unwatched = Happened extends infer One
  ? One extends { type: 'began' }
    ? never
    : Omit<One, 'aborted'>
  : never;

function withAborts(outcome: Unwatched, { decided }: RecordedIteration): Happened[] {
  const causes: readonly (AbortCause | undefined)[] = isAbort(decided) ? [undefined, 'cancel'] : [undefined];
  return causes.map((aborted) => Object.assign({}, outcome, { aborted }));
}

function isAbort(decided: RecordedIteration['decided']): boolean {
  if (decided?.kind !== 'stop') return false;
  const { reason } = decided.terminal;
  return reason === 'aborted_streaming' || reason === 'aborted_tools';
}

function autoCompactions(
  { levels, failedLevels }: RecordedIteration,
  { gates }: QueryConfig,
): AutoCompactResult[] {
  if (levels.has('autocompact')) return [{ outcome: 'compacted', id: '', replacedTokens: 0 }];
  if (failedLevels.has('autocompact')) return [{ outcome: 'failed' }];
  return gates.autoCompact ? [{ outcome: 'idle' }, { outcome: 'failed' }] : [{ outcome: 'idle' }];
}

/** An answer that counted ended well, was cut behind complete calls, or was a refusal; any other ended with an error. */
function streamEnds({ answered, calls, decided }: RecordedIteration): StreamEnd[] {
  const terminal = decided?.kind === 'stop' ? decided.terminal : undefined;
  if (terminal?.reason === 'api_error') return [{ well: false, error: terminal.error }];
  if (!answered) return (isAbort(decided) ? ABORTED_FIRST : LEFT_NO_ANSWER).map(failed);
  return calls.length > 0 ? [{ well: true }] : [{ well: true }, failed('refusal')];
}

const LEFT_NO_ANSWER: readonly ModelErrorClass[] = ['overflow', 'media', 'output_cap', 'aborted'];
/** Whoever interrupted a run needs no error before it to be believed. */
const ABORTED_FIRST: readonly ModelErrorClass[] = ['aborted', 'overflow', 'media', 'output_cap'];

function failed(errorClass: ModelErrorClass): StreamEnd {
  return { well: false, error: { type: 'model_error', class: errorClass, message: '' } };
}

function exceptions({ type }: Effect, { decided }: RecordedIteration): Happened[] {
  if (decided?.kind !== 'stop') return [];
  const { terminal } = decided;
  if (terminal.reason !== 'model_error' && terminal.reason !== 'image_error') return [];
  const media = terminal.reason === 'image_error';
  return [{ type: 'threw', during: type, media, message: terminal.message, aborted: undefined }];
}

function wordOf({ hook, message }: HookWord): HookWord {
  return { hook, message };
}
