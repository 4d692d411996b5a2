import { describe, expect, it } from 'vitest';
import { readStatedWindow } from './stated-window.ts';

describe('the window that a server states', () => {
  it.each([
    ['llama.cpp', 'the request exceeds the available context size (8192 tokens), try increasing it', 8_192],
    ['llama.cpp', 'request (40000 tokens) exceeds the available context size (4096 tokens)', 4_096],
    ['vLLM', 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 4_096],
    [
      'vLLM',
      "This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens.",
      32_768,
    ],
    [
      'LM Studio',
      'Trying to keep the first 5117 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      4_096,
    ],
    ['OpenAI', "This model's maximum context length is 128,000 tokens.", 128_000],
    [
      'Gemini',
      'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      1_048_576,
    ],
    ['Vertex', 'the input token count is 1500000 but model only supports up to 1048576.', 1_048_576],
    [
      'Mistral',
      'Prompt contains 43000 tokens, too large for model with 32768 maximum context length',
      32_768,
    ],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
    ['Anthropic', 'prompt is too long: 214342 tokens > 200000 maximum', 200_000],
    ['Moonshot', 'Your request exceeded model token limit: 262144 (requested: 300000)', 262_144],
    ['Ollama', 'the input length exceeds the context length', undefined],
    [
      'a limit for a minute',
      'Request too large on tokens per min (TPM): Limit 30000, Requested 40000.',
      undefined,
    ],
  ])('is read from the words of %s', (_server, text, window) => {
    expect(readStatedWindow(text)).toBe(window);
  });
});
