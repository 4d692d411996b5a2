/** Side questions through the public surface: what they read, what they cost, and what they leave unchanged. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelRequest } from '@heddle/core';
import {
  answer,
  bodyOf,
  call,
  fakeTool,
  hang,
  say,
  type Script,
  scriptedModel,
  sessionCacheCost,
  usage,
} from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import { newSession, type OpenSetup, resumeSession } from '../session/open/open.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-fork-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const look = fakeTool({ name: 'Look', run: (_input, _context, at) => `line ${at} `.repeat(300) });

const isAside = (request: ModelRequest): boolean =>
  JSON.stringify(request.messages.last()?.content).includes('without interrupting the work');

/** So many calls in one answer that no look-back over twenty blocks reaches over the turn. */
const looks = Array.from({ length: 24 }, (_, index) => call('Look', { at: index }, `c${index}`));

/** Looks around, then answers. A side question is answered at once. */
const script: Script = (request) => {
  if (isAside(request)) return say('It looks around.');
  const isAnswered = request.messages.last()?.content.some(({ type }) => type === 'tool_result');
  return isAnswered ? say('Yes.') : looks;
};

function agentOf(steps: Script, options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(steps);
  const agent = createAgent({ model, modelName: 'scripted', tools: [look], cwd: folder, ...options });
  const run = async (prompt: string): Promise<void> => {
    for await (const line of agent.submit(prompt)) void line;
  };
  return { agent, model, run, requests: () => model.calls.map(({ request }) => request) };
}

/** The share of each side question that the caching calculator reads from the cache. */
function sharesRead(requests: readonly ModelRequest[]): number[] {
  const { bills } = sessionCacheCost(requests.map(bodyOf), { minimum: 100 });
  return bills.flatMap(({ cacheRead, cacheCreation, input }, index) => {
    const request = requests[index];
    return request && isAside(request) ? [cacheRead / (cacheRead + cacheCreation + input)] : [];
  });
}

describe('a side question reads more than 95 % from the cache', () => {
  it('between two prompts', async () => {
    const { agent, run, requests, model } = agentOf(script);
    await run('go');
    expect(await agent.askAside('What do you do?')).toEqual({ ok: true, text: 'It looks around.' });
    expect(sharesRead(requests())).toEqual([expect.closeTo(1, 1)]);
    expect(Math.min(...sharesRead(requests()))).toBeGreaterThan(0.95);
    model.assertNoViolations();
  });

  it('while a tool runs', async () => {
    const holding = Promise.withResolvers<string>();
    const began = Promise.withResolvers<void>();
    const hold = fakeTool({
      name: 'Hold',
      run: () => {
        began.resolve();
        return holding.promise;
      },
    });
    let turns = 0;
    const steps: Script = (request) => {
      if (isAside(request)) return say('It waits.');
      turns++;
      return turns === 1 ? looks : turns === 2 ? [say('Now I wait.'), call('Hold', {}, 'h1')] : say('Done.');
    };
    const { agent, run, requests, model } = agentOf(steps, { tools: [look, hold] });
    const running = run('go');
    await began.promise;
    expect(await agent.askAside('What do you do?')).toEqual({ ok: true, text: 'It waits.' });
    holding.resolve('held');
    await running;
    expect(Math.min(...sharesRead(requests()))).toBeGreaterThan(0.95);
    // The text of the unfinished round is there; its call has no result yet and is left out.
    const aside = JSON.stringify(requests().filter(isAside).map(bodyOf));
    expect(aside).toContain('Now I wait.');
    expect(aside).not.toContain('"h1"');
    model.assertNoViolations();
  });

  it('while the model streams', async () => {
    const streaming = Promise.withResolvers<void>();
    let turns = 0;
    const steps: Script = (request) => {
      if (isAside(request)) return say('It thinks.');
      turns++;
      if (turns === 1) return looks;
      streaming.resolve();
      return [say('A beginning.'), hang()];
    };
    const { agent, run, requests } = agentOf(steps);
    const running = run('go');
    await streaming.promise;
    expect(await agent.askAside('What do you do?')).toEqual({ ok: true, text: 'It thinks.' });
    agent.abort();
    await running;
    expect(Math.min(...sharesRead(requests()))).toBeGreaterThan(0.95);
  });

  it('at the start of a prompt', async () => {
    const held = Promise.withResolvers<void>();
    const accepted = Promise.withResolvers<void>();
    let prompts = 0;
    const { agent, run, requests } = agentOf(script, {
      onAccepted: async () => {
        if (++prompts < 2) return;
        accepted.resolve();
        await held.promise;
      },
    });
    await run('go');
    const running = run('again');
    await accepted.promise;
    await agent.askAside('What do you do?');
    held.resolve();
    await running;
    expect(Math.min(...sharesRead(requests()))).toBeGreaterThan(0.95);
  });

  it('after a resume', async () => {
    const setup: OpenSetup = {
      place: { configDir: folder, cwd: folder },
      version: '0',
      durability: 'process',
      now: () => 1,
    };
    const opened = newSession(setup, 's1');
    if (!opened.ok) throw new Error(opened.message);
    const first = agentOf(script, { session: opened.session });
    await first.run('go');
    opened.session.journal.close();
    const resumed = resumeSession(setup, 's1');
    if (!resumed.ok) throw new Error(resumed.message);
    const second = agentOf(script, { session: resumed.session });
    await second.agent.askAside('What do you do?');
    resumed.session.journal.close();
    const shares = sharesRead([...first.requests(), ...second.requests()]);
    expect(shares).toHaveLength(1);
    expect(Math.min(...shares)).toBeGreaterThan(0.95);
  });
});

