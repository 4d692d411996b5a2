/**
 * The planned ports other than tools, model and context: the end of a turn, attachments, questions,
 * summaries.
 */
import {
  type AttachmentMessage,
  type AttachmentSources,
  type ContextPort,
  NO_STOP_HOOK_RESULT,
  type QueryDeps,
  type StopHookOutcome,
  type TurnEndPort,
} from '@heddle/core';
import { plannedContextPort, PlannedStaging } from './context.ts';
import type { RunPlan } from './plan.ts';
import { createTaker } from './taker.ts';
import type { TestWorld } from './world.ts';

export interface PlannedDeps {
  readonly context: ContextPort;
  readonly attachments: AttachmentSources;
  readonly turnEnd: TurnEndPort;
  readonly askToContinue: QueryDeps['askToContinue'];
  readonly summarizeTools: QueryDeps['summarizeTools'];
}

export function plannedDeps(plan: RunPlan, world: TestWorld): PlannedDeps {
  const staging = new PlannedStaging(plan.staged);
  return {
    context: plannedContextPort(plan, world, staging),
    attachments: attachments(plan, world, staging),
    turnEnd: turnEnd(plan, world),
    ...questions(plan, world),
  };
}

function attachments(plan: RunPlan, world: TestWorld, staging: PlannedStaging): AttachmentSources {
  const next = createTaker(plan.gatherings);
  let commands = 0;
  let turn = next();
  return {
    begin: () => undefined,
    takeQueued() {
      world.note({ what: 'port', port: 'take_queued' });
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
      world.note({ what: 'port', port: 'gather' });
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

function turnEnd(plan: RunPlan, world: TestWorld): TurnEndPort {
  const next = createTaker(plan.turnEnds);
  const failureThrows = plan.turnEnds.some(({ does }) => does === 'stop_failure_throws');
  let blocksOfTeam = false;
  let remarks = 0;
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
      world.note({ what: 'port', port: 'stop_hooks' });
      if (progress) {
        yield { type: 'hook_progress', hook: 'guard', text: 'looking' };
        yield { type: 'message', message: remark(++remarks) };
      }
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
          return NO_STOP_HOOK_RESULT;
      }
    },
    async *teamHooks() {
      await world.wait(0);
      if (!blocksOfTeam) return NO_STOP_HOOK_RESULT;
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

/** Stored like every message, so it must be sent like one if the run continues. */
function remark(count: number): AttachmentMessage {
  const attachment = {
    kind: 'reminder',
    about: 'hook',
    text: `The guard has looked ${count} times.`,
  } as const;
  return { type: 'attachment', uuid: `remark${count}`, at: 0, attachment };
}

function questions(plan: RunPlan, world: TestWorld): Pick<PlannedDeps, 'askToContinue' | 'summarizeTools'> {
  const nextAnswer = createTaker(plan.continues);
  const nextSummary = createTaker(plan.summaries);
  let summaries = 0;
  return {
    async askToContinue(_calls, signal) {
      world.note({ what: 'port', port: 'ask' });
      await world.wait(100, signal);
      const continues = nextAnswer() ?? false;
      world.hit(continues ? 'ask: continue' : 'ask: stop');
      return continues;
    },
    async summarizeTools(_calls, signal) {
      const does = nextSummary() ?? 'nothing';
      if (does === 'late') await world.wait(300, signal);
      if (does === 'nothing') return undefined;
      if (does !== 'throws') return `summary ${++summaries}`;
      world.hit('summary: throws');
      throw new Error('the small model broke');
    },
  };
}
