/** Reads a session of opencode: the JSON of `opencode export`, or the same data from its storage folder. Pure. */
import {
  ConversationBuilder,
  type Fields,
  type ForeignConversation,
  listOf,
  parseObject,
  recordOf,
  textBlock,
  textOfField,
} from './conversation.ts';

/** Undefined if the text is not an exported session. */
export function readOpencode(text: string): ForeignConversation | undefined {
  const exported = parseObject(text);
  const info = recordOf(exported?.['info']);
  if (!exported || typeof info['id'] !== 'string' || !Array.isArray(exported['messages'])) return undefined;
  const builder = new ConversationBuilder();
  for (const { info: about, parts } of listOf(exported['messages'])) {
    const message = recordOf(about);
    const created = Number(recordOf(message['time'])['created']);
    builder.from(`opencode/${info['id']}/${textOfField(message['id'])}`, created);
    const model = textOfField(message['modelID']) || 'opencode';
    for (const part of listOf(parts)) addPart(builder, part, { isUser: message['role'] === 'user', model });
  }
  const title = textOfField(info['title']) || undefined;
  return builder.build({ id: info['id'], cwd: textOfField(info['directory']), title });
}

interface PartOf {
  readonly isUser: boolean;
  readonly model: string;
}

/** Parts about the course of a turn, which a conversation does not need. */
const COURSE: ReadonlySet<unknown> = new Set(['step-start', 'step-finish', 'snapshot', 'patch', 'retry']);

function addPart(builder: ConversationBuilder, part: Fields, { isUser, model }: PartOf): void {
  const text = textOfField(part['text']);
  if (part['type'] === 'text') {
    if (text === '') return;
    return isUser ? builder.user([textBlock(text)]) : builder.assistant(textBlock(text), model);
  }
  if (part['type'] === 'tool') return addCall(builder, part, model);
  if (part['type'] === 'reasoning') return builder.omit('reasoning');
  if (!COURSE.has(part['type'])) builder.omit(`content of type ${textOfField(part['type']) || 'unknown'}`);
}

function addCall(builder: ConversationBuilder, part: Fields, model: string): void {
  const state = recordOf(part['state']);
  const id = textOfField(part['callID']);
  builder.call(id, textOfField(part['tool']), state['input'], model);
  if (state['status'] === 'completed') return builder.result(id, textOfField(state['output']), false);
  if (state['status'] === 'error') return builder.result(id, textOfField(state['error']), true);
  builder.omit('call without a result');
}
