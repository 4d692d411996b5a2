/** The planned context port: autocompaction, drains and compactions that succeed, fail and throw. */
import {
  type ContextPort,
  type ContextReport,
  History,
  LocalMediaError,
  type Message,
  type MessageHistory,
  NO_USAGE,
} from '@heddle/core';
import type { RunPlan } from './plan.ts';
import { createTaker } from './taker.ts';
import type { TestWorld } from './world.ts';

/** New collapses are staged only at the end of a turn with tools. */
export class PlannedStaging {
  readonly #next: () => boolean | undefined;
  #isStaged: boolean;

  constructor(staged: readonly boolean[]) {
    this.#next = createTaker(staged);
    this.#isStaged = this.#next() ?? false;
  }

  get isStaged(): boolean {
    return this.#isStaged;
  }

  empty(): void {
    this.#isStaged = false;
  }

  turnIsOver(): void {
    this.#isStaged ||= this.#next() ?? false;
  }
}

export function plannedContextPort(plan: RunPlan, world: TestWorld, staging: PlannedStaging): ContextPort {
  const nextPrepare = createTaker(plan.prepares);
  const nextDrain = createTaker(plan.drains);
  const nextCompaction = createTaker(plan.compactions);
  let summaries = 0;
  /** The result of a drain: the messages before this place became a summary. */
  let collapsed: { readonly upTo: number; readonly summary: Message } | undefined;
  let last: MessageHistory = History.of<Message>([]);

  const summary = (): Message => ({
    type: 'user',
    uuid: `summary${++summaries}`,
    at: 0,
    content: `Summary ${summaries}: work was done.`,
    isMeta: true,
  });
  const viewOf = (messages: MessageHistory): MessageHistory => {
    if (collapsed === undefined || messages.length < collapsed.upTo) return messages;
    return History.of([collapsed.summary, ...messages.since(collapsed.upTo)]);
  };

  return {
    async *prepare({ messages, autoCompact }) {
      const planned = nextPrepare() ?? { does: 'pass', waitMs: 0 };
      const { does } = planned;
      world.note({ what: 'port', port: 'prepare' });
      await world.wait(planned.waitMs);
      let now = messages;
      let outcome: 'idle' | 'failed' | 'compacted' = 'idle';
      if (does === 'throws' || does === 'throws_media') {
        world.hit(does === 'throws' ? 'context: prepare throws' : 'context: local media throws');
        throw does === 'throws' ? new Error('prepare broke') : new LocalMediaError('no such picture');
      }
      if (does === 'report') yield { report: reportOf('cached_microcompact', false) };
      const shorter = does === 'replaces' ? shortened(messages) : undefined;
      if (shorter !== undefined) {
        world.hit('context: result replaced');
        now = History.of([...messages].map((message) => (message.uuid === shorter.uuid ? shorter : message)));
        yield { report: reportOf('tool_result_budget', true), replaced: [shorter] };
      }
      if (does === 'autocompact' && autoCompact) {
        world.hit('context: autocompact');
        outcome = 'compacted';
        collapsed = undefined;
        now = History.of([summary()]);
        yield { report: reportOf('autocompact', true), messages: [...now], spent: SPENT };
      }
      if (does === 'autocompact_fails' && autoCompact) {
        world.hit('context: autocompact fails');
        outcome = 'failed';
      }
      if (does === 'over_limit') world.hit('context: over limit');
      last = now;
      return {
        messages: now,
        view: viewOf(now),
        overLimit: does === 'over_limit',
        autoCompact: outcome === 'compacted' ? { outcome, id: 'auto', replacedTokens: 100 } : { outcome },
      };
    },
    async drain() {
      const does = nextDrain() ?? 'commits';
      world.note({ what: 'port', port: 'drain' });
      await world.wait(5);
      if (does === 'throws') {
        world.hit('context: drain throws');
        throw new Error('drain broke');
      }
      if (does === 'commits_nothing') {
        world.hit('context: drain commits nothing');
        return { committed: 0, report: undefined };
      }
      world.hit('context: drain');
      staging.empty();
      collapsed = { upTo: last.length, summary: summary() };
      return { committed: 1, report: reportOf('drain', true) };
    },
    async compact() {
      const does = nextCompaction() ?? 'works';
      world.note({ what: 'port', port: 'compact' });
      await world.wait(50);
      if (does === 'throws') {
        world.hit('context: compact throws');
        throw new Error('compaction broke');
      }
      if (does === 'fails') {
        world.hit('context: compact fails');
        return { ok: false, why: 'it did not fit', spent: SPENT };
      }
      world.hit('context: compact');
      staging.empty();
      collapsed = undefined;
      const messages = History.of([summary()]);
      return {
        ok: true,
        id: 'reactive',
        messages,
        replacedTokens: 100,
        report: reportOf('reactive_compact', true),
        spent: SPENT,
      };
    },
    answered: () => undefined,
    learnWindow: () => undefined,
    staged: () => staging.isStaged,
  };
}

/** The usage of a level's own call, by a model that the conversation never uses. */
export const SUMMARIZER = 'scripted-small';
const SPENT = [{ model: SUMMARIZER, usage: { ...NO_USAGE, input_tokens: 100, output_tokens: 10 } }];

/** Returns the first message with a result, shortened. */
function shortened(messages: MessageHistory): Message | undefined {
  for (const message of messages) {
    if (message.type !== 'user' || typeof message.content === 'string') continue;
    const content = message.content.map((block) =>
      block.type === 'tool_result' ? { ...block, content: 'in short' } : block,
    );
    if (content.some(({ type }) => type === 'tool_result')) return { ...message, content };
  }
  return undefined;
}

function reportOf(level: ContextReport['level'], rewrotePrefix: boolean): ContextReport {
  return { level, tokensBefore: 200, tokensAfter: 100, rewrotePrefix };
}
