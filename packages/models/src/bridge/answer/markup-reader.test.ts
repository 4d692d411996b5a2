import { describe, expect, it } from 'vitest';
import { MarkupReader, type WrittenPart } from './markup-reader.ts';

const tools = new Set(['Read', 'Bash']);

/** Reads a text that arrives in chunks of this size. Adjacent parts of one kind are joined. */
function read(text: string, size = text.length || 1, model?: string): WrittenPart[] {
  const reader = new MarkupReader((name) => tools.has(name), model);
  const parts: WrittenPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...reader.push(text.slice(at, at + size)));
  parts.push(...reader.end());
  return parts.reduce<WrittenPart[]>((joined, part) => {
    if (part.kind === 'text was thinking') return [{ kind: 'thinking', text: part.text }];
    const last = joined.at(-1);
    if (last && last.kind !== 'call' && part.kind === last.kind)
      joined[joined.length - 1] = { kind: last.kind, text: last.text + part.text };
    else joined.push(part);
    return joined;
  }, []);
}

const text = (words: string): WrittenPart => ({ kind: 'text', text: words });
const thinking = (words: string): WrittenPart => ({ kind: 'thinking', text: words });
const call = (name: string, input: object): WrittenPart => ({
  kind: 'call',
  name,
  input: JSON.stringify(input),
});
const LS = { command: 'ls' };

describe.each([1, 3, 10_000])('thinking that the template opened, in pieces of %i characters', (size) => {
  it.each<[string, string, WrittenPart[]]>([
    ['deepseek-r1:8b', 'Hm.\n</think>\nHi.', [thinking('Hm.\n'), text('\nHi.')]],
    ['qwen/qwen3-30b-a3b-thinking-2507', '<think>Hm.</think>Hi.', [thinking('Hm.'), text('Hi.')]],
    ['qwq', 'Hi, without any thinking.', [text('Hi, without any thinking.')]],
    ['qwq', '{"name": "Bash", "arguments": {"command": "ls"}}', [call('Bash', LS)]],
    [
      'qwq',
      'Hm.</think><tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>',
      [thinking('Hm.'), call('Bash', LS)],
    ],
    ['qwq', '<tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>', [call('Bash', LS)]],
    ['llama3', 'The tag </think> is text.', [text('The tag </think> is text.')]],
    ['llama3', 'Hm.\n\nSo.\n</think>\n\nHi.', [thinking('Hm.\n\nSo.\n'), text('\n\nHi.')]],
    ['llama3', 'Hm.\n</think>', [thinking('Hm.\n')]],
    ['llama3', '\n</think>\nHi.', [text('\nHi.')]],
    ['llama3', 'Hm.\n</think> ', [thinking('Hm.\n'), text(' ')]],
    [
      'llama3',
      'Hm.\n</think>\n<tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>',
      [thinking('Hm.\n'), text('\n'), call('Bash', LS)],
    ],
    ...[
      'It ends with:\n</think> and so on.',
      'It ends with </think>\nand so on.',
      '```\nHm.\n</think>\n```\n',
      'Write <think>\nHm.\n</think>\nin front.',
      'Write `</think>`, or\n</think>\nin a line of its own.',
    ].map((words): [string, string, WrittenPart[]] => ['llama3', words, [text(words)]]),
  ])('%s: %j', (model, words, parts) => {
    expect(read(words, size, model)).toEqual(parts);
  });
});

