/** Everything that a proof must have seen at least once. An event that never occurred was not proven. */
import {
  TERMINAL_REASONS,
  type TerminalReason,
  TRANSITION_REASONS,
  type TransitionReason,
} from '@heddle/core';

export const FAULTS = [
  'model: overflow',
  'model: media',
  'model: rate_limit',
  'model: overloaded',
  'model: server',
  'model: auth',
  'model: permission',
  'model: not_found, no fallback',
  'model: not_found, fallback',
  'model: network',
  'model: bad_request',
  'model: refused_block',
  'model: stream reset',
  'model: stream closed early',
  'model: stall',
  'model: cut at the cap',
  'model: window full',
  'model: pause',
  'model: refusal',
  'model: empty answer',
  'model: port throws',
  'model: block unfinished',
  'model: blank text',
  'model: foreign block',
  'model: long retry-after',
  'model: x-should-retry',
  'model: rejects thinking',
  'model: fell back',
  'model: fell back twice',
  'thinking: disabled in a turn that lost it',
  'thinking: on again after such a turn',
  'context: over limit',
  'context: result replaced',
  'context: autocompact',
  'context: autocompact fails',
  'context: prepare throws',
  'context: local media throws',
  'context: drain',
  'context: drain commits nothing',
  'context: drain throws',
  'context: compact',
  'context: compact fails',
  'context: compact throws',
  'call: unknown tool',
  'call: bad JSON',
  'call: input rejected',
  'call: input invalid',
  'call: fails',
  'call: throws',
  'call: ignores abort',
  'call: aborted',
  'call: progress',
  'call: new context',
  'call: new tool in context',
  'call: new context throws',
  'call: sibling cancelled',
  'call: outlives an interrupt',
  'before: deny',
  'before: updated input',
  'before: context',
  'before: stop',
  'before: throws',
  'permission: deny',
  'permission: deny and interrupt',
  'permission: updated input',
  'permission: throws',
  'permission: question withdrawn',
  'after: context',
  'after: updated result',
  'after: stop',
  'after: throws',
  'turn end: block',
  'turn end: team blocks',
  'turn end: prevent',
  'turn end: throws',
  'turn end: StopFailure throws',
  'attach: queued command',
  'attach: reminder',
  'attach: throws',
  'ask: continue',
  'ask: stop',
  'summary: yielded',
  'summary: throws',
  'consumer: cancels at an event',
  'consumer: cancels at an await',
  'consumer: cancels at a time',
  'consumer: interrupts at an event',
  'consumer: interrupts at an await',
  'consumer: interrupts at a time',
  'consumer: leaves',
  'loop: prefix rewritten',
  'loop: intent without effect',
] as const;

export type Fault = (typeof FAULTS)[number];

/** The loop's own twelve terminals. */
export const LOOP_TERMINALS: readonly TerminalReason[] = TERMINAL_REASONS.filter(
  (reason) => reason !== 'max_budget_usd',
);

export class Hits {
  readonly transitions = new Map<TransitionReason, number>(TRANSITION_REASONS.map((reason) => [reason, 0]));
  readonly terminals = new Map<TerminalReason, number>(LOOP_TERMINALS.map((reason) => [reason, 0]));
  readonly faults = new Map<Fault, number>(FAULTS.map((fault) => [fault, 0]));
  runs = 0;
  requests = 0;
  events = 0;

  fault(fault: Fault): void {
    this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
  }

  add(other: HitCounts): void {
    this.runs += other.runs;
    this.requests += other.requests;
    this.events += other.events;
    addCounts(this.transitions, other.transitions);
    addCounts(this.terminals, other.terminals);
    addCounts(this.faults, other.faults);
  }

  /** For another process. */
  counts(): HitCounts {
    const { runs, requests, events } = this;
    return {
      runs,
      requests,
      events,
      transitions: [...this.transitions],
      terminals: [...this.terminals],
      faults: [...this.faults],
    };
  }

  /** Returns the events that never occurred. */
  missed(): string[] {
    const all = [...this.transitions, ...this.terminals, ...this.faults];
    return all.filter(([, count]) => count === 0).map(([name]) => name);
  }

  table(): string {
    const rows = (title: string, counts: Iterable<readonly [string, number]>) => [
      title,
      ...[...counts].map(([name, count]) => `${String(count).padStart(9)}  ${name}`),
    ];
    return [
      `${this.runs} runs, ${this.requests} requests, ${this.events} events`,
      ...rows('transitions', this.transitions),
      ...rows('terminals', this.terminals),
      ...rows('faults', this.faults),
    ].join('\n');
  }
}

export interface HitCounts {
  readonly runs: number;
  readonly requests: number;
  readonly events: number;
  readonly transitions: readonly (readonly [TransitionReason, number])[];
  readonly terminals: readonly (readonly [TerminalReason, number])[];
  readonly faults: readonly (readonly [Fault, number])[];
}

function addCounts<Name>(to: Map<Name, number>, counts: Iterable<readonly [Name, number]>): void {
  for (const [name, count] of counts) to.set(name, (to.get(name) ?? 0) + count);
}
