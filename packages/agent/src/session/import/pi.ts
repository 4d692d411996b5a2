/** Reads a session file of pi: a tree of entries, one JSON object per line. Pure. */
import type { ContentBlock } from '@heddle/core';
import {
  ConversationBuilder,
  type Fields,
  type ForeignConversation,
  listOf,
  parseLines,
  recordOf,
  textBlock,
  textOfField,
} from './conversation.ts';

/** Undefined if the text is not a session of pi. */
export function readPi(text: string): ForeignConversation | undefined {
  const [header, ...entries] = parseLines(text);
  if (header?.['type'] !== 'session' || typeof header['cwd'] !== 'string') return undefined;
  const builder = new ConversationBuilder();
  const id = textOfField(header['id']);
  const path = currentBranch(entries);
  if (path.length < entries.length) builder.omit('entry of another branch');
  for (const [index, entry] of path.entries()) {
    builder.from(
      `pi/${id}/${textOfField(entry['id']) || index}`,
      Date.parse(textOfField(entry['timestamp'])),
    );
    addEntry(builder, entry);
  }
  const named = path.findLast(({ type }) => type === 'session_info');
  return builder.build({ id, cwd: header['cwd'], title: textOfField(named?.['name']) || undefined });
}

/** From the last entry to the root. Files of the first version have no tree: all entries count. */
function currentBranch(entries: readonly Fields[]): readonly Fields[] {
  const byId = new Map(entries.map((entry) => [textOfField(entry['id']), entry]));
  if (!entries.every(({ id }) => typeof id === 'string')) return entries;
  const path = new Set<Fields>();
  let entry = entries.at(-1);
  while (entry && !path.has(entry)) {
    path.add(entry);
    entry = byId.get(textOfField(entry['parentId']));
  }
  return [...path].toReversed();
}

function addEntry(builder: ConversationBuilder, entry: Fields): void {
  switch (entry['type']) {
    case 'message':
      return addMessage(builder, recordOf(entry['message']));
    case 'custom_message':
      return builder.user(contentOf(builder, entry['content']));
    case 'branch_summary':
      return builder.user([textBlock(`Summary of another branch:\n${textOfField(entry['summary'])}`)]);
    case 'compaction':
      return builder.omit('compaction; the messages before it are kept');
  }
}

function addMessage(builder: ConversationBuilder, message: Fields): void {
  switch (message['role']) {
    case 'user':
    case 'custom':
      return builder.user(contentOf(builder, message['content']));
    case 'assistant':
      return addAnswer(builder, message);
    case 'toolResult': {
      const content = contentOf(builder, message['content']).filter(
        (block) => block.type === 'text' || block.type === 'image',
      );
      return builder.result(textOfField(message['toolCallId']), content, message['isError'] === true);
    }
    case 'bashExecution':
      if (message['excludeFromContext'] === true) return builder.omit('command outside of the context');
      return builder.user([
        textBlock(
          `I ran this command: ${textOfField(message['command'])}\n${textOfField(message['output'])}`,
        ),
      ]);
    default:
      return builder.omit(`message of ${textOfField(message['role']) || 'an unknown role'}`);
  }
}

function addAnswer(builder: ConversationBuilder, { content, model }: Fields): void {
  const name = textOfField(model) || 'pi';
  for (const block of listOf(content)) {
    if (block['type'] === 'text' && textOfField(block['text']) !== '')
      builder.assistant(textBlock(textOfField(block['text'])), name);
    else if (block['type'] === 'toolCall')
      builder.call(textOfField(block['id']), textOfField(block['name']), block['arguments'], name);
    else if (block['type'] === 'thinking') builder.omit('reasoning');
  }
}

function contentOf(builder: ConversationBuilder, content: unknown): ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [textBlock(content)];
  return listOf(content).flatMap((block): ContentBlock[] => {
    if (block['type'] === 'text') return [textBlock(textOfField(block['text']))];
    const { data, mimeType: media_type } = block;
    if (block['type'] === 'image' && typeof data === 'string' && typeof media_type === 'string')
      return [{ type: 'image', source: { type: 'base64', media_type, data } }];
    builder.omit(`content of type ${textOfField(block['type']) || 'unknown'}`);
    return [];
  });
}