describe.each([1, 3, 7, 10_000])('in pieces of %i characters', (size) => {
  it.each<[string, string, WrittenPart[]]>([
    ['plain text', 'Hello <b>you</b>, a < b.', [text('Hello <b>you</b>, a < b.')]],
    ['thinking before the answer', '<think>\nHm.\n</think>\nHi.', [thinking('\nHm.\n'), text('\nHi.')]],
    ['thinking that is never closed', '<think>Hm', [thinking('Hm')]],
    ['thinking in the middle, which is text', 'Use <think> so.', [text('Use <think> so.')]],
    [
      'a call of Hermes and Qwen',
      'I look.\n<tool_call>\n{"name": "Bash", "arguments": {"command": "ls"}}\n</tool_call>',
      [text('I look.\n'), call('Bash', LS)],
    ],
    [
      'two calls',
      '<tool_call>{"name":"Bash","arguments":{"command":"ls"}}</tool_call>\n<tool_call>{"name":"Read","arguments":{"file_path":"a"}}</tool_call>',
      [call('Bash', LS), call('Read', { file_path: 'a' })],
    ],
    [
      'a call of Qwen Coder',
      '<tool_call>\n<function=Bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>',
      [call('Bash', LS)],
    ],
    [
      'a call of Qwen Coder without a frame',
      '<function=Bash><parameter=command>ls</parameter></function>',
      [call('Bash', LS)],
    ],
    ['a call of Mistral', '[TOOL_CALLS][{"name":"Bash","arguments":{"command":"ls"}}]', [call('Bash', LS)]],
    ['a call of Llama', '<|python_tag|>{"name":"Bash","parameters":{"command":"ls"}}', [call('Bash', LS)]],
    ['a call as the whole answer', '{"name": "Bash", "parameters": {"command": "ls"}}', [call('Bash', LS)]],
    ['a call in a fence', '```json\n{"name":"Bash","arguments":{"command":"ls"}}\n```', [call('Bash', LS)]],
    [
      'arguments as text',
      '<tool_call>{"name":"Bash","arguments":"{\\"command\\":\\"ls\\"}"}</tool_call>',
      [call('Bash', LS)],
    ],
    ['a call of Llama with an object', '<function=Bash>{"command": "ls"}</function>', [call('Bash', LS)]],
    [
      'calls of Mistral with names before their inputs',
      '[TOOL_CALLS]Bash[ARGS]{"command":"ls"}[TOOL_CALLS]Read[ARGS]{"file_path":"a"}',
      [call('Bash', LS), call('Read', { file_path: 'a' })],
    ],
    [
      'a call of DeepSeek',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>Bash\n```json\n{"command": "ls"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      [call('Bash', LS)],
    ],
    [
      'a call of a later DeepSeek',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>Bash<｜tool▁sep｜>{"command": "ls"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      [call('Bash', LS)],
    ],
    [
      'a call of Kimi',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.Bash:0<|tool_call_argument_begin|>{"command": "ls"}<|tool_call_end|><|tool_calls_section_end|>',
      [call('Bash', LS)],
    ],
    [
      'a call of GLM',
      '<tool_call>Bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>',
      [call('Bash', LS)],
    ],
    [
      'a call of gpt-oss',
      '<|channel|>commentary to=functions.Bash <|constrain|>json<|message|>{"command":"ls"}<|call|>',
      [call('Bash', LS)],
    ],
    [
      'a call as elements with names',
      '<function_calls>\n<invoke name="Bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>',
      [call('Bash', LS)],
    ],
    [
      'a call whose input is cut off',
      '<function=Bash>{"command": </function>',
      [text('<function=Bash>{"command": </function>')],
    ],
    ['an answer that is JSON', '{"name": "Ann", "age": 5}', [text('{"name": "Ann", "age": 5}')]],
    [
      'a call of an unknown tool',
      '<tool_call>{"name":"Fly","arguments":{}}</tool_call>',
      [text('<tool_call>{"name":"Fly","arguments":{}}</tool_call>')],
    ],
    ['broken markup', '<tool_call>Bash ls</tool_call>', [text('<tool_call>Bash ls</tool_call>')]],
  ])('reads %s', (_name, written, parts) => {
    expect(read(written, size)).toEqual(parts);
  });
});

it.each([
  '<tool_call>Bash ls</tool_call>',
  '```tool_code\nBash(command="ls")\n```',
  '<|tool_calls_section_begin|>Bash<|tool_calls_section_end|>',
])('reports markup of a call that it cannot read: %s', (written) => {
  const reader = new MarkupReader(() => true);
  reader.push(written);
  reader.end();
  expect(reader.hasUnreadCall).toBe(true);
});
