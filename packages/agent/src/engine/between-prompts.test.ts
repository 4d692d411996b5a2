/** Changes that a host may make between two prompts of one conversation. */
import type { PermissionMode } from '@heddle/core';
import { call, fakeTool, say, scriptedModel } from '@heddle/testing';
import { describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../create-agent.ts';
import { LivePermissions } from '../permission/live-permissions.ts';
import { NO_RULES } from '../permission/rules/rule.ts';
import type { AgentOptions } from './options.ts';

function options(model: ReturnType<typeof scriptedModel>, more: Partial<AgentOptions> = {}): AgentOptions {
  return { model, modelName: 'one', tools: [], cwd: '/', ...more };
}

async function submit(agent: Agent, prompt: string): Promise<void> {
  for await (const _ of agent.submit(prompt)) void _;
}

describe('between two prompts', () => {
  it('another model takes over, and what was allowed stays allowed', async () => {
    const change = fakeTool({ name: 'Change', readOnly: false });
    const first = scriptedModel([call('Change', {}, 'c1'), say('One.')]);
    const second = scriptedModel([call('Change', {}, 'c2'), say('Two.')]);
    let asked = 0;
    const rule = { toolName: 'Change' };
    const canUseTool: AgentOptions['canUseTool'] = () => {
      asked++;
      const update = { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' } as const;
      return Promise.resolve({ allow: true, updates: [update] });
    };
    const agent = createAgent(options(first, { tools: [change], canUseTool }));
    await submit(agent, 'go');
    agent.change({ model: second, modelName: 'two', requestOptions: { effort: 'high' } });
    await submit(agent, 'again');
    expect(second.calls[0]?.request).toMatchObject({ model: 'two', options: { effort: 'high' } });
    expect(asked).toBe(1);
    expect(change.calls).toHaveLength(2);
    second.assertNoViolations();
  });

  it('the mode changes, but bypassPermissions only where that was allowed at the start', () => {
    const agent = createAgent(options(scriptedModel([])));
    expect(agent.permissionMode).toBe('default');
    expect(agent.setPermissionMode('plan')).toBe(true);
    expect(agent.setPermissionMode('bypassPermissions')).toBe(false);
    expect(agent.permissionMode).toBe('plan');
    const rules = new LivePermissions(NO_RULES, [], { mayBypass: true });
    expect(createAgent(options(scriptedModel([]), { rules })).setPermissionMode('bypassPermissions')).toBe(
      true,
    );
  });

  it('a mode that a tool set is the newest word, also over one that an answer had set', async () => {
    const planning = (mode: PermissionMode) =>
      fakeTool({ name: 'Plan', newContext: (context) => ({ ...context, permissionMode: mode }) });
    const model = scriptedModel([call('Plan', {}, 'p1'), say('Planning.')]);
    const agent = createAgent(options(model, { tools: [planning('plan')] }));
    agent.setPermissionMode('acceptEdits');
    await submit(agent, 'go');
    expect(agent.permissionMode).toBe('plan');
  });

  it('what the user did on their own joins the conversation, and no model is asked', async () => {
    const model = scriptedModel([say('I see.')]);
    const agent = createAgent(options(model));
    expect(agent.add('I ran the tests.')).toEqual({ ok: true });
    expect(model.calls).toEqual([]);
    await submit(agent, 'and?');
    expect(JSON.stringify([...(model.calls[0]?.request.messages ?? [])])).toContain('I ran the tests.');
    model.assertNoViolations();
  });

  it('rewindBefore removes a prompt and all later messages, also the first prompt', async () => {
    const model = scriptedModel([say('One.'), say('Two.'), say('Three.')]);
    const agent = createAgent(options(model));
    await submit(agent, 'first');
    await submit(agent, 'second');
    const prompts = [...agent.messages].filter((message) => message.type === 'user');
    expect(agent.rewindBefore(prompts[1]?.uuid ?? '')).toEqual({ ok: true });
    expect([...agent.messages].map(({ type }) => type)).toEqual(['user', 'assistant']);
    expect(agent.rewindBefore(prompts[0]?.uuid ?? '')).toEqual({ ok: true });
    expect(agent.messages.length).toBe(0);
    expect(agent.rewindBefore('unknown')).toMatchObject({ ok: false });
    await submit(agent, 'third');
    expect(JSON.stringify([...(model.calls[2]?.request.messages ?? [])])).not.toContain('first');
    model.assertNoViolations();
  });

  it('the bill of the conversation can be looked at', async () => {
    const agent = createAgent(options(scriptedModel([say('One.')]), { price: () => 0.5 }));
    await submit(agent, 'go');
    expect(agent.spending).toMatchObject({ costUsd: 0.5, models: { one: { costUSD: 0.5 } } });
  });
});
