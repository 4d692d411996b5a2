/** The effects on the context: prepare it before a call, drain or compact it after one that did not fit. */
import type { CompactionLineage, Effect } from '../../machine/effect.ts';
import type { MachineEvent, PreparedContext } from '../../machine/happened.ts';
import { abortCause } from '../../abort.ts';
import type { PrepareStep } from '../../context/port.ts';
import { withLineage } from '../../context/port.ts';
import type { Spent } from '../../messages/usage.ts';
import type { LoopEvent } from '../run/events.ts';
import type { Run } from '../run/run.ts';
import { relayUntilAborted, untilAborted } from './until-aborted.ts';

export async function* prepareContext(
  run: Run,
  { autoCompact, lineage }: Extract<Effect, { type: 'prepare' }>,
): AsyncGenerator<LoopEvent, MachineEvent> {
  const { deps, iteration, context } = run;
  const aborted = abortCause(run.scope.signal);
  if (aborted) return { type: 'prepared', aborted, context: NOTHING_PREPARED };
  if (!run.begun) deps.attachments.begin('run', iteration.prepared, context);
  run.begun = true;
  deps.attachments.begin('iteration', iteration.prepared, context);
  const steps = deps.context.prepare({ messages: iteration.prepared, autoCompact, context });
  const prepared = yield* relayUntilAborted(run, steps, (step) => tell(step, lineage));
  iteration.prepared = prepared.messages;
  iteration.view = prepared.view;
  return {
    type: 'prepared',
    aborted: abortCause(run.scope.signal),
    context: {
      overLimit: prepared.overLimit,
      staged: deps.context.staged(),
      autoCompact: prepared.autoCompact,
    },
  };
}

function tell(step: PrepareStep, lineage: CompactionLineage): LoopEvent[] {
  if ('compacting' in step) return [{ type: 'compacting', trigger: step.compacting }];
  const { spent, ...did } = step;
  return [...bill(spent), { type: 'context', ...did, report: withLineage(did.report, lineage) }];
}

/** Preparing can cost a call of its own: it is spared a run that is already over. */
const NOTHING_PREPARED: PreparedContext = {
  overLimit: false,
  staged: false,
  autoCompact: { outcome: 'idle' },
};

export async function* drainCollapses(run: Run): AsyncGenerator<LoopEvent, MachineEvent> {
  const { committed, report } = await untilAborted(run, run.deps.context.drain(run.scope.signal));
  if (report) yield { type: 'context', report };
  return { type: 'drained', committed: committed > 0, aborted: abortCause(run.scope.signal) };
}

export async function* compactNow(
  run: Run,
  { cause, lineage }: Extract<Effect, { type: 'compact' }>,
): AsyncGenerator<LoopEvent, MachineEvent> {
  const { deps, iteration, context } = run;
  yield { type: 'compacting', trigger: 'reactive' };
  // Whoever heard of it may have ended the run: then it is not begun.
  const aborted = abortCause(run.scope.signal);
  if (aborted) return { type: 'compacted', cause, result: { ok: false }, aborted };
  const compacted = await untilAborted(
    run,
    deps.context.compact({ messages: iteration.prepared, cause, context }),
  );
  yield* bill(compacted.spent);
  if (!compacted.ok) {
    if (compacted.report) yield { type: 'context', report: withLineage(compacted.report, lineage) };
    return { type: 'compacted', cause, result: { ok: false }, aborted: abortCause(run.scope.signal) };
  }
  iteration.compacted = compacted.messages;
  const report = withLineage(compacted.report, lineage);
  yield { type: 'context', report, messages: [...compacted.messages] };
  const { id, replacedTokens } = compacted;
  return {
    type: 'compacted',
    cause,
    result: { ok: true, id, replacedTokens },
    aborted: abortCause(run.scope.signal),
  };
}

/** Calls of the levels' own are billed like attempts that gave no answer. */
function bill(spent: readonly Spent[] = []): LoopEvent[] {
  return spent.map(({ model, usage }) => ({ type: 'spent', model, usage }));
}
