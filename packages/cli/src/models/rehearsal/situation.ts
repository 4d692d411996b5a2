/** The state that the rehearsal model answers to: the prompt, and the results of its calls since. Pure. */
import { SUMMARY_MARK } from '@heddle/context';
import { type ContentBlock, type ModelRequest, type RequestMessage, textOf } from '@heddle/core';
import { call, type ScriptPart } from '@heddle/testing';

type Input = Parameters<typeof call>[1];

interface Made {
  readonly tool: string;
  readonly result: string;
  readonly failed: boolean;
}

export interface Situation {
  /** The first line of the prompt. Piped input follows it and selects nothing. */
  readonly wish: string;
  /** The prompt, counted from 1. */
  readonly nth: number;
  /** The calls since the prompt, in order. */
  readonly made: readonly Made[];
  /** The request asks for a summary; it is not a prompt. */
  readonly isHandOver: boolean;
  /** What came of the last call of this tool since the prompt. */
  readonly last: (tool: string) => Made | undefined;
  /** Offered, or found by ToolSearch. */
  readonly has: (tool: string) => boolean;
  readonly call: (tool: string, input: Input) => ScriptPart;
}

export function situationOf({ messages, tools }: ModelRequest): Situation {
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
