/** Groups facts into runs. A run starts with a prompt and ends with its `end` fact, or with the next prompt. Pure. */
import { addTokens, type LogFact, NO_TOKENS, type TokenCounts } from './facts.ts';

export interface Run {
  /** Counted from 0. */
  readonly index: number;
  readonly prompt: string;
  readonly promptUuid: string;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly from: number;
  readonly to: number;
  /** Undefined if the run is unfinished. */
  readonly end: { readonly reason: string; readonly message: string } | undefined;
  readonly requests: number;
  readonly tools: number;
  readonly failedTools: number;
  readonly tokens: TokenCounts;
  readonly costUsd: number;
  /** Recoveries by reason, such as `retry overloaded` or `reactive_compact_retry`. */
  readonly recoveries: ReadonlyMap<string, number>;
}

/** Transitions that are the normal way to continue. All others recover from a problem. */
const NORMAL: ReadonlySet<string> = new Set(['next_turn', 'token_budget_continuation']);

/** Ends that are not failures. */
const GOOD_ENDS: ReadonlySet<string> = new Set(['completed', 'stop_hook_prevented', 'hook_stopped']);

export function isFailedEnd(end: Run['end']): boolean {
  return end !== undefined && !GOOD_ENDS.has(end.reason);
}

type OpenRun = { -readonly [Key in keyof Run]: Run[Key] } & {
  recoveries: Map<string, number>;
  /** The calls that ended, and whether they failed. Other programs store only the results. */
  calls: Map<string, boolean>;
};

export function runsOf(facts: readonly LogFact[]): Run[] {
  const runs: OpenRun[] = [];
  let open: OpenRun | undefined;
  for (const fact of facts) {
    if (fact.type === 'message' && fact.kind === 'prompt' && fact.role === 'user') {
      open = newRun(runs.length, fact);
      runs.push(open);
      continue;
    }
    if (!open) continue;
    open.lastLine = fact.line;
    open.to = Math.max(open.to, fact.at);
    addFact(open, fact);
    if (fact.type === 'end') {
      open.end = { reason: fact.reason, message: fact.message };
      open = undefined;
    }
  }
  return runs;
}

function newRun(index: number, { line, at, label, uuid }: Extract<LogFact, { type: 'message' }>): OpenRun {
  return {
    index,
    prompt: label,
    promptUuid: uuid,
    firstLine: line,
    lastLine: line,
    from: at,
    to: at,
    end: undefined,
    requests: 0,
    tools: 0,
    failedTools: 0,
    tokens: NO_TOKENS,
    costUsd: 0,
    recoveries: new Map(),
    calls: new Map(),
  };
}

function addFact(run: OpenRun, fact: LogFact): void {
  switch (fact.type) {
    case 'answer':
    case 'spent':
      if (fact.type === 'answer') run.requests++;
      run.tokens = addTokens(run.tokens, fact.tokens);
      run.costUsd += fact.costUsd ?? 0;
      return;
    case 'outcome':
      return endCall(run, fact.id, fact.isError);
    case 'retry':
      return count(run.recoveries, `retry: ${fact.error}`);
    case 'transition':
      return NORMAL.has(fact.reason) ? undefined : count(run.recoveries, fact.reason);
    case 'context':
      return count(run.recoveries, fact.failed === undefined ? fact.level : `${fact.level} failed`);
    case 'message':
      for (const part of fact.parts) if (part.kind === 'result') endCall(run, part.id, part.isError);
      return fact.subtype === 'model_fallback' ? count(run.recoveries, 'model fallback') : undefined;
    default:
      return;
  }
}

function endCall(run: OpenRun, id: string, isError: boolean): void {
  if (run.calls.has(id)) return;
  run.calls.set(id, isError);
  run.tools++;
  if (isError) run.failedTools++;
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
