/** The input of a rehearsal scene: the last prompt, and the results of the calls since then. Pure. */
import { SUMMARY_MARK } from '@heddle/context';
import { type ContentBlock, type ModelRequest, type RequestMessage, textOf } from '@heddle/core';
import { call, type ScriptPart } from '@heddle/testing/scripted';

type Input = Parameters<typeof call>[1];

interface CallResult {
  readonly tool: string;
  readonly result: string;
  readonly failed: boolean;
}

export interface Situation {
  /** The first line of the prompt. Piped input follows it and selects nothing. */
  readonly firstLine: string;
  /** The number of the prompt, counted from 1. */
  readonly nth: number;
  /** The calls since the prompt, in order. */
  readonly made: readonly CallResult[];
  /** The request asks for a summary; it is not a prompt. */
  readonly isHandoff: boolean;
  /** The result of the last call of this tool since the prompt. */
  readonly last: (tool: string) => CallResult | undefined;
  /** Returns true if the tool is offered, or was found by ToolSearch. */
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
    firstLine: prompt.split('\n')[0] ?? '',
    nth: prompts.length,
    made,
    isHandoff: prompt.includes(SUMMARY_MARK),
    last: (tool) => made.findLast((one) => one.tool === tool),
    has: (name) =>
      tools.some((tool) => tool.name === name) ||
      everMade.some(({ tool, result }) => tool === 'ToolSearch' && result.includes(`\n${name}: `)),
    call: (tool, input) => call(tool, input, `rehearsal_${everMade.length + 1}`),
  };
}

/** Returns the text that a user wrote. Empty for answers, results and reminders. */
function promptIn({ role, content }: RequestMessage): string {
  if (role !== 'user' || content.some(({ type }) => type === 'tool_result')) return '';
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts
    .filter((text) => !text.startsWith('<system-reminder>'))
    .join('\n')
    .trim();
}

function callsIn(messages: readonly RequestMessage[]): CallResult[] {
  const blocks = messages.flatMap(({ content }): readonly ContentBlock[] => content);
  const results = new Map(
    blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.tool_use_id, block] as const] : [])),
  );
  return blocks.flatMap((block): CallResult[] => {
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
