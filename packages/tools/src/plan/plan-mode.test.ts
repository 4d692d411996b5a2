import type { PermissionMode } from '@heddle/core';
import { contextOf } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { createPlanTools, type PlanDeps } from './plan-mode.ts';

async function plan(deps: PlanDeps, startIn: PermissionMode = 'acceptEdits') {
  const [enter, exit] = createPlanTools(deps);
  const started = contextOf({ permissionMode: startIn });
  const entered = await enter.call({}, { ...started, toolUseId: 'p1' }, () => undefined);
  const planning = entered.newContext?.(started) ?? started;
  const left = await exit.call({ plan: 'First this.' }, { ...planning, toolUseId: 'p2' }, () => undefined);
  const after = left.newContext?.(planning) ?? planning;
  return {
    planning: planning.permissionMode,
    after: after.permissionMode,
    content: exit.toResult(left.data).content,
  };
}

describe('plan mode', () => {
  it('returns to the previous mode when the user approves the plan', async () => {
    const approvePlan = () => Promise.resolve({ approved: true as const });
    expect(await plan({ approvePlan })).toEqual({
      planning: 'plan',
      after: 'acceptEdits',
      content: 'The user approved the plan. Carry it out.',
    });
  });

  it('returns to the mode that the user set during the turn', async () => {
    const deps = { permissionApproves: true, currentMode: () => 'default' as const };
    expect((await plan(deps, 'bypassPermissions')).after).toBe('default');
  });

  it('can be left if the user chose it during the turn, for the mode before', async () => {
    const chosen: PermissionMode[] = [];
    const [enter, exit] = createPlanTools({
      permissionApproves: true,
      currentMode: () => 'plan',
      changeMode: (mode) => chosen.push(mode) > 0,
    });
    const context = { ...contextOf({ permissionMode: 'acceptEdits' }), toolUseId: 'p1' };
    expect(await enter.validateInput?.({}, context)).toMatchObject({ ok: false });
    expect(await exit.validateInput?.({ plan: 'x' }, context)).toEqual({ ok: true });
    const left = await exit.call({ plan: 'x' }, context, () => undefined);
    expect([left.data.mode, left.newContext?.(context).permissionMode]).toEqual([
      'acceptEdits',
      'acceptEdits',
    ]);
    expect(chosen).toEqual(['acceptEdits']);
  });

  it('is left for the default mode if the mode before is no longer available', async () => {
    const [, exit] = createPlanTools({
      permissionApproves: true,
      currentMode: () => 'plan',
      changeMode: (mode) => mode === 'default',
    });
    const context = { ...contextOf({ permissionMode: 'bypassPermissions' }), toolUseId: 'p1' };
    expect((await exit.call({ plan: 'x' }, context, () => undefined)).data.mode).toBe('default');
  });

  it.each([
    { isChosen: true, before: 'acceptEdits', after: 'acceptEdits' },
    { isChosen: true, before: 'bypassPermissions', after: 'default' },
    { isChosen: true, before: undefined, after: 'default' },
    { isChosen: false, before: 'default', after: 'bypassPermissions' },
  ] as const)('that began as $isChosen after $before is left for $after', async ({ after, ...start }) => {
    const deps: PlanDeps = { permissionApproves: true, planStart: () => start };
    expect((await plan(deps, 'bypassPermissions')).after).toBe(after);
  });

  it('is left for the default mode if it is unknown how it began', async () => {
    const deps: PlanDeps = { permissionApproves: true, planStart: () => undefined };
    expect((await plan(deps, 'bypassPermissions')).after).toBe('default');
  });

  it('of the conversation does not concern a subagent', async () => {
    const [, exit] = createPlanTools({ permissionApproves: true, currentMode: () => 'plan' });
    const context = { ...contextOf({ permissionMode: 'default' }), agentId: 'a1' };
    expect(await exit.validateInput?.({ plan: 'x' }, context)).toMatchObject({ ok: false });
  });

  it('changes to the mode that the user chose', async () => {
    const approvePlan = () => Promise.resolve({ approved: true as const, mode: 'default' as const });
    expect((await plan({ approvePlan })).after).toBe('default');
  });

  it('stays when the user asks for another plan', async () => {
    const approvePlan = () => Promise.resolve({ approved: false as const, feedback: 'Tests first.' });
    expect(await plan({ approvePlan })).toMatchObject({
      after: 'plan',
      content: expect.stringMatching(/: Tests first\./),
    });
  });

  it('ends if the permission host approves the plan with the call', async () => {
    expect((await plan({ permissionApproves: true })).after).toBe('acceptEdits');
  });

  it('cannot be left if there is no user to approve the plan', async () => {
    await expect(plan({})).rejects.toThrow(/There is no user to approve the plan/);
  });

  it('does not wait for an answer after an abort', async () => {
    const [, exit] = createPlanTools({ approvePlan: () => Promise.withResolvers<never>().promise });
    const context = {
      ...contextOf({ permissionMode: 'plan', signal: AbortSignal.abort() }),
      toolUseId: 'p1',
    };
    await expect(exit.call({ plan: 'x' }, context, () => undefined)).rejects.toThrow(/Interrupted/);
  });

  it('is entered only from outside and left only from inside', async () => {
    const [enter, exit] = createPlanTools();
    expect(await enter.validateInput?.({}, contextOf({ permissionMode: 'plan' }))).toMatchObject({
      ok: false,
    });
    expect(await exit.validateInput?.({ plan: 'x' }, contextOf())).toMatchObject({ ok: false });
  });

  it.each([{}, { plan: '' }, { plan: 1 }])('rejects the plan %j', async (input) => {
    const [enter, exit] = createPlanTools();
    expect((await exit.inputSchema()).safeParse(input).success).toBe(false);
    expect((await enter.inputSchema()).safeParse({ now: true }).success).toBe(false);
  });
});
