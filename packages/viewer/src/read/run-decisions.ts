/** Replays one run of a log through the machine. Long texts are replaced by a hash, so that memory stays small. */
import { createHash } from 'node:crypto';
import {
  describeDecision,
  describeEvent,
  describeGuard,
  describeState,
  traceWithSettings,
} from '@heddle/agent/sessions';
import {
  type ContentBlock,
  type Decision,
  type Entry,
  type EntryBody,
  type RecordedRun,
  recordedRuns,
  type TracedIteration,
} from '@heddle/core';
import type { DecidedIteration, DecisionStep, RunDecisions } from '../model/decisions.ts';
import type { SessionIndex } from './session-index.ts';

/** Returns undefined if there is no such run. `wanted` is counted from 0. */
export function runDecisions(index: SessionIndex, wanted: number): RunDecisions | undefined {
  const lines = new WeakMap<object, number>();
  let run = 0;
  for (const recorded of recordedRuns(smallEntries(index, lines)))
    if (run++ === wanted) return decisionsOf(recorded, wanted, lines);
  return undefined;
}

/** The decisions of every run, for an export. */
export function allDecisions(index: SessionIndex): RunDecisions[] {
  const lines = new WeakMap<object, number>();
  const runs = [...recordedRuns(smallEntries(index, lines))];
  return runs.map((recorded, run) => decisionsOf(recorded, run, lines));
}

function decisionsOf(recorded: RecordedRun, run: number, lines: WeakMap<object, number>): RunDecisions {
  const { iterations, settings } = traceWithSettings(recorded);
  return {
    run,
    settings,
    steps: iterations.flatMap((iteration, at) => stepsOf(iteration, at + 1)),
    iterations: iterations.map(({ verdict, recorded: { entries } }, at): DecidedIteration => {
      const stored = entries.map((entry) => ({ line: lines.get(entry) ?? 0, text: entryText(entry) }));
      return { iteration: at + 1, verdict, stored };
    }),
  };
}

function stepsOf({ steps, recorded }: TracedIteration, iteration: number): DecisionStep[] {
  const tools = recorded.entries.flatMap((entry) => (entry.type === 'intent' ? [entry.tool] : []));
  let effect = 'begin';
  return steps.map(({ loop, event, guards, decision }) => {
    const step: DecisionStep = {
      iteration,
      effect,
      event: describeEvent(event, tools),
      guards: guards.map((one) => ({ name: one.guard, answer: one.answer, text: describeGuard(one) })),
      decision: describeDecision(decision),
      next: nextOf(decision),
      state: describeState(loop),
    };
    if (decision.kind === 'do') effect = decision.effect.type;
    return step;
  });
}

function nextOf(decision: Decision): DecisionStep['next'] {
  switch (decision.kind) {
    case 'do':
      return { kind: 'do', name: decision.effect.type };
    case 'continue':
      return { kind: 'continue', name: decision.transition.reason };
    case 'stop':
      return { kind: 'stop', name: decision.terminal.reason };
  }
}

function entryText(entry: EntryBody): string {
  switch (entry.type) {
    case 'intent':
      return `intent ${entry.tool}`;
    case 'outcome':
      return entry.isError ? 'outcome: error' : 'outcome';
    case 'transition':
      return `transition ${entry.transition.reason}`;
    case 'end':
      return `end ${entry.terminal.reason}`;
    case 'context':
      return `context ${entry.report.level}`;
    default:
      return entry.type;
  }
}

function* smallEntries(index: SessionIndex, lines: WeakMap<object, number>): Generator<Entry> {
  for (const { line, decoded } of index.lines(0)) {
    if (decoded.kind !== 'entry') continue;
    const small = smallEntry(decoded.entry);
    lines.set(small, line);
    yield small;
  }
}

/** The machine compares calls and results. It does not read other texts. */
function smallEntry(entry: Entry): Entry {
  switch (entry.type) {
    case 'assistant': {
      const content = entry.message.content.filter(({ type }) => type === 'tool_use').map(hashed);
      return { ...entry, message: { ...entry.message, content } };
    }
    case 'user': {
      const { content } = entry.message;
      const small = typeof content === 'string' ? shortened(content) : content.map(hashed);
      return { ...entry, message: { ...entry.message, content: small, toolUseResult: undefined } };
    }
    case 'context': {
      // The history of a compaction is not part of a decision.
      const { messages, replaced: _replaced, ...rest } = entry;
      return messages ? { ...rest, messages: [] } : rest;
    }
    default:
      return entry;
  }
}

const LONGEST_KEPT = 400;

function hashed(block: ContentBlock): ContentBlock {
  const size = JSON.stringify(block).length;
  if (size <= LONGEST_KEPT) return block;
  switch (block.type) {
    case 'tool_use':
      return { ...block, input: { hash: hashOf(JSON.stringify(block.input)) } };
    case 'tool_result':
      return { ...block, content: hashOf(JSON.stringify(block.content)) };
    default:
      return { type: 'text', text: hashOf(JSON.stringify(block)) };
  }
}

function shortened(text: string): string {
  return text.length > LONGEST_KEPT ? hashOf(text) : text;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
