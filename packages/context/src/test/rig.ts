/** A context port for tests: spills and collapses in memory, a scripted summarizer, and a record of all calls. */
import type { LevelStep, PreparedHistory, PrepareRequest, Tool, ToolUseContext } from '@heddle/core';
import { collect, contextOf, fakeTool } from '@heddle/testing';
import { memoryCollapses } from '../collapse/collapse.ts';
import type { Summarize, SummaryRequest } from '../deps.ts';
import { createContextPort, type ContextPipeline } from '../pipeline/pipeline.ts';
import { type ContextDeps, NO_COMPACTION_HOOKS, NOTHING_TO_REREAD } from '../deps.ts';
import { type ContextChanges, contextOptions } from '../options.ts';

export interface Rig {
  readonly port: ContextPipeline;
  readonly deps: ContextDeps;
  readonly context: ToolUseContext;
  readonly spilled: Map<string, string>;
  readonly summaries: SummaryRequest[];
}

/** Read gives back what is asked for here. */
export function toolsGiving(output: (call: number) => string): readonly Tool[] {
  const read = fakeTool({
    name: 'Read',
    compactable: true,
    maxResultSize: 50_000,
    run: (_input, _context, call) => output(call),
  });
  return [read, ...TOOLS.slice(1)];
}

export const TOOLS: readonly Tool[] = [
  fakeTool({ name: 'Read', compactable: true, maxResultSize: 50_000 }),
  fakeTool({ name: 'Bash', compactable: true, maxResultSize: 50_000, readOnly: false }),
  fakeTool({ name: 'Edit', readOnly: false, maxResultSize: 50_000 }),
  fakeTool({ name: 'TodoWrite', readOnly: false }),
];

export const HEAD = { systemPrompt: ['You are a careful engineer.'], systemContext: {}, userContext: {} };

export function rig(changes: ContextChanges = {}, given: Partial<ContextDeps> = {}): Rig {
  const spilled = new Map<string, string>();
  const summaries: SummaryRequest[] = [];
  let count = 0;
  let now = 1_000_000;
  const summarize: Summarize = (request) => {
    summaries.push(request);
    return Promise.resolve({ ok: true, text: `## Intent\nSummary ${summaries.length}.`, spent: [] });
  };
  const deps: ContextDeps = {
    now: () => ++now,
    uuid: () => `c${++count}`,
    spills: {
      pathOf: (id) => `/session/${id}.txt`,
      write(id, text) {
        spilled.set(id, text);
        return Promise.resolve(true);
      },
    },
    summarize,
    collapses: memoryCollapses(),
    reread: NOTHING_TO_REREAD,
    hooks: NO_COMPACTION_HOOKS,
    ...given,
  };
  const options = contextOptions(changes);
  const port = createContextPort({ options, head: HEAD }, deps);
  return { port, deps, context: contextOf({ tools: TOOLS }), spilled, summaries };
}

/** Returns the steps of the levels for one request, without the announcements. */
export async function prepared(
  port: ContextPipeline,
  request: PrepareRequest,
): Promise<{ readonly yielded: readonly LevelStep[]; readonly returned: PreparedHistory }> {
  const { yielded, returned } = await collect(port.prepare(request));
  return { yielded: yielded.flatMap((step) => ('compacting' in step ? [] : [step])), returned };
}
