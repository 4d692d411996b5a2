/** OpenRouter looks for cache marks on parts; the package writes a lone text as a string, and the mark beside it. */
type Fields = Readonly<Record<string, unknown>>;

export function withMarkedParts(body: Fields): Fields {
  const { messages } = body;
  return Array.isArray(messages) ? { ...body, messages: messages.map(markedParts) } : body;
}

function markedParts(message: Fields): Fields {
  const { content, cache_control, ...rest } = message;
  if (cache_control === undefined || typeof content !== 'string') return message;
  return { ...rest, content: [{ type: 'text', text: content, cache_control }] };
}