describe('a side question', () => {
  it('leaves the conversation as it is, and is billed to the session', async () => {
    const steps: Script = (request) =>
      isAside(request) ? answer(usage({ input_tokens: 50 }), say('Aside.')) : say('Yes.');
    const { agent, run } = agentOf(steps, { price: (_model, used) => used.input_tokens / 100 });
    await run('go');
    const before = [...agent.messages];
    const costs = agent.spending.costUsd;
    await agent.askAside('Why?');
    expect([...agent.messages]).toEqual(before);
    expect(agent.spending.costUsd - costs).toBeCloseTo(0.5);
  });

  it('is refused when the budget is spent, and sends nothing', async () => {
    const steps: Script = () => answer(usage({ input_tokens: 100 }), say('Yes.'));
    const { agent, run, model } = agentOf(steps, { price: () => 1, maxBudgetUsd: 0.5 });
    await run('go');
    expect(await agent.askAside('Why?')).toEqual({
      ok: false,
      message: expect.stringContaining('budget'),
    });
    expect(model.calls).toHaveLength(1);
  });

  it('runs no tool: a call instead of an answer is asked for again, as text', async () => {
    let asides = 0;
    const steps: Script = (request) => {
      if (JSON.stringify(request.messages.last()?.content).includes('no tool runs here')) return say('Text.');
      if (!isAside(request)) return say('Yes.');
      asides++;
      return call('Look', {}, 'l1');
    };
    const { agent, run } = agentOf(steps);
    await run('go');
    const calls = look.calls.length;
    expect(await agent.askAside('Why?')).toEqual({ ok: true, text: 'Text.' });
    expect(asides).toBe(1);
    expect(look.calls).toHaveLength(calls);
  });

  it('ends when the conversation is aborted between two prompts', async () => {
    const asked = Promise.withResolvers<void>();
    const steps: Script = (request) => {
      if (!isAside(request)) return say('Yes.');
      asked.resolve();
      return hang();
    };
    const { agent, run } = agentOf(steps);
    await run('go');
    const aside = agent.askAside('Why?');
    await asked.promise;
    agent.abort();
    expect(await aside).toMatchObject({ ok: false });
  });

  it('reads the summary after a compaction', async () => {
    const steps: Script = (request) => {
      if (isAside(request)) return say('From the summary.');
      return JSON.stringify(request.messages.last()?.content).includes('Write the handoff now')
        ? say('## Intent\nThe secret word is loom.')
        : say('Yes.');
    };
    const { agent, run, requests } = agentOf(steps);
    await run('go');
    await agent.compact();
    await agent.askAside('Which word?');
    expect(JSON.stringify(requests().filter(isAside).map(bodyOf))).toContain('The secret word is loom.');
  });
});
