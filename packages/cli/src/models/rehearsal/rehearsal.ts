/**
 * The rehearsal model: it needs no network and no key. A word of the prompt chooses a scene, and the scene makes the calls a
 * model would make; everything around them is real. The same conversation always goes the same way.
 */
import { SUMMARY_MARK } from '@heddle/context';
import { type ContentBlock, type ModelRequest, type RequestMessage, textOf } from '@heddle/core';
import { call, say, type ScriptPart, type ScriptStep } from '@heddle/testing';
import { chatScene, SCENES } from './scenes.ts';

export function rehearsal(request: ModelRequest): ScriptStep {
  const situation = situationOf(request);
  if (situation.isHandOver) return say(HAND_OVER);
  const scene = SCENES.find(({ word }) => new RegExp(String.raw`\b${word}\b`, 'i').test(situation.wish));
  return (scene?.play ?? chatScene)(situation);
}

const HAND_OVER = `## Intent
To rehearse.

## Decisions
None.

## Files
None that matter.

## Errors and fixes
None.

## State of work
The rehearsal goes on.

## Next step
Wait for the next prompt.`;

type Input = Parameters<typeof call>[1];

interface Made {
  readonly tool: string;
  readonly result: string;
  readonly failed: boolean;
}

export interface Situation {
  /** The first line of the prompt: what is piped in stands behind it, and wishes nothing. */
  readonly wish: string;
  /** The prompt, counted from 1. */
  readonly nth: number;
  /** The calls since the prompt, in order. */
  readonly made: readonly Made[];
  /** The context is about to be compacted; this is no prompt. */
  readonly isHandOver: boolean;
  /** What came of the last call of this tool since the prompt. */
  readonly last: (tool: string) => Made | undefined;
  /** Offered, or found by ToolSearch. */
  readonly has: (tool: string) => boolean;
  readonly call: (tool: string, input: Input) => ScriptPart;
}

function situationOf({ messages, tools }: ModelRequest): Situation {
  const all = [...messages];
  const prompts = all.flatMap((message, at) => (promptIn(message) === '' ? [] : [at]));
  const from = prompts.at(-1) ?? 0;
  const prompt = all[from] ? promptIn(all[from]) : '';
  const made = callsIn(all.slice(from));
  const everMade = callsIn(all);
  return {
    wish: prompt.split('\n')[0] ?? '',
    nth: prompts.length,
    made,
    isHandOver: prompt.includes(SUMMARY_MARK),
    last: (tool) => made.findLast((one) => one.tool === tool),
    has: (name) =>
      tools.some((tool) => tool.name === name) ||
      everMade.some(({ tool, result }) => tool === 'ToolSearch' && result.includes(`\n${name}: `)),
    call: (tool, input) => call(tool, input, `rehearsal_${everMade.length + 1}`),
  };
}

/** What a user wrote; empty for answers, results and reminders. */
function promptIn({ role, content }: RequestMessage): string {
  if (role !== 'user' || content.some(({ type }) => type === 'tool_result')) return '';
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts
    .filter((text) => !text.startsWith('<system-reminder>'))
    .join('\n')
    .trim();
}

function callsIn(messages: readonly RequestMessage[]): Made[] {
  const blocks = messages.flatMap(({ content }): readonly ContentBlock[] => content);
  const results = new Map(
    blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block] as const] : [])),
  );
  return blocks.flatMap((block): Made[] => {
    if (block.type !== 'tool_use') return [];
    const result = results.get(block.id);
    return [
      {
        tool: block.name,
        result: result ? textOf(result.content) : '',
        failed: result?.is_error === true,
      },
    ];
  });
}
