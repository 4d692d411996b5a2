/** Fifty subagents in one run under random faults and aborts: one result each, the budget holds, and no process is left. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { LoopEvent, ModelRequest } from '@heddle/core';
import { answer, call, fail, fakeTool, hang, say, scriptedModel, usage } from '@heddle/testing';
import { bashTool } from '@heddle/tools';
import { expect, it } from 'vitest';
import { BUILT_IN_AGENTS } from '../agents/built-in.ts';
import { createAgent } from '../create-agent.ts';
import type { SdkMessage } from '../sdk/message.ts';

const PROVING = process.env['HEDDLE_PROVE'] === '1';
const RUNS = PROVING ? 30 : 2;
const CHILDREN = 50;

/** A number in [0, 1) that depends only on its inputs, so that each run can be repeated by its seed. */
function chance(seed: number, text: string): number {
  let hash = seed;
  for (const letter of text) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return hash / 1_000_003;
}

const childIn = (request: ModelRequest): string | undefined =>
  /do (t\d+)\./.exec(JSON.stringify([...request.messages][0]))?.[1];

function isChild(request: ModelRequest): boolean {
  return JSON.stringify(request.system).includes('subagent of Heddle');
}

/** Faults of the model, failing calls, commands, and children that never answer. */
function childAnswer(seed: number, id: string, request: ModelRequest, label: string) {
  const turn = request.messages.length;
  const at = chance(seed, `${id} ${turn}`);
  if (turn > 5 || at < 0.3) return answer(usage({ output_tokens: 100 }), say(`Report of ${id}.`));
  if (at < 0.4) return fail('bad_request');
  if (at < 0.5) return answer(call('Fails', {}, `${id}-f${turn}`));
  if (at < 0.53) return hang();
  if (at < 0.6) return answer(call('Bash', { command: `sleep 30 # ${label}` }, `${id}-b${turn}`));
  return answer(usage({ output_tokens: 100 }), call('Look', { turn }, `${id}-l${turn}`));
}

function resultIds(lines: readonly SdkMessage[]): string[] {
  return lines.flatMap((line) =>
    line.type === 'user' && line.parent_tool_use_id === null && typeof line.message.content !== 'string'
      ? line.message.content.flatMap((block) => ('tool_use_id' in block ? [block.tool_use_id] : []))
      : [],
  );
}

async function run(seed: number): Promise<void> {
  const label = randomUUID();
  const ids = Array.from({ length: CHILDREN }, (_, at) => `t${at}`);
  const model = scriptedModel((request) => {
    const id = childIn(request);
    if (isChild(request) && id !== undefined) return childAnswer(seed, id, request, label);
    if (request.messages.length > 1) return say('Done.');
    return answer(...ids.map((one) => call('Agent', { description: one, prompt: `do ${one}.` }, one)));
  });
  const budget = chance(seed, 'budget') < 0.3 ? 4 : 1_000;
  let calls = 0;
  const agent = createAgent({
    model,
    modelName: 'scripted',
    tools: [fakeTool({ name: 'Look' }), fakeTool({ name: 'Fails', fails: 'broken' }), bashTool],
    cwd: '/',
    permissionMode: 'bypassPermissions',
    maxBudgetUsd: budget,
    price: (_model, { output_tokens: tokens }) => tokens / 100,
    subagents: { definitions: () => BUILT_IN_AGENTS },
    onEvent: (event: LoopEvent) => {
      if (event.type === 'progress') calls++;
      // Some children never end, so every run is aborted at some point.
      if (calls === 20 + Math.floor(chance(seed, 'abort') * 200)) agent.abort();
    },
  });
  const watchdog = setTimeout(() => agent.abort(), 5_000);
  const lines: SdkMessage[] = [];
  for await (const line of agent.submit('go')) lines.push(line);
  clearTimeout(watchdog);
  const results = resultIds(lines);
  const stored = [...agent.messages].flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );
  expect(stored.toSorted(), `seed ${seed}`).toEqual(ids.toSorted());
  expect(new Set(results).size, `seed ${seed}`).toBe(results.length);
  const last = lines.at(-1);
  if (last?.type !== 'result') throw new Error('The last line is not a result.');
  // Ten calls may be under way when the budget is used up.
  expect(last.total_cost_usd, `seed ${seed}`).toBeLessThanOrEqual(budget + 10);
  expect(processesWith(label), `seed ${seed}`).toEqual([]);
  model.assertNoViolations();
}

function processesWith(label: string): string[] {
  return execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(label));
}

it(`${CHILDREN} subagents under faults and aborts have one result each, over ${RUNS} runs`, async () => {
  for (let seed = 1; seed <= RUNS; seed++) await run(seed);
});
