/** The planned doors beside tools and model: context, the end of a turn, attachments, questions, summaries. */
import {
  type AttachmentSources,
  type ContextDoor,
  type ContextReport,
  History,
  LocalMediaError,
  type Message,
  type MessageHistory,
  NO_OBJECTION,
  type QueryDeps,
  type StopHookOutcome,
  type TurnEnd,
} from '@heddle/core';
import type { RunPlan } from './plan.ts';
import type { World } from './world.ts';

/** Takes one after another; undefined when the list is used up. */
function taker<Item>(items: readonly Item[]): () => Item | undefined {
  let next = 0;
  return () => items[next++];
}

export interface PlannedDoors {
  readonly context: ContextDoor;
  readonly attachments: AttachmentSources;
  readonly turnEnd: TurnEnd;
  readonly askToGoOn: QueryDeps['askToGoOn'];
  readonly summariseTools: QueryDeps['summariseTools'];
}

export function plannedDoors(plan: RunPlan, world: World): PlannedDoors {
  const staging = new Staging(plan.staged);
  return {
    context: contextDoor(plan, world, staging),
    attachments: attachments(plan, world, staging),
    turnEnd: turnEnd(plan, world),
    ...questions(plan, world),
  };
}

/** Something new is staged only when a turn with tools is over. */
class Staging {
  readonly #next: () => boolean | undefined;
  #isStaged: boolean;

  constructor(staged: readonly boolean[]) {
    this.#next = taker(staged);
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

function contextDoor(plan: RunPlan, world: World, staging: Staging): ContextDoor {
  const nextPrepare = taker(plan.prepares);
  const nextDrain = taker(plan.drains);
  const nextCompaction = taker(plan.compactions);
  let summaries = 0;
  /** What a drain has folded into a summary: the messages before this place. */
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
      world.note({ what: 'door', door: 'prepare' });
      await world.wait(planned.waitMs);
      let now = messages;
      let outcome: 'idle' | 'failed' | 'compacted' = 'idle';
      if (does === 'throws' || does === 'throws_media') {
        world.hit(does === 'throws' ? 'context: prepare throws' : 'context: local media throws');
        throw does === 'throws' ? new Error('prepare broke') : new LocalMediaError('no such picture');
      }
      if (does === 'report') yield { report: reportOf('cached_microcompact', false) };
      if (does === 'autocompact' && autoCompact) {
        world.hit('context: autocompact');
        outcome = 'compacted';
        collapsed = undefined;
        now = History.of([summary()]);
        yield { report: reportOf('autocompact', true), messages: [...now] };
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
      world.note({ what: 'door', door: 'drain' });
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
      world.note({ what: 'door', door: 'compact' });
      await world.wait(50);
      if (does === 'throws') {
        world.hit('context: compact throws');
        throw new Error('compaction broke');
      }
      if (does === 'fails') {
        world.hit('context: compact fails');
        return { ok: false, why: 'it did not fit' };
      }
      world.hit('context: compact');
      staging.empty();
      collapsed = undefined;
      const messages = History.of([summary()]);
      return { ok: true, messages, replacedTokens: 100, report: reportOf('reactive_compact', true) };
    },
    staged: () => staging.isStaged,
  };
}

function reportOf(level: ContextReport['level'], rewrotePrefix: boolean): ContextReport {
  return { level, tokensBefore: 200, tokensAfter: 100, rewrotePrefix };
}

function attachments(plan: RunPlan, world: World, staging: Staging): AttachmentSources {
  const next = taker(plan.gatherings);
  let commands = 0;
  let turn = next();
  return {
    begin: () => undefined,
    takeQueued() {
      world.note({ what: 'door', door: 'take_queued' });
      const count = turn?.commands ?? 0;
      if (count > 0) world.hit('attach: queued command');
      return Array.from({ length: count }, () => {
        const commandId = `command${++commands}`;
        return { commandId, prompt: `Also <${commandId}>` };
      });
    },
    async gather() {
      const { finds, waitMs } = turn ?? { finds: 'nothing', waitMs: 0 };
      turn = next();
      world.note({ what: 'door', door: 'gather' });
      await world.wait(waitMs);
      staging.turnIsOver();
      switch (finds) {
        case 'nothing':
          return [];
        case 'reminder':
          world.hit('attach: reminder');
          return [{ kind: 'reminder', about: 'todo', text: 'Two things are left.' }];
        case 'file':
          return [{ kind: 'changed_file', path: 'a.ts', note: 'a.ts changed on disk' }];
        case 'throws':
          world.hit('attach: throws');
          throw new Error('gather broke');
      }
    },
  };
}

function turnEnd(plan: RunPlan, world: World): TurnEnd {
  const next = taker(plan.turnEnds);
  const failureThrows = plan.turnEnds.some(({ does }) => does === 'stop_failure_throws');
  let blocksOfTeam = false;
  const blocking = (message: string): StopHookOutcome => ({
    blockingErrors: [{ hook: 'guard', message }],
    preventContinuation: undefined,
  });
  return {
    saveCacheSafeParams: () => undefined,
    classifyJob: () => world.wait(0),
    suggestPrompt: () => undefined,
    extractMemories: () => undefined,
    consolidateMemories: () => undefined,
    releaseTurnResources: () => world.wait(0),
    async *userStopHooks() {
      const { does, waitMs, progress } = next() ?? { does: 'pass', waitMs: 0, progress: false };
      world.note({ what: 'door', door: 'stop_hooks' });
      if (progress) yield { type: 'hook_progress', hook: 'guard', text: 'looking' };
      await world.wait(waitMs);
      blocksOfTeam = does === 'team_blocks';
      switch (does) {
        case 'block':
          world.hit('turn end: block');
          return blocking('Test it.');
        case 'prevent':
          world.hit('turn end: prevent');
          return { blockingErrors: [], preventContinuation: { hook: 'guard', message: 'No more.' } };
        case 'throws':
          world.hit('turn end: throws');
          throw new Error('the stop hook broke');
        case 'pass':
        case 'team_blocks':
        case 'stop_failure_throws':
          return NO_OBJECTION;
      }
    },
    async *teamHooks() {
      await world.wait(0);
      if (!blocksOfTeam) return NO_OBJECTION;
      world.hit('turn end: team blocks');
      yield { type: 'hook_progress', hook: 'team', text: 'waiting' };
      return blocking('The task is not done.');
    },
    stopFailure() {
      world.tick();
      if (!failureThrows) return;
      world.hit('turn end: StopFailure throws');
      throw new Error('the failure hook broke');
    },
  };
}

function questions(plan: RunPlan, world: World): Pick<PlannedDoors, 'askToGoOn' | 'summariseTools'> {
  const nextAnswer = taker(plan.goOn);
  const nextSummary = taker(plan.summaries);
  let summaries = 0;
  return {
    async askToGoOn(_calls, signal) {
      world.note({ what: 'door', door: 'ask' });
      await world.wait(100, signal);
      const goOn = nextAnswer() ?? false;
      world.hit(goOn ? 'ask: go on' : 'ask: stop');
      return goOn;
    },
    async summariseTools(_calls, signal) {
      const does = nextSummary() ?? 'nothing';
      if (does === 'late') await world.wait(300, signal);
      if (does === 'nothing') return undefined;
      if (does !== 'throws') return `summary ${++summaries}`;
      world.hit('summary: throws');
      throw new Error('the small model broke');
    },
  };
}
