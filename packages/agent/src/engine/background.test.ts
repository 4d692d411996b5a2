/** Work beside a conversation, through the public surface: suggestions, memory, sentences about calls, resources of a turn. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelRequest } from '@heddle/core';
import {
  answer,
  bodyOf,
  call,
  createClock,
  createTestGate,
  fail,
  fakeTool,
  hang,
  say,
  type Script,
  scriptedModel,
  sessionCacheCost,
  usage,
} from '@heddle/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';
import type { AgentOptions } from './options.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-background-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const look = fakeTool({ name: 'Look', run: (_input, _context, at) => `line ${at} `.repeat(300) });
const looks = Array.from({ length: 24 }, (_, index) => call('Look', { at: index }, `c${index}`));

const lastText = (request: ModelRequest): string => JSON.stringify(request.messages.last()?.content);
const systemText = (request: ModelRequest): string => JSON.stringify(request.system);
const isSuggestion = (request: ModelRequest): boolean =>
  lastText(request).includes('Predict the next prompt');
const isExtraction = (request: ModelRequest): boolean =>
  lastText(request).includes('Decide what a later session');
const isSelection = (request: ModelRequest): boolean => systemText(request).includes('stored notes help');
const isSentence = (request: ModelRequest): boolean => systemText(request).includes('has just done');
const isConsolidation = (request: ModelRequest): boolean => systemText(request).includes('keep the memory');

/** Looks around, then answers. */
const work = (request: ModelRequest) => (isAnswered(request) ? say('Done.') : looks);
const isAnswered = (request: ModelRequest): boolean =>
  request.messages.last()?.content.some(({ type }) => type === 'tool_result') === true;

interface Rig {
  readonly agent: Agent;
  readonly lines: SdkMessage[];
  readonly run: (prompt: string) => Promise<void>;
  readonly requests: () => ModelRequest[];
}

/** `lines` has the lines of prompts and those beside them, in the order of their output. */
function rig(script: Script, options: Partial<AgentOptions> = {}): Rig {
  const model = scriptedModel(script);
  const lines: SdkMessage[] = [];
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [look],
    cwd: folder,
    onLine: (line) => void lines.push(line),
    ...options,
  });
  const run = async (prompt: string): Promise<void> => {
    for await (const line of agent.submit(prompt)) lines.push(line);
  };
  return { agent, lines, run, requests: () => model.calls.map(({ request }) => request) };
}

function shareRead(requests: readonly ModelRequest[], isAsked: (request: ModelRequest) => boolean): number {
  const { bills } = sessionCacheCost(requests.map(bodyOf), { minimum: 100 });
  const at = requests.findIndex(isAsked);
  const { cacheRead = 0, cacheCreation = 0, input = 0 } = bills[at] ?? {};
  return cacheRead / (cacheRead + cacheCreation + input);
}

describe('a prompt suggestion', () => {
  const script: Script = (request) => (isSuggestion(request) ? say('"run the tests"') : work(request));

  it('follows the result, and reads more than 95 % from the cache', async () => {
    const { agent, lines, run, requests } = rig(script, { promptSuggestions: true });
    await run('go');
    await agent.settle();
    expect(lines.slice(-2).map(({ type }) => type)).toEqual(['result', 'prompt_suggestion']);
    expect(lines.at(-1)).toMatchObject({ suggestion: 'run the tests' });
    expect(shareRead(requests(), isSuggestion)).toBeGreaterThan(0.95);
  });

  it.each([
    ['it is off', 'tests', {}],
    ['the session is bare', 'tests', { promptSuggestions: true, bare: true }],
    ['nothing obvious follows', 'NONE', { promptSuggestions: true }],
  ])('does not exist if %s', async (_, suggestion, options) => {
    const asked: Script = (request) => (isSuggestion(request) ? say(suggestion) : say('Done.'));
    const { agent, lines, run } = rig(asked, options);
    await run('go');
    await agent.settle();
    expect(lines.at(-1)?.type).toBe('result');
  });

  it('is dropped when the next prompt starts', async () => {
    const asked: Script = (request) => (isSuggestion(request) ? hang() : say('Done.'));
    const { agent, lines, run } = rig(asked, { promptSuggestions: true });
    await run('one');
    await run('two');
    await agent.settle(0);
    expect(lines.some(({ type }) => type === 'prompt_suggestion')).toBe(false);
  });
});

