/** The Messages API's rules that a request can break, each with a name. */

export const RULES = {
  'body-form': 'the body is an object',
  'unknown-field': 'no top-level field that the API does not know',
  'request-size': 'at most 32 MB',
  unicode: 'well-formed Unicode everywhere',
  model: 'a model is named',
  'max-tokens': 'max_tokens is a positive integer',
  thinking: 'thinking is of a known kind, its budget at least 1,024 and below max_tokens',
  effort: 'effort is a known word',
  system: 'the system prompt is a non-empty text or a list of text blocks',
  'tool-name': 'names of tools match ^[a-zA-Z0-9_-]{1,128}$',
  'tool-duplicate': 'each tool is declared once',
  'tool-schema': 'an input schema is a JSON schema of type object',
  'tool-deferred': 'at least one tool is not deferred, and a deferred one carries no cache mark',
  'tool-reference': 'a reference names a deferred tool of the request',
  messages: 'there is at least one message',
  role: 'the role is user or assistant',
  'message-field': 'a message has a role and content, nothing else',
  'first-role': 'the first message is the user’s',
  alternation: 'roles alternate',
  'last-role': 'the last message is the user’s, unless a prefill is asked for',
  'trailing-space': 'a final assistant message does not end in whitespace',
  content: 'content is a non-empty text or a non-empty list of blocks',
  'empty-text': 'no text is empty or only whitespace',
  'block-type': 'the type of a block is known',
  'block-role': 'a block stands in a message of the right role',
  'block-field': 'a block has no field that the API does not know',
  'block-form': 'a block has the fields its type needs',
  'tool-id': 'ids of tool calls match ^[a-zA-Z0-9_-]+$',
  'tool-id-duplicate': 'the id of a tool call is unique',
  'tool-input': 'the input of a tool call is an object',
  'result-missing': 'every tool call has its result in the very next message',
  'result-order': 'results come before everything else in their message',
  'result-orphan': 'every result answers a call of the message before',
  'result-duplicate': 'a call has one result',
  'result-content': 'a result holds text, images, documents; an error is not empty',
  'thinking-signature': 'a thinking block has a signature',
  'thinking-unknown': 'a signature was issued by the server',
  'thinking-changed': 'a thinking block comes back unchanged',
  'thinking-model': 'a thinking block goes back to the model that wrote it',
  'thinking-mode': 'the model accepts this kind of thinking',
  'thinking-first': 'a tool turn with thinking enabled begins with a thinking block',
  'thinking-last': 'a thinking block is not the last of its message',
  'mark-count': 'at most 4 cache marks',
  'mark-place': 'no cache mark on thinking or on empty text',
  'mark-form': 'a cache mark is ephemeral, for 5m or 1h',
  'media-type': 'the type of media is supported',
  'media-data': 'media data is valid base64, or an address, or a file',
  'media-size': 'an image is at most 5 MB in base64',
  'media-count': 'at most 100 images and documents',
} as const;

export type RequestRule = keyof typeof RULES;

export interface RequestViolation {
  /** The position in the API's notation: `messages.3.content.0`. */
  readonly path: string;
  readonly rule: RequestRule;
  readonly message: string;
}

/** Reports a broken rule at a position. The message defaults to the rule itself. */
export type Report = (path: string, rule: RequestRule, message?: string) => void;
