/** Messages, views and printed requests for the tests of this folder. */
import {
  bodyOf,
  explainViolations,
  messagesBytes,
  type ValidationOptions,
  validateRequest,
} from '@heddle/testing';
import type { ContentBlock } from '../../messages/blocks.ts';
import { History } from '../../messages/history.ts';
import type {
  AssistantMessage,
  Attachment,
  Message,
  SystemMessage,
  UserMessage,
} from '../../messages/message.ts';
import type { ModelRequest } from '../../model/port.ts';
import { type BuiltRequest, buildRequest } from '../builder.ts';
import { requestSpec, type RequestSpec } from '../request-spec.ts';

export const MODEL = 'model-one';

let count = 0;
const stamp = () => ({ uuid: `uuid-${++count}`, at: count });

const VIEW = requestSpec({
  model: MODEL,
  maxOutputTokens: 8_192,
  systemPrompt: ['You weave.'],
  systemContext: {},
  userContext: {},
  tools: [],
});

export const view = (changes: Partial<RequestSpec> = {}): RequestSpec => ({ ...VIEW, ...changes });

/** A message of any shape, as a history may contain at run time. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests use values that the types forbid
export const broken = (value: unknown): Message => value as Message;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same for blocks
export const odd = (value: unknown): ContentBlock => value as ContentBlock;

export const user = (
  content: string | readonly ContentBlock[],
  more: Partial<UserMessage> = {},
): UserMessage => ({
  type: 'user',
  ...stamp(),
  content,
  ...more,
});

export const answer = (
  responseId: string,
  content: readonly ContentBlock[],
  more: Partial<AssistantMessage> = {},
): AssistantMessage => ({ type: 'assistant', ...stamp(), responseId, model: MODEL, content, ...more });

export const failure = (apiError: NonNullable<AssistantMessage['apiError']>): AssistantMessage =>
  answer('none', [say('API error')], { apiError });

export const system = (subtype: SystemMessage['subtype'], content = 'words'): SystemMessage => ({
  type: 'system',
  ...stamp(),
  subtype,
  content,
});

export const attach = (attachment: Attachment): Message => ({ type: 'attachment', ...stamp(), attachment });
export const remind = (text: string): Message => attach({ kind: 'reminder', about: 'other', text });
export const tombstone = (...messages: readonly Message[]): Message => ({
  type: 'tombstone',
  ...stamp(),
  uuids: messages.map((message) => message.uuid),
});

export const say = (text: string): ContentBlock => ({ type: 'text', text });
export const call = (id: string, name = 'Read'): ContentBlock => ({ type: 'tool_use', id, name, input: {} });
export const result = (id: string, content = 'done'): ContentBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
export const think = (thinking: string, signature = 'signed'): ContentBlock => ({
  type: 'thinking',
  thinking,
  signature,
});
export const image = (data = 'aGVk', media_type = 'image/png'): ContentBlock => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});

export const history = (...messages: readonly Message[]): History<Message> => History.of(messages);

export const build = (messages: readonly Message[], changes: Partial<RequestSpec> = {}): BuiltRequest =>
  buildRequest(view(changes), history(...messages));

/** Prints one line per block: role, type and text. */
export function lines(request: ModelRequest): string[] {
  return [...request.messages].flatMap(({ role, content }) =>
    content.map((block) => `${role === 'user' ? 'U' : 'A'} ${describeContent(block)}`),
  );
}

function describeContent(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool_use':
      return `call ${block.id}`;
    case 'tool_result': {
      const content =
        typeof block.content === 'string' ? block.content : block.content.map(describeContent).join('+');
      return `result ${block.tool_use_id}${block.is_error === true ? '!' : ''} ${content}`;
    }
    case 'thinking':
    case 'redacted_thinking':
    case 'image':
    case 'document':
      return block.type;
    default:
      return String(block.type);
  }
}

export const linesOf = (messages: readonly Message[], changes: Partial<RequestSpec> = {}): string[] =>
  lines(build(messages, changes).request);

/** Returns the reasons for which the API would reject the request. */
export function complaints(request: ModelRequest, options: ValidationOptions = {}): string {
  return explainViolations(validateRequest(bodyOf(request), options));
}

const MARK = ',"cache_control":{"type":"ephemeral"}';

export const sentBytes = (request: ModelRequest): string => new TextDecoder().decode(messagesBytes(request));

/** The bytes without cache marks, which move. No sample contains the text of a mark. */
export const plainBytes = (request: ModelRequest): string => sentBytes(request).replaceAll(MARK, '');

/**
 * Returns true if one request begins with the other. The last message and the list may continue, and deferred tools may
 * be added.
 */
export function isPrefix(before: ModelRequest, after: ModelRequest): boolean {
  const toolsIn = ({ tools }: ModelRequest, isDeferred: boolean): readonly string[] =>
    tools
      .filter(({ defer_loading }) => (defer_loading === true) === isDeferred)
      .map((tool) => JSON.stringify({ ...tool, cache_control: undefined }));
  const deferred = toolsIn(after, true);
  return (
    JSON.stringify(toolsIn(before, false)) === JSON.stringify(toolsIn(after, false)) &&
    toolsIn(before, true).every((tool) => deferred.includes(tool)) &&
    plainBytes(after).startsWith(plainBytes(before).slice(0, -']}]'.length))
  );
}