describe('memory', () => {
  const found = JSON.stringify([
    { file: 'user-tests.md', description: 'How the user runs tests', text: 'Run npm test -- --fast.' },
    { file: '../escape.md', description: 'x', text: 'x' },
    { file: 'MEMORY.md', description: 'x', text: 'x' },
  ]);
  const memory = (): string => path.join(folder, 'memory');

  it('is extracted after a turn into plain files, in a fork that reads more than 95 % from the cache', async () => {
    const script: Script = (request) =>
      isExtraction(request) ? say(`Here it is:\n\`\`\`json\n${found}\n\`\`\``) : work(request);
    const { agent, run, requests } = rig(script, { memory: memory() });
    await run('go');
    await agent.settle();
    expect(readFileSync(path.join(memory(), 'user-tests.md'), 'utf8')).toBe('Run npm test -- --fast.\n');
    expect(readFileSync(path.join(memory(), 'MEMORY.md'), 'utf8')).toBe(
      '# Memory\n\n- [user-tests.md](user-tests.md): How the user runs tests\n',
    );
    expect(readdirSync(memory()).filter((name) => name.endsWith('.md'))).toHaveLength(2);
    expect(shareRead(requests(), isExtraction)).toBeGreaterThan(0.95);
  });

  it('starts a new session with the index, and its layer explains the folder', async () => {
    mkdirSync(memory());
    writeFileSync(path.join(memory(), 'MEMORY.md'), '- [a.md](a.md): the loom is blue\n');
    const script: Script = (request) =>
      isExtraction(request) || isSelection(request) ? say('[]') : say('Hi.');
    const { agent, run, requests } = rig(script, { memory: memory() });
    await run('go');
    await agent.settle();
    const first = requests().find((request) => !isSelection(request));
    expect(first && systemText(first)).toContain(memory());
    expect(JSON.stringify(first && bodyOf(first))).toContain('the loom is blue');
  });

  it('that matters is chosen by the small model while the main one streams, and attached once', async () => {
    mkdirSync(memory());
    writeFileSync(path.join(memory(), 'color.md'), 'The loom is blue.\n');
    const selected = Promise.withResolvers<void>();
    const wait = fakeTool({ name: 'Look', run: () => selected.promise.then(() => 'looked') });
    let turns = 0;
    const script: Script = (request) => {
      if (isExtraction(request)) return say('[]');
      if (isSelection(request)) return answer(usage({ input_tokens: 1 }), say('["color.md", "missing.md"]'));
      turns++;
      return turns < 3 ? call('Look', {}, `l${turns}`) : say('Blue.');
    };
    const { agent, run, requests } = rig(script, {
      memory: memory(),
      tools: [wait],
      smallModel: 'small',
      // The cost is booked before the answer is read, so the tool ends a little later.
      onEvent: ({ type }) => void (type === 'spent' && setImmediate(selected.resolve)),
    });
    await run('Which color?');
    await run('And again?');
    await agent.settle();
    expect(
      requests()
        .filter(isSelection)
        .map(({ model }) => model),
    ).toEqual(['small']);
    const attached = [...agent.messages].filter(
      (message) => message.type === 'attachment' && message.attachment.kind === 'memory',
    );
    expect(attached).toMatchObject([{ attachment: { path: path.join(memory(), 'color.md') } }]);
    expect(JSON.stringify(requests().map(bodyOf))).toContain('The loom is blue.');
  });

  it('is consolidated by the small model when enough time and sessions have passed', async () => {
    mkdirSync(memory());
    writeFileSync(path.join(memory(), 'a.md'), 'The loom is blue.\n');
    writeFileSync(path.join(memory(), 'b.md'), 'The loom is green.\n');
    const state = { at: 0, sessions: ['s1', 's2', 's3', 's4'] };
    writeFileSync(path.join(memory(), '.consolidation.json'), JSON.stringify(state));
    const merged = [
      { file: 'a.md', description: 'color', text: 'The loom is green.' },
      { file: 'b.md', remove: true },
    ];
    const script: Script = (request) => {
      if (isConsolidation(request)) return say(JSON.stringify(merged));
      return isExtraction(request) || isSelection(request) ? say('[]') : say('Hi.');
    };
    const { agent, run, requests } = rig(script, { memory: memory() });
    await run('go');
    await agent.settle();
    await run('again');
    await agent.settle();
    expect(requests().filter(isConsolidation)).toHaveLength(1);
    expect(readdirSync(memory()).filter((name) => name.endsWith('.md'))).toEqual(['MEMORY.md', 'a.md']);
    expect(readFileSync(path.join(memory(), 'a.md'), 'utf8')).toBe('The loom is green.\n');
  });
});

