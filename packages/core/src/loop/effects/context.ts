/** The effects on the context: prepare it before a call, drain or compact it after a call that did not fit. */
import { type PrepareStep, withLineage } from '../../context/port.ts';
import type { CompactionLineage, Effect, PreparedContext } from '../../machine/effects.ts';
import type { Spent } from '../../messages/usage.ts';
import type { EffectEnd, RunEnvironment, RunProgress } from '../environment.ts';
import type { LoopEvent } from '../events.ts';

export async function* prepareContext(
  env: RunEnvironment,
  { history, context, hasBegun }: Pick<RunProgress, 'history' | 'context' | 'hasBegun'>,
  { stage, autoCompact, lineage }: Extract<Effect, { type: 'prepare' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  const { deps, aborted } = env;
  // Preparing can cost a model call, so an aborted run skips it.
  if (aborted) return { event: { type: 'prepared', aborted, context: NOTHING_PREPARED } };
  if (!hasBegun) deps.attachments.begin('run', history, context);
  deps.attachments.begin('iteration', history, context);
  const steps = deps.context.prepare({ messages: history, stage, autoCompact, context });
  const prepared = yield* env.relaySteps(steps, (step) => eventsOf(step, lineage));
  return {
    event: {
      type: 'prepared',
      aborted: env.aborted,
      context: {
        overLimit: prepared.overLimit,
        staged: deps.context.staged(),
        autoCompact: prepared.autoCompact,
      },
    },
    changed: { history: prepared.messages, view: prepared.view, hasBegun: true },
  };
}

function eventsOf(step: PrepareStep, lineage: CompactionLineage): LoopEvent[] {
  if ('compacting' in step) return [{ type: 'compacting', trigger: step.compacting }];
  const { spent, ...did } = step;
  return [...spentEvents(spent), { type: 'context', ...did, report: withLineage(did.report, lineage) }];
}

const NOTHING_PREPARED: PreparedContext = {
  overLimit: false,
  staged: false,
  autoCompact: { outcome: 'idle' },
};

export async function* drainCollapses(env: RunEnvironment): AsyncGenerator<LoopEvent, EffectEnd> {
  const { committed, report } = await env.waitFor(env.deps.context.drain(env.signal));
  if (report) yield { type: 'context', report };
  return { event: { type: 'drained', committed: committed > 0, aborted: env.aborted } };
}

export async function* compactReactively(
  env: RunEnvironment,
  { history, context }: Pick<RunProgress, 'history' | 'context'>,
  { cause, lineage }: Extract<Effect, { type: 'compact' }>,
): AsyncGenerator<LoopEvent, EffectEnd> {
  yield { type: 'compacting', trigger: 'reactive' };
  const { aborted } = env;
  // The consumer may have aborted at this yield. Then the compaction does not start.
  if (aborted) return { event: { type: 'compacted', cause, result: { ok: false }, aborted } };
  const compacted = await env.waitFor(env.deps.context.compact({ messages: history, cause, context }));
  yield* spentEvents(compacted.spent);
  if (!compacted.ok) {
    if (compacted.report) yield { type: 'context', report: withLineage(compacted.report, lineage) };
    return { event: { type: 'compacted', cause, result: { ok: false }, aborted: env.aborted } };
  }
  const { id, replacedTokens, messages } = compacted;
  const report = withLineage(compacted.report, lineage);
  yield { type: 'context', report, messages: [...messages] };
  const result = { ok: true, id, replacedTokens } as const;
  return {
    event: { type: 'compacted', cause, result, aborted: env.aborted },
    changed: { compacted: messages },
  };
}

/** Model calls of the levels are billed like attempts without an answer. */
function spentEvents(spent: readonly Spent[] = []): LoopEvent[] {
  return spent.map(({ model, usage }) => ({ type: 'spent', model, usage }));
}
