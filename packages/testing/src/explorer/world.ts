/**
 * The world with every possible outcome of each effect. It keeps no promise that the machine could rely
 * on: collapses are staged again after a drain, hooks block forever, gains are zero.
 */
import type {
  AbortCause,
  AutoCompactResult,
  Effect,
  FinishedCall,
  MachineEvent,
  ModelError,
  ModelErrorClass,
  StreamEnd,
  LoopState,
} from '@heddle/core';
import { deepFreeze } from './frozen.ts';
import type { Scenario } from './scenario.ts';

/** The pending input of the machine: the outcome of an effect, or the beginning of an iteration. */
export type Pending = Effect | { readonly type: 'begin' };

export type PendingType = Pending['type'];

type Outcome = Exclude<MachineEvent, { type: 'began' }>;
/** Distributes over the union, so that each outcome loses its abort and keeps the rest. */
type Unwatched = Outcome extends infer Each ? (Each extends unknown ? Omit<Each, 'aborted'> : never) : never;

const NO_LINEAGE = { previousId: undefined, turnsSince: 0, failures: 0 };

/** One of each pending input. */
export const EVERY_PENDING: readonly Pending[] = [
  { type: 'begin' },
  { type: 'prepare', stage: true, autoCompact: true, lineage: NO_LINEAGE },
  { type: 'stream', maxOutputTokens: 1, taskBudget: undefined },
  { type: 'drain' },
  { type: 'compact', cause: 'overflow', lineage: NO_LINEAGE },
  { type: 'compact', cause: 'media', lineage: NO_LINEAGE },
  { type: 'run_tools' },
  { type: 'ask', calls: [] },
  { type: 'attach', drainQueue: true, nudge: [] },
  { type: 'stop_hooks', stopHookActive: false },
];

/** A record, so that the compiler reports a missing class. Each is an error of its class. */
export const EVERY_ERROR: Readonly<Record<ModelErrorClass, ModelError>> = {
  overflow: error('overflow'),
  media: error('media'),
  output_cap: error('output_cap'),
  rate_limit: error('rate_limit'),
  overloaded: error('overloaded'),
  server: error('server'),
  auth: error('auth'),
  permission: error('permission'),
  not_found: error('not_found'),
  network: error('network'),
  stall: error('stall'),
  refusal: error('refusal'),
  bad_request: error('bad_request'),
  refused_block: error('refused_block'),
  empty: error('empty'),
  aborted: error('aborted'),
  internal: error('internal'),
};

const STREAM_ENDS: readonly StreamEnd[] = [
  { well: true },
  ...Object.values(EVERY_ERROR).map((error): StreamEnd => ({ well: false, error })),
];

const AUTO_COMPACTS: readonly AutoCompactResult[] = [
  { outcome: 'idle' },
  { outcome: 'compacted', id: 'boundary', replacedTokens: 100 },
  { outcome: 'failed' },
];

const BOTH = [false, true] as const;
const ABORTS: readonly (AbortCause | undefined)[] = [undefined, 'cancel', 'interrupt'];
const WORD = { hook: 'a hook', message: 'says so' };

/**
 * Returns events in a fixed order that depends only on the pending effect. Each event is deeply frozen.
 */
export function possibleEvents(
  loop: LoopState,
  pending: Pending,
  scenario: Scenario,
): readonly MachineEvent[] {
  if (pending.type === 'begin') return BEGAN;
  if (pending.type === 'run_tools') return watched(pending.type, toolsRan(loop, scenario));
  if (pending.type === 'stop_hooks') return watched(pending.type, hooksRan(loop, scenario));
  return FIXED[`${pending.type}${variantOf(pending)}`] ?? [];
}

const BEGAN: readonly MachineEvent[] = [deepFreeze({ type: 'began' })];

/** The outcomes that depend only on the effect. */
const FIXED: Readonly<Record<string, readonly MachineEvent[]>> = {
  prepare: watched('prepare', prepared(AUTO_COMPACTS.slice(0, 1))),
  'prepare with autocompact': watched('prepare', prepared(AUTO_COMPACTS)),
  stream: watched('stream', streamed()),
  drain: watched(
    'drain',
    BOTH.map((committed) => ({ type: 'drained', committed })),
  ),
  'compact for overflow': watched('compact', compacted('overflow')),
  'compact for media': watched('compact', compacted('media')),
  ask: watched(
    'ask',
    BOTH.map((continues) => ({ type: 'asked', continues })),
  ),
  attach: watched('attach', [{ type: 'attached' }]),
};

function error(name: ModelErrorClass): ModelError {
  return { type: 'model_error', class: name, message: name };
}

function variantOf(pending: Pending): string {
  if (pending.type === 'prepare') return pending.autoCompact ? ' with autocompact' : '';
  return pending.type === 'compact' ? ` for ${pending.cause}` : '';
}

function prepared(results: readonly AutoCompactResult[]): Unwatched[] {
  return BOTH.flatMap((overLimit) =>
    BOTH.flatMap((staged) =>
      results.map(
        (autoCompact): Unwatched => ({ type: 'prepared', context: { overLimit, staged, autoCompact } }),
      ),
    ),
  );
}

function streamed(): Unwatched[] {
  return [0, 1].flatMap((calls) =>
    STREAM_ENDS.flatMap((ended) =>
      BOTH.map((staged): Unwatched => ({ type: 'streamed', calls, ended, staged })),
    ),
  );
}

function compacted(cause: 'overflow' | 'media'): Unwatched[] {
  return [
    { type: 'compacted', cause, result: { ok: true, id: 'boundary', replacedTokens: 100 } },
    { type: 'compacted', cause, result: { ok: false } },
  ];
}

function toolsRan({ ledger }: LoopState, { repeatable }: Scenario): Unwatched[] {
  const known = new Set(ledger.repetition.map((call) => call.fingerprint));
  let fresh = 0;
  while (known.has(`a new call ${fresh}`)) fresh += 1;
  const calls = [...repeatable, `a new call ${fresh}`].map(
    (fingerprint): FinishedCall => ({ tool: 'Look', fingerprint }),
  );
  return calls.flatMap((call) =>
    [undefined, WORD].map(
      (stoppedBy): Unwatched => ({ type: 'tools_ran', calls: [call], stoppedBy, contextChanged: true }),
    ),
  );
}

function hooksRan({ ledger }: LoopState, { config }: Scenario): Unwatched[] {
  return [undefined, WORD].flatMap((prevented) =>
    [[], [WORD]].flatMap((blocking) =>
      [0, config.limits.budgetMinimumGain].map(
        (gain): Unwatched => ({
          type: 'hooks_ran',
          prevented,
          blocking,
          outputTokens: ledger.budget.lastGlobalTurnTokens + gain,
          now: 0,
        }),
      ),
    ),
  );
}

/** Our own code may throw during any effect, and the signal may abort with any outcome. */
function watched(during: Effect['type'], outcomes: readonly Unwatched[]): readonly MachineEvent[] {
  const thrown = BOTH.map((media): Unwatched => ({ type: 'threw', during, media, message: 'thrown' }));
  return [...outcomes, ...thrown].flatMap((outcome) =>
    ABORTS.map((aborted): MachineEvent => deepFreeze({ ...outcome, aborted })),
  );
}