describe('a sentence about the last calls', () => {
  it('is written by the small model, and arrives while or after the next answer streams', async () => {
    // The next answer streams until the sentence is there.
    const written = createTestGate();
    const script: Script = (request) => {
      if (isSentence(request)) return answer(usage({ input_tokens: 1 }), say('Looked around'));
      return isAnswered(request) ? say(written, 'Done.') : looks;
    };
    const { run, lines, requests } = rig(script, {
      config: { gates: { emitToolUseSummaries: true } },
      smallModel: 'small',
      onEvent: ({ type }) => void (type === 'spent' && setImmediate(() => written.open())),
    });
    await run('go');
    expect(
      requests()
        .filter(isSentence)
        .map(({ model }) => model),
    ).toEqual(['small']);
    expect(lines.filter(({ type }) => type === 'tool_use_summary')).toMatchObject([
      { summary: 'Looked around', preceding_tool_use_ids: expect.arrayContaining(['c0', 'c23']) },
    ]);
  });
});

describe('a resource that a tool holds for the turn', () => {
  const ends: readonly [how: string, script: Script][] = [
    ['ends well', [call('Open', {}, 'o1'), say('Done.')]],
    ['ends with an error of the model', [call('Open', {}, 'o1'), fail('bad_request')]],
    ['is aborted', [call('Open', {}, 'o1'), [say('One moment.'), hang()]]],
  ];
  it.each(ends)('is released once when the turn %s', async (how, script) => {
    const released: string[] = [];
    const open = fakeTool({
      name: 'Open',
      run: (_input, { turnResources }) => {
        turnResources?.hold('browser', () => void released.push('browser'));
        turnResources?.hold('broken', () => Promise.reject(new Error('stuck')));
        turnResources?.hold('own', () => void released.push('own'))();
        return 'opened';
      },
    });
    const { agent, run } = rig(script, {
      tools: [open],
      includePartialMessages: true,
      onEvent: (event) => {
        if (how === 'is aborted' && event.type === 'stream_event' && JSON.stringify(event).includes('moment'))
          agent.abort();
      },
    });
    await run('go');
    expect(released).toEqual(['browser']);
  });
});

describe('work beside a conversation that hangs', () => {
  it('delays no prompt: each ends as if nothing ran beside it', async () => {
    mkdirSync(path.join(folder, 'memory'));
    writeFileSync(path.join(folder, 'memory', 'a.md'), 'The loom is blue.\n');
    const isBeside = (request: ModelRequest): boolean =>
      [isSuggestion, isExtraction, isSelection, isSentence, isConsolidation].some((is) => is(request));
    const kinds = [isSuggestion, isExtraction, isSelection, isSentence];
    const asked = kinds.map(() => Promise.withResolvers<void>());
    const [suggested, extracted, selected, described] = asked.map(({ promise }) => promise);
    // An answer streams until the questions of its run were asked. They are never answered.
    const streaming = createTestGate();
    void Promise.all([selected, described]).then(() => streaming.open());
    const script: Script = (request) => {
      for (const [at, is] of kinds.entries()) if (is(request)) asked[at]?.resolve();
      if (isBeside(request)) return hang();
      return isAnswered(request) ? say(streaming, 'Done.') : looks;
    };
    // Time stands still, so a wait for any of them would never end.
    const clock = createClock();
    const began = clock.now();
    const beside = rig(script, {
      clock,
      promptSuggestions: true,
      memory: path.join(folder, 'memory'),
      config: { gates: { emitToolUseSummaries: true } },
    });
    await beside.run('go');
    await Promise.all([suggested, extracted]);
    await beside.run('again');
    // Every kind of work was started and hangs; the prompts have ended.
    const started = beside.requests().filter(isBeside);
    expect(kinds.map((is) => started.some(is))).toEqual(Array.from({ length: 4 }, () => true));
    expect(beside.lines.filter(({ type }) => type === 'result')).toHaveLength(2);
    expect(clock.now()).toBe(began);
    await beside.agent.settle(0);
  });
});
