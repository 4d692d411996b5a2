/** Reads a rollout file of codex: one JSON object per line with `type` and `payload`. Pure. */
import type { ContentBlock } from '@heddle/core';
import {
  ConversationBuilder,
  type Fields,
  type ForeignConversation,
  listOf,
  parseLines,
  parseObject,
  recordOf,
  textBlock,
  textOfField,
} from './conversation.ts';

/** Undefined if the text is not a rollout file. */
export function readCodex(text: string): ForeignConversation | undefined {
  const lines = parseLines(text);
  const meta = lines.find(({ type }) => type === 'session_meta');
  if (!meta) return undefined;
  const facts = recordOf(meta['payload']);
  const builder = new ConversationBuilder();
  const id = textOfField(facts['id']);
  let model = 'codex';
  for (const [index, line] of lines.entries()) {
    const payload = recordOf(line['payload']);
    builder.from(`codex/${id}/${index}`, Date.parse(textOfField(line['timestamp'])));
    if (line['type'] === 'turn_context') model = textOfField(payload['model']) || model;
    if (line['type'] === 'response_item') addItem(builder, payload, model);
    if (line['type'] === 'compacted') builder.omit('compaction; the messages before it are kept');
  }
  return builder.build({ id, cwd: textOfField(facts['cwd']) });
}

function addItem(builder: ConversationBuilder, item: Fields, model: string): void {
  switch (item['type']) {
    case 'message':
      return addMessage(builder, item, model);
    case 'function_call':
      return builder.call(
        callIdOf(item),
        textOfField(item['name']),
        parseArguments(item['arguments']),
        model,
      );
    case 'custom_tool_call':
      return builder.call(callIdOf(item), textOfField(item['name']), { input: item['input'] }, model);
    case 'local_shell_call':
      return builder.call(callIdOf(item), 'shell', { command: recordOf(item['action'])['command'] }, model);
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return addOutput(builder, item);
    case 'reasoning':
      return builder.omit('reasoning');
    default:
      return builder.omit(textOfField(item['type']) || 'unknown item');
  }
}

function addMessage(builder: ConversationBuilder, { role, content }: Fields, model: string): void {
  if (role !== 'user' && role !== 'assistant') return builder.omit('instructions of the other agent');
  for (const part of listOf(content)) {
    const text = textOfField(part['text']);
    if (part['type'] === 'input_image') addImage(builder, textOfField(part['image_url']));
    else if (text === '') continue;
    else if (role === 'assistant') builder.assistant(textBlock(text), model);
    else if (CONTEXT.test(text)) builder.omit('context of the other agent');
    else builder.user([textBlock(text)]);
  }
}

/** Texts that codex itself writes in the name of the user. */
const CONTEXT =
  /^\s*(<(environment_context|user_instructions|turn_aborted|subagent_notification|skill)\b|# AGENTS\.md instructions)/;

function addImage(builder: ConversationBuilder, url: string): void {
  const [, media_type, data] = /^data:(image\/[a-z+]+);base64,([\s\S]+)$/.exec(url) ?? [];
  if (media_type === undefined || data === undefined) return builder.omit('image that is not in the file');
  const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type, data } };
  builder.user([image]);
}

/** Old versions store the output as an object in a string. */
function addOutput(builder: ConversationBuilder, item: Fields): void {
  const { output } = item;
  const parsed = typeof output === 'string' ? parseObject(output) : undefined;
  const stored = typeof output === 'string' ? (parsed ?? {}) : recordOf(output);
  const parts = listOf(Array.isArray(output) ? output : stored['content']);
  const texts = parts.map(({ text }) => textOfField(text)).filter((text) => text !== '');
  const whole = textOfField(stored['output']) || textOfField(stored['content']) || texts.join('\n');
  const text = whole === '' && typeof output === 'string' ? output : whole;
  const code = recordOf(stored['metadata'])['exit_code'];
  builder.result(
    callIdOf(item),
    text,
    stored['success'] === false || (typeof code === 'number' && code !== 0),
  );
}

function callIdOf({ call_id, id }: Fields): string {
  return textOfField(call_id) || textOfField(id);
}

function parseArguments(value: unknown): unknown {
  return typeof value === 'string' ? (parseObject(value) ?? { input: value }) : value;
}
