/** The planned hooks around a call, and the planned permission. */
import type { AuthorizeCall, ToolHooks } from '@heddle/core';
import { stopMessage } from '../deps/hooks.ts';
import { plannedOutcomeOf, type PlannedOutcomes } from './planned-outcomes.ts';
import type { TestWorld } from './world.ts';

export function plannedHooks(fates: PlannedOutcomes, world: TestWorld): ToolHooks {
  return {
    async before({ toolUseId: id, input }, signal) {
      const { does, waitMs } = plannedOutcomeOf(fates, id).before;
      world.note({ what: 'before_hook', id });
      await world.wait(waitMs, signal);
      switch (does) {
        case 'pass':
          return {};
        case 'allow':
          return { decision: 'allow' };
        case 'deny':
          world.hit('before: deny');
          return { decision: 'deny', message: 'not today' };
        case 'updated_input':
          world.hit('before: updated input');
          return { updatedInput: { ...input, writes: true } };
        case 'context':
          world.hit('before: context');
          return { additionalContext: 'mind the gap' };
        case 'stop':
          world.hit('before: stop');
          return { stop: stopMessage('enough') };
        case 'throws':
          world.hit('before: throws');
          throw new Error('the hook broke');
      }
    },
    async after({ toolUseId: id }, result, signal) {
      const { does, waitMs } = plannedOutcomeOf(fates, id).after;
      await world.wait(waitMs, signal);
      switch (does) {
        case 'pass':
          return {};
        case 'context':
          world.hit('after: context');
          return { additionalContext: 'well done' };
        case 'updated_result':
          world.hit('after: updated result');
          return { updatedResult: { ...result, content: 'as a hook saw it' } };
        case 'stop':
          world.hit('after: stop');
          return { stop: stopMessage('enough') };
        case 'throws':
          world.hit('after: throws');
          throw new Error('the hook broke');
      }
    },
    async afterFailure({ toolUseId: id }, _message, signal) {
      const { does, waitMs } = plannedOutcomeOf(fates, id).after;
      await world.wait(waitMs, signal);
      return does === 'stop' ? { stop: stopMessage('enough') } : {};
    },
  };
}

export function plannedPermission(fates: PlannedOutcomes, world: TestWorld): AuthorizeCall {
  return async (_tool, input, _context, { toolUseId: id, signal, answered }) => {
    // The planned decision was already made. No rule rejects its changed input.
    if (answered) return { behavior: 'allow' };
    const { does, waitMs } = plannedOutcomeOf(fates, id).permission;
    world.note({ what: 'question', id, signal });
    await world.wait(waitMs, signal);
    if (signal.aborted) world.hit('permission: question withdrawn');
    world.note({ what: 'question_end', id, interrupts: does === 'interrupt' && !signal.aborted });
    switch (does) {
      case 'allow':
        return { behavior: 'allow' };
      case 'deny':
        world.hit('permission: deny');
        return { behavior: 'deny', message: 'no' };
      case 'interrupt':
        world.hit('permission: deny and interrupt');
        return { behavior: 'deny', message: 'no, and stop', interrupt: true };
      case 'updated_input':
        world.hit('permission: updated input');
        return { behavior: 'allow', updatedInput: { ...input, writes: true } };
      case 'throws':
        world.hit('permission: throws');
        throw new Error('unknown reason');
    }
  };
}
