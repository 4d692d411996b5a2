/** Compactions from prompt to prompt: what they remember of one another, what they cost, and what clients are told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SUMMARY_MARK } from '@heddle/context';
import type { LoopEvent, ModelRequest } from '@heddle/core';
import {
  answer,
  sessionCacheCost,
  bodyOf,
  call,
  fail,
  fakeTool,
  say,
  type Script,
  scriptedModel,
  usage,
} from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgent } from '../create-agent.ts';
import type { AgentOptions } from '../engine/options.ts';
import type { SdkMessage } from '../sdk/message.ts';
import { newSession, type OpenSetup, resumeSession, type Session } from '../session/open/open.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-compactions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const look = fakeTool({ name: 'Look', run: (_input, _context, at) => `line ${at} `.repeat(300) });

function isSummary(request: ModelRequest): boolean {
  return JSON.stringify(request.messages.last()?.content).includes(SUMMARY_MARK);
}

function agentOf(script: Script, options: Partial<AgentOptions> = {}) {
  const reports: Extract<LoopEvent, { type: 'context' }>['report'][] = [];
  const model = scriptedModel(script);
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [look],
    cwd: folder,
    onEvent: (event) => {
      if (event.type === 'context') reports.push(event.report);
    },
    ...options,
  });
  return { agent, model, reports };
}

async function linesOf(lines: AsyncIterable<SdkMessage>): Promise<SdkMessage[]> {
  const all: SdkMessage[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('a compaction', () => {
  it('names the one before it and the turns since, in later prompts, too', async () => {
    const { agent, reports } = agentOf((request) =>
      isSummary(request) ? say('## Intent\nContinue.') : say('Yes.'),
    );
    await linesOf(agent.submit('one'));
    await agent.compact();
    await linesOf(agent.submit('two'));
    await linesOf(agent.submit('three'));
    await agent.compact();
    const [first, second] = reports.map(({ details }) => details);
    expect(first).not.toHaveProperty('previousId');
    expect(second).toMatchObject({ previousId: first?.['id'], turnsSince: 2, failures: 0 });
  });

  it('of a short conversation is done because the user asks for it, and tells how much is left', async () => {
    const { agent } = agentOf((request) =>
      isSummary(request) ? say('## Intent\nContinue.') : say('Hello.'),
    );
    await linesOf(agent.submit('hi'));
    const lines = await linesOf(agent.submit('/compact'));
    expect(lines.find((line) => line.type === 'system' && line.subtype === 'compact_boundary')).toMatchObject(
      {
        compact_metadata: { trigger: 'manual', post_tokens: agentTokens(await agent.contextUsage()) },
      },
    );
    expect(lines.at(-1)).toMatchObject({ is_error: false, local_command: 'compact' });
  });

  it('is not tried a fourth time after three failures, in whichever prompts they were', async () => {
    const window = 20_000;
    let summaries = 0;
    const { agent } = agentOf(
      (request) => {
        if (!isSummary(request)) return answer(usage({ input_tokens: 18_500 }), say('Yes.'));
        summaries++;
        return fail('bad_request');
      },
      {
        context: {
          windowOf: () => window,
          reservedOutput: 500,
          levels: { microcompact: false, reducer: false },
        },
      },
    );
    for (let prompt = 0; prompt < 6; prompt++) await linesOf(agent.submit(`more ${'words '.repeat(400)}`));
    expect(summaries).toBe(3);
  });
});

describe('the summary of a conversation reads what is cached', () => {
  const SMALL = { minimum: 100 };
  /** So many calls in one answer that no look-back over twenty blocks reaches over the turn. */
  const looks = (turn: number) =>
    Array.from({ length: 24 }, (_, index) => call('Look', { at: index }, `c${turn}-${index}`));
  const script: Script = (request, count) => {
    if (isSummary(request)) return say('## Intent\nContinue.');
    const isAnswered = request.messages.last()?.content.some(({ type }) => type === 'tool_result');
    return isAnswered ? say('Yes.') : looks(count);
  };

  it('at /compact', async () => {
    const { agent, model } = agentOf(script);
    await linesOf(agent.submit('go'));
    await agent.compact();
    expect(shareOfSummary(model.calls.map(({ request }) => request))).toBeGreaterThan(0.95);
  });

  it('at the start of a prompt', async () => {
    const asked: string[] = [];
    const counted: Script = (request, count) => {
      asked.push(isSummary(request) ? 'summary' : 'answer');
      if (isSummary(request)) return say('## Intent\nContinue.');
      // The window is nearly full at the end of the first prompt.
      if (count === 1) return looks(count);
      return count === 2 ? answer(usage({ input_tokens: 60_000 }), say('Yes.')) : say('Yes.');
    };
    const { agent, model } = agentOf(counted, {
      context: { windowOf: () => 64_000, reservedOutput: 2_000, levels: { microcompact: false } },
    });
    await linesOf(agent.submit('go'));
    await linesOf(agent.submit('continue'));
    expect(asked).toEqual(['answer', 'answer', 'summary', 'answer']);
    expect(shareOfSummary(model.calls.map(({ request }) => request))).toBeGreaterThan(0.95);
  });

  it('after a resume', async () => {
    const { setup, session } = onDisk();
    const first = agentOf(script, { session });
    await linesOf(first.agent.submit('go'));
    session.journal.close();
    const resumed = resumeSession(setup, 's1');
    if (!resumed.ok) throw new Error(resumed.message);
    const second = agentOf(script, { session: resumed.session });
    await second.agent.compact();
    const requests = [...first.model.calls, ...second.model.calls].map(({ request }) => request);
    resumed.session.journal.close();
    expect(shareOfSummary(requests)).toBeGreaterThan(0.95);
  });

  function shareOfSummary(requests: readonly ModelRequest[]): number {
    const at = requests.findIndex(isSummary);
    const { bills } = sessionCacheCost(requests.map(bodyOf), SMALL);
    const { cacheRead = 0, cacheCreation = 0, input = 0 } = bills[at] ?? {};
    return cacheRead / (cacheRead + cacheCreation + input);
  }
});

function agentTokens({ state }: { readonly state: { readonly tokens: number } }): number {
  return state.tokens;
}

function onDisk(): { setup: OpenSetup; session: Session } {
  const place = { configDir: folder, cwd: folder };
  const setup: OpenSetup = { place, version: '0', durability: 'process', now: () => 1 };
  const opened = newSession(setup, 's1');
  if (!opened.ok) throw new Error(opened.message);
  return { setup, session: opened.session };
}
