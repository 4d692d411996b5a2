/** A resumed session is measured with the window of its model and the last count of the server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SUMMARY_MARK } from '@heddle/context';
import type { ModelFacts } from '@heddle/core';
import { answer, call, fail, fakeTool, say, scriptedModel, type Script, usage } from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../create-agent.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';
import type { AgentOptions } from './options.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-window-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WINDOW = 1_000_000;
const CALLS = 20;
/** About 8,000 tokens each. */
const look = fakeTool({
  name: 'Look',
  compactable: true,
  run: ({ at }) => `seen ${Number(at)} in line ${Number(at)} of the file\n`.repeat(700),
});

const isSummary = (request: { readonly messages: { last(): { content: unknown } | undefined } }): boolean =>
  JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK);

function modelWith(script: Script, facts: ModelFacts | undefined) {
  const model = scriptedModel(script);
  return facts === undefined ? model : Object.assign(model, { factsOf: () => facts });
}

/** Looks twenty times, so that the session has about 160,000 tokens of results. */
const working: Script = (request, count) => {
  if (isSummary(request)) return say('## Intent\nContinue.');
  return count > CALLS
    ? answer(usage({ input_tokens: 150_000, output_tokens: 10 }), say('Done.'))
    : answer(usage({ input_tokens: count * 7_500 }), call('Look', { at: count }, `c${count}`));
};

function sessions() {
  const place = { configDir: folder, cwd: folder };
  const setup: OpenSetup = { place, version: 'test', durability: 'process', now: () => 1 };
  const open = (how: typeof newSession): Session => {
    const opened = how(setup, 's1');
    if (!opened.ok) throw new Error(opened.message);
    return opened.session;
  };
  return { begin: () => open(newSession), resume: () => open(resumeSession) };
}

function agentOf(
  model: ReturnType<typeof scriptedModel>,
  session: Session,
  more: Partial<AgentOptions> = {},
) {
  return createAgent({ model, modelName: 'scripted', tools: [look], cwd: folder, session, ...more });
}

async function run(agent: Agent, prompt: string): Promise<void> {
  for await (const line of agent.submit(prompt)) void line;
}

async function workedSession(facts: ModelFacts): Promise<Session> {
  const { begin, resume } = sessions();
  const session = begin();
  await run(agentOf(modelWith(working, facts), session), 'Look at everything.');
  session.journal.close();
  return resume();
}

describe('a resumed session', () => {
  it('on a model with a large window is not compacted, and keeps its tool outputs', async () => {
    const session = await workedSession({ contextWindow: WINDOW });
    const model = modelWith([say('I see.')], { contextWindow: WINDOW });
    await run(agentOf(model, session), 'And now?');
    expect(model.calls).toHaveLength(1);
    const sent = JSON.stringify([...(model.calls[0]?.request.messages ?? [])]);
    for (let at = 1; at <= CALLS; at++) expect(sent).toContain(`seen ${at} in line`);
  });

  it('waits for a window that takes time to load, before the first decision', async () => {
    const session = await workedSession({ contextWindow: WINDOW });
    let window = 50_000;
    const model = modelWith([say('I see.')], undefined);
    const agent = agentOf(model, session, {
      context: { windowOf: () => window },
      loadFacts: async () => {
        await new Promise(setImmediate);
        window = WINDOW;
      },
    });
    await run(agent, 'And now?');
    expect(model.calls).toHaveLength(1);
    expect(JSON.stringify([...(model.calls[0]?.request.messages ?? [])])).toContain('seen 1 in line');
  });

  it('that begins does not wait for it', async () => {
    const model = modelWith([say('Hello.')], undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    const agent = agentOf(model, sessions().begin(), { loadFacts: () => promise });
    await run(agent, 'Hi.');
    expect(model.calls).toHaveLength(1);
    resolve();
  });

  it('starts from what the server counted for its last answer', async () => {
    const session = await workedSession({ contextWindow: WINDOW });
    const agent = agentOf(modelWith([say('I see.')], { contextWindow: WINDOW }), session);
    const { state } = await agent.contextUsage();
    expect(state.tokens).toBe(150_010);
  });

  it('estimates what comes later by how the model counted before', async () => {
    const facts = { contextWindow: WINDOW };
    const estimated = await agentOf(modelWith([], facts), await workedSession(facts)).contextUsage();
    const real = 1.3 * estimated.used;
    const { begin, resume } = sessions();
    rmSync(folder, { recursive: true, force: true });
    const session = begin();
    const script: Script = (_request, count) =>
      count > CALLS
        ? answer(usage({ input_tokens: Math.round(real), output_tokens: 10 }), say('Done.'))
        : answer(usage({ input_tokens: 1 }), call('Look', { at: count }, `c${count}`));
    await run(agentOf(modelWith(script, facts), session), 'Look at everything.');
    session.journal.close();
    const agent = agentOf(modelWith([], facts), resume());
    const before = (await agent.contextUsage()).state.tokens;
    const text = 'seen 1 in line 1 of the file\n'.repeat(700);
    agent.add(text);
    const added = (await agent.contextUsage()).state.tokens - before;
    expect(added).toBeGreaterThan(1.2 * 7_000);
  });
});

describe('the scale of a model', () => {
  it('raises the estimate until the server has counted', async () => {
    const { begin } = sessions();
    const usageOf = async (tokenScale: number): Promise<number> => {
      const agent = agentOf(modelWith([], { contextWindow: WINDOW, tokenScale }), begin());
      agent.add('some words of the user '.repeat(1_000));
      rmSync(folder, { recursive: true, force: true });
      return (await agent.contextUsage()).state.tokens;
    };
    const plain = await usageOf(1);
    expect(await usageOf(1.35)).toBe(Math.round(plain * 1.35));
  });
});

describe('a window that the server states', () => {
  it('is learned: the conversation is compacted to fit, and later prompts are judged by it', async () => {
    const session = await workedSession({ contextWindow: WINDOW });
    const error = fail('overflow', {
      message: 'exceeds the available context size (60000 tokens)',
      window: 60_000,
    });
    const model = modelWith(
      (request, count) =>
        isSummary(request) ? say('## Intent\nLook.') : count === 1 ? error : say('I see.'),
      undefined,
    );
    const agent = agentOf(model, session, {
      context: { windowOf: () => WINDOW },
      config: { gates: { reactiveCompact: true } },
    });
    await run(agent, 'And now?');
    const usageNow = await agent.contextUsage();
    expect(usageNow.thresholds.window).toBe(60_000);
    expect(usageNow.state.tokens).toBeLessThan(60_000);
    agent.change({ requestOptions: { effort: 'low' } });
    expect((await agent.contextUsage()).thresholds.window).toBe(60_000);
  });
});
