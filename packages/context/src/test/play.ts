/** Runs a conversation through the loop with a real context port. The summarizer is the same scripted model. */
import {
  type Gates,
  type LoopEvent,
  type Message,
  type ModelRequest,
  query,
  type Terminal,
} from '@heddle/core';
import {
  allowAll,
  contextOf,
  createClock,
  fakeDeps,
  type JudgeOptions,
  type Script,
  scriptedModel,
  type ScriptedModel,
} from '@heddle/testing';
import { modelSummarizer, SUMMARY_MARK } from '../compaction/summarize.ts';
import { createContextPort } from '../pipeline/pipeline.ts';
import type { ContextDeps } from '../deps.ts';
import { type ContextChanges, contextOptions } from '../options.ts';
import { HEAD, rig, TOOLS, toolsGiving } from './rig.ts';

export interface ContextPlay {
  readonly messages: readonly Message[];
  readonly changes?: ContextChanges;
  readonly gates?: Partial<Gates>;
  readonly judge?: JudgeOptions;
  readonly deps?: Partial<ContextDeps>;
  /** Returns the output of each call of a tool. */
  readonly output?: (call: number) => string;
}

export interface ContextPlayed {
  readonly terminal: Terminal;
  readonly events: readonly LoopEvent[];
  readonly model: ScriptedModel;
  readonly main: readonly ModelRequest[];
  readonly summaries: readonly ModelRequest[];
}

export async function playContext(script: Script, given: ContextPlay): Promise<ContextPlayed> {
  const clock = createClock({ auto: true });
  const model = scriptedModel(script, { clock, ...given.judge });
  const { deps } = rig();
  const summarize = modelSummarizer({ model, clock, random: () => 0.5, head: HEAD });
  const context = createContextPort(
    { options: contextOptions(given.changes), head: HEAD },
    { ...deps, summarize, ...given.deps },
  );
  const contextCollapse = given.changes?.levels?.collapse === true;
  const run = query({
    messages: given.messages,
    ...HEAD,
    authorizeCall: allowAll,
    toolUseContext: contextOf({ tools: given.output ? toolsGiving(given.output) : TOOLS }),
    querySource: 'sdk',
    config: { sessionId: 's', gates: { contextCollapse, ...given.gates } },
    deps: fakeDeps({ model, clock, context }),
  });
  const events: LoopEvent[] = [];
  let next = await run.next();
  for (; !next.done; next = await run.next()) events.push(next.value);
  model.assertNoViolations();
  const requests = model.calls.map(({ request }) => request);
  const summaries = requests.filter(isSummaryRequest);
  const main = requests.filter((request) => !isSummaryRequest(request));
  return { terminal: next.value, events, model, main, summaries };
}

export function isSummaryRequest(request: ModelRequest): boolean {
  return JSON.stringify(request.messages.last()?.content ?? '').includes(SUMMARY_MARK);
}
