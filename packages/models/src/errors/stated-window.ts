/** Reads the context window that a server states when it rejects a request as too long. */

/** Each pattern captures the model's window, never the size of the request. */
const PATTERNS: readonly RegExp[] = [
  // OpenAI, vLLM, DeepSeek, OpenRouter: "maximum context length is 8192 tokens".
  /maximum context length (?:is|of) (?:only )?([\d,]+)/i,
  // Mistral: "too large for model with 32768 maximum context length".
  /(?<![\d,])([\d,]+) maximum context length/i,
  // LM Studio: "loaded with context length of only 4096 tokens".
  /context length of (?:only )?([\d,]+)/i,
  // llama.cpp: "exceeds the available context size (4096 tokens)".
  /(?:available )?context (?:size|window)(?: of)? \(?([\d,]+)(?: tokens)?\)?/i,
  // Older vLLM: "longer than the maximum model length of 4096".
  /maximum model length of ([\d,]+)/i,
  // Gemini and Vertex.
  /maximum number of tokens allowed \(?([\d,]+)/i,
  /only supports up to ([\d,]+)/i,
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum".
  /tokens > ([\d,]+) maximum/i,
  // xAI: "maximum prompt length is 131072".
  /maximum prompt length is ([\d,]+)/i,
  // Moonshot: "exceeded model token limit: 262144".
  /model token limit: ([\d,]+)/i,
  // The fields of llama.cpp's error body.
  /"?n_ctx"?:\s*([\d,]+)/i,
];

/** A smaller number in such a sentence has another meaning. */
const SMALLEST_WINDOW = 512;

export function readStatedWindow(text: string): number | undefined {
  for (const pattern of PATTERNS) {
    const [, digits] = pattern.exec(text) ?? [];
    const tokens = digits === undefined ? Number.NaN : Number(digits.replaceAll(',', ''));
    if (tokens >= SMALLEST_WINDOW) return tokens;
  }
  return undefined;
}
