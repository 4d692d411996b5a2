/** Subagents that start as a copy of the conversation: what they read from the cache, and what they may not do. */
import { bodyOf, call, fakeTool, say, type Script, scriptedModel, sessionCacheCost } from '@heddle/testing';
import type { ModelRequest } from '@heddle/core';
import { createToolSearchTool } from '@heddle/tools';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import { newSession, resumeSession } from '../session/open/open.ts';
import { createSessionHome, sessionOf } from '../session/test/session-home.ts';

const look = fakeTool({ name: 'Look', run: (_input, _context, at) => `line ${at} `.repeat(300) });
const isCopy = (request: ModelRequest): boolean =>
  JSON.stringify([...request.messages]).includes('You are now a copy of the agent above');

const fork = call('Agent', { description: 'a fork', prompt: 'Count them.', subagent_type: 'fork' }, 't1');

/** So many calls in one answer that no look-back over twenty blocks reaches over the turn. */
const looks = Array.from({ length: 24 }, (_, index) => call('Look', { at: index }, `c${index}`));

async function run(steps: Script, more: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [look],
    cwd: '/',
    subagents: { definitions: () => BUILT_IN_AGENTS },
    ...more,
  });
  const lines: string[] = [];
  for await (const line of agent.submit('go')) lines.push(JSON.stringify(line));
  model.assertNoViolations();
  const requests = model.calls.map(({ request }) => request);
  return { requests, result: lines.findLast((line) => line.includes('"tool_use_id":"t1"')) ?? '' };
}

/** The parent looks around, then forks. The copy looks once more, and reports. */
const script: Script = (request, count) => {
  if (isCopy(request)) {
    const { content = [] } = request.messages.last() ?? {};
    const isAnswered = content.some(({ type }) => type === 'tool_result');
    return isAnswered ? say('There are 24.') : call('Look', { at: 99 }, 'l99');
  }
  return count === 1 ? looks : count === 2 ? [say('I fork.'), fork] : say('Done.');
};

describe('a fork of the conversation', () => {
  it('reads more than 95 % of its first request from the cache', async () => {
    const { requests, result } = await run(script);
    const { bills } = sessionCacheCost(requests.map(bodyOf), { minimum: 100 });
    const first = requests.findIndex(isCopy);
    const { cacheRead = 0, cacheCreation = 0, input = 0 } = bills[first] ?? {};
    expect(cacheRead / (cacheRead + cacheCreation + input)).toBeGreaterThan(0.95);
    expect(result).toContain('There are 24.');
    // The call that started it has no result there, so the copy does not see it.
    expect(JSON.stringify([...(requests[first]?.messages ?? [])])).not.toContain('"t1"');
    expect(requests[first]?.tools).toEqual(requests[0]?.tools);
    expect(requests[first]?.system).toEqual(requests[0]?.system);
  });

  it('has the model of its parent, and cannot start agents', async () => {
    const nested = call('Agent', { description: 'one more', prompt: 'x' }, 'n1');
    const { requests, result } = await run((request, count) => {
      if (isCopy(request))
        return JSON.stringify([...request.messages]).includes('is not available to a subagent')
          ? say('Not allowed.')
          : nested;
      return count === 1 ? fork : say('Done.');
    });
    expect(new Set(requests.map(({ model }) => model))).toEqual(new Set(['scripted']));
    expect(result).toContain('Not allowed.');
  });

  it('cannot load tools of the main conversation, and its requests list the same tools', async () => {
    const names = ['ExitPlanMode', 'TeamCreate', 'CronCreate', 'Look'];
    const deferred = names.map((name) => fakeTool({ name, run: () => `${name} ran` }));
    const steps = ['ExitPlanMode', 'TeamCreate', 'CronCreate'].flatMap((name, index) => [
      call('ToolSearch', { query: `select:${name},Look` }, `s${index}`),
      call(name, {}, `n${index}`),
    ]);
    let step = 0;
    const { requests } = await run(
      (request, count) => {
        if (isCopy(request)) return steps[step++] ?? say('Done.');
        return count === 1 ? fork : say('Done.');
      },
      { tools: [createToolSearchTool(deferred)], deferredTools: () => deferred },
    );
    const last = requests.findLast(isCopy);
    expect(JSON.stringify([...(last?.messages ?? [])])).not.toMatch(/ ran/);
    expect(JSON.stringify([...(last?.messages ?? [])])).toContain('Look: ');
    expect(requests.find(isCopy)?.tools).toEqual(requests[0]?.tools);
  });

  it('continues with a message in a later process, with the copied conversation', async () => {
    const home = createSessionHome();
    const session = sessionOf(newSession(home.setup, 's1'));
    const { requests: before, result } = await run(script, { session });
    session.journal.close();
    // Also a session with a file has the conversation before it is read again.
    expect(JSON.stringify([...(before.find(isCopy)?.messages ?? [])])).toContain('"tool_use_id":"c23"');
    const [, agentId = ''] = /agentId: (\w+)/.exec(result) ?? [];
    const again = sessionOf(resumeSession(home.setup, 's1'));
    const { requests } = await run(
      (request) => {
        const text = JSON.stringify(request.messages.last());
        if (isCopy(request)) return say('Still 24.');
        return text.includes('Still 24.')
          ? say('Done.')
          : call('SendMessage', { to: agentId, message: 'Sure?' }, 'm1');
      },
      { session: again },
    );
    again.journal.close();
    const copy = JSON.stringify([...(requests.find(isCopy)?.messages ?? [])]);
    expect(copy).toContain('Sure?');
    expect(copy.match(/"tool_use_id":"c23"/g)).toHaveLength(1);
    expect(copy.match(/You are now a copy/g)).toHaveLength(1);
  });
});
