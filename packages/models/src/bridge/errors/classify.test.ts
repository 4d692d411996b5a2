import { describe, expect, it } from 'vitest';
import { Secrets } from '../../secrets/secrets.ts';
import { classifyThrown, type ProviderInfo } from './classify.ts';

const KEY = 'sk-proj-0123456789abcdef';
const NOW = Date.parse('2026-11-01T00:00:00Z');

function scene(more: Partial<ProviderInfo> = {}): ProviderInfo {
  const secrets = new Secrets();
  secrets.add(KEY);
  return {
    name: 'OpenAI',
    connection: { origin: 'https://api.openai.com', isOwnAddress: false },
    secrets,
    key: 'OPENAI_API_KEY',
    address: 'OPENAI_BASE_URL',
    ...more,
  };
}

function classified(thrown: unknown, hasMedia = false, more: Partial<ProviderInfo> = {}) {
  return classifyThrown(thrown, scene(more), { hasMedia: () => hasMedia, now: NOW, requestId: undefined });
}

/** As the packages throw it. */
function answered(statusCode: number, body: unknown, responseHeaders: Readonly<Record<string, string>> = {}) {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  const error = new Error('the message of the package');
  return Object.assign(error, { name: 'AI_APICallError', statusCode, responseHeaders, responseBody });
}

const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const google = (code: number, status: string, message: string) => ({ error: { code, status, message } });

describe('an answer that is an error', () => {
  it.each([
    [
      400,
      openai("This model's maximum context length is 128000 tokens", 'context_length_exceeded'),
      'overflow',
    ],
    [400, openai('Your input exceeds the context window of this model.'), 'overflow'],
    [
      400,
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (9) exceeds the maximum number of tokens allowed (8).',
      ),
      'overflow',
    ],
    [400, { message: 'Input is too long for requested model.' }, 'overflow'],
    [
      400,
      {
        error: {
          message:
            'request (40000 tokens) exceeds the available context size (4096 tokens), try increasing it',
          type: 'exceed_context_size_error',
        },
      },
      'overflow',
    ],
    [
      400,
      { object: 'error', message: "This model's maximum context length is 8192 tokens.", code: 400 },
      'overflow',
    ],
    [413, openai('Request too large for model'), 'overflow'],
    [401, openai('Incorrect API key provided', 'invalid_api_key'), 'auth'],
    [400, google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'), 'auth'],
    [403, { message: 'The security token included in the request is invalid.' }, 'auth'],
    [402, openai('Insufficient Balance'), 'permission'],
    [
      429,
      openai('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'),
      'permission',
    ],
    [403, google(403, 'PERMISSION_DENIED', 'The caller does not have permission'), 'permission'],
    [404, openai('The model does not exist', 'model_not_found'), 'not_found'],
    [400, openai('The model `gpt-9` does not exist'), 'not_found'],
    [404, { error: "model 'qwen9' not found" }, 'not_found'],
    [429, openai('Rate limit reached', 'rate_limit_exceeded', 'requests'), 'rate_limit'],
    [
      429,
      google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan'),
      'rate_limit',
    ],
    [503, google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'), 'overloaded'],
    [503, openai('Service unavailable'), 'server'],
    [529, '', 'overloaded'],
    [500, openai('The server had an error'), 'server'],
    [502, '<html><head><title>502 Bad Gateway</title></head></html>', 'server'],
    [408, '', 'network'],
    [400, openai('Unknown parameter: foo'), 'bad_request'],
    [422, { detail: 'body.messages: not good' }, 'bad_request'],
    [307, '', 'bad_request'],
  ])('%i %j is of class %s', (status, body, errorClass) => {
    expect(classified(answered(status, body))).toMatchObject({ class: errorClass, status });
  });

  it.each([
    [400, openai('Invalid image: it exceeds the maximum size of 20 MB.')],
    [400, openai('This model does not support image input')],
    [400, google(400, 'INVALID_ARGUMENT', 'Unable to process input image.')],
    [413, openai('The images are too large')],
  ])('%i %j is about media where there are some', (status, body) => {
    expect(classified(answered(status, body), true)).toMatchObject({ class: 'media' });
    expect(classified(answered(status, body), false)).not.toMatchObject({ class: 'media' });
  });

  it('says how long to wait, in a header or in the body', () => {
    const limited = answered(429, openai('slow down'), { 'retry-after': '7' });
    expect(classified(limited)).toMatchObject({ retryAfterMs: 7_000 });
    const body = google(429, 'RESOURCE_EXHAUSTED', 'slow down');
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.5s' }];
    const outcome = classified(answered(429, { error: { ...body.error, details } }));
    expect(outcome).toMatchObject({ retryAfterMs: 34_500 });
    expect(outcome.message).toContain('It resets at 2026-11-01 00:00:35 UTC');
  });

  it('says what happened, in whose words, and what to do', () => {
    expect(classified(answered(401, openai('Incorrect API key provided'))).message).toBe(
      'OpenAI: The provider refused the key (401: Incorrect API key provided). Check OPENAI_API_KEY.',
    );
    expect(classified(answered(404, '<title>Nothing here</title>')).message).toContain(
      'a web page titled “Nothing here”',
    );
  });

  it('never holds a key', () => {
    const { message } = classified(answered(401, openai(`Incorrect API key provided: ${KEY}.`)));
    expect(message).not.toContain(KEY);
    expect(message).toContain('[redacted]');
    const long = classified(answered(400, openai(`${'x'.repeat(490)} ${KEY}`))).message;
    expect(long).not.toContain(KEY.slice(0, 8));
  });

  it('obeys x-should-retry', () => {
    const outcome = classified(answered(500, openai('no'), { 'x-should-retry': 'false' }));
    expect(outcome).toMatchObject({ class: 'server', shouldRetry: false });
  });
});

describe('a conversation that is too long', () => {
  it.each([
    [
      'OpenAI',
      400,
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    ],
    [
      'OpenAI, by its limit for a minute',
      429,
      'Request too large for gpt-5 in organization org on tokens per min (TPM): Limit 30000, Requested 40000.',
    ],
    [
      'Gemini',
      400,
      'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    ],
    [
      'Vertex',
      400,
      'Unable to submit request because the input token count is 1500000 but model only supports up to 1048576.',
    ],
    [
      'Claude on Bedrock',
      400,
      'The model returned the following errors: prompt is too long: 214342 tokens > 200000 maximum',
    ],
    [
      'Nova on Bedrock',
      400,
      'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length.',
    ],
    [
      'Mistral',
      400,
      'Prompt contains 43000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    ],
    ['Groq', 400, 'Please reduce the length of the messages or completion.'],
    [
      'Groq, by its limit for a minute',
      413,
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000',
    ],
    ['xAI', 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    [
      'DeepSeek',
      400,
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens.",
    ],
    [
      'OpenRouter',
      400,
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.",
    ],
    ['llama.cpp', 400, 'the request exceeds the available context size (8192 tokens), try increasing it'],
    ['vLLM', 400, 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.'],
    [
      'LM Studio',
      400,
      'Trying to keep the first 5117 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    ],
    ['Ollama', 400, 'the input length exceeds the context length'],
    ['Moonshot', 400, 'Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)'],
    ['Z.ai', 400, 'Prompt exceeds max length'],
    ['Together', 422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769.'],
    ['LiteLLM', 400, 'litellm.ContextWindowExceededError: litellm.BadRequestError: it is long'],
  ])('is known in the words of %s', (_, status, message) => {
    expect(classified(answered(status, openai(message)))).toMatchObject({ class: 'overflow' });
  });

  it('states the window of a local server, where the server does', () => {
    const message = 'request (40000 tokens) exceeds the available context size (4096 tokens)';
    expect(classified(answered(400, openai(message)))).toMatchObject({ class: 'overflow', window: 4_096 });
    expect(classified(answered(400, openai('Prompt exceeds max length')))).not.toHaveProperty('window');
  });

  it('is known in what a router relays', () => {
    const raw = JSON.stringify({ error: { message: 'prompt is too long: 214342 tokens > 200000 maximum' } });
    const error = {
      message: 'Provider returned error',
      code: 400,
      metadata: { raw, provider_name: 'Anthropic' },
    };
    const outcome = classified(answered(400, { error }));
    expect(outcome).toMatchObject({ class: 'overflow' });
    expect(outcome.message).toContain('(400: Anthropic: prompt is too long: 214342 tokens > 200000 maximum)');
  });
});

describe('a model that cannot call tools', () => {
  it.each([
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    [404, 'No endpoints found that support tool use. Try disabling "Look".'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  ])('says so: %i %s', (status, message) => {
    const outcome = classified(answered(status, openai(message)));
    expect(outcome).toMatchObject({ class: 'bad_request' });
    expect(outcome.message).toContain('choose a model that can');
  });

  it('as it should is asked again: the next call may be readable', () => {
    const failed = openai('Failed to call a function.', 'tool_use_failed');
    expect(classified(answered(400, failed))).toMatchObject({ class: 'server' });
  });
});

describe('an error in a stream', () => {
  it.each([
    [{ message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' }, 'rate_limit'],
    [{ type: 'error', code: 'context_length_exceeded', message: 'too long' }, 'overflow'],
    [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'x' } } }, 'server'],
    [{ message: 'The engine is currently overloaded' }, 'overloaded'],
    [{ code: 503, message: 'The model is overloaded', status: 'UNAVAILABLE' }, 'overloaded'],
    [{ message: 'Too many requests', name: 'throttlingException' }, 'rate_limit'],
    ['only words', 'server'],
    [undefined, 'server'],
  ])('%j is of class %s', (error, errorClass) => {
    expect(classified(error)).toMatchObject({ class: errorClass });
  });

  it('says how long to wait in words', () => {
    const wait = (message: string) =>
      classified({ message, type: 'tokens', code: 'rate_limit_exceeded' }).retryAfterMs;
    expect(wait('Rate limit reached. Please try again in 1.5s. Visit…')).toBe(1_500);
    expect(wait('Please try again in 6m12.5s.')).toBe(372_500);
    expect(wait('Please try again in 20ms.')).toBe(20);
    expect(wait('Please try again later.')).toBeUndefined();
  });

  it.each([
    [{ error: 'the slot was lost' }, 'server', 'the slot was lost'],
    [{ object: 'error', message: 'the model is overloaded', code: 503 }, 'overloaded', 'overloaded'],
    [{ error: { detail: 'of no known shape' }, type: 'x' }, 'server', 'of no known shape'],
  ])('that the package could not read is read all the same: %j', (value, errorClass, words) => {
    const error = Object.assign(new Error('Type validation failed'), {
      name: 'AI_TypeValidationError',
      value,
    });
    const outcome = classified(error);
    expect(outcome).toMatchObject({ class: errorClass });
    expect(outcome.message).toContain(words);
  });

  it('that quotes what could not be read is told short', () => {
    const error = Object.assign(new Error(`Type validation failed: Value: ${'x'.repeat(900)}`), {
      name: 'AI_TypeValidationError',
    });
    expect(classified(error).message).toBe(
      'OpenAI: The provider sent something that cannot be read. It is tried again by itself; if this lasts, check OPENAI_BASE_URL.',
    );
  });
});

describe('a connection that died', () => {
  const wrapped = (code: string, message = 'x') =>
    Object.assign(new Error('Cannot connect to API'), {
      name: 'AI_APICallError',
      cause: new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) }),
    });

  it.each([
    ['ECONNREFUSED', 'nothing listens there'],
    ['ECONNRESET', 'closed by the other side'],
    ['UND_ERR_SOCKET', 'closed by the other side'],
    ['UND_ERR_CONNECT_TIMEOUT', 'took too long to connect'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
    ['ENOTFOUND', 'its name is not known'],
    ['EAI_AGAIN', 'could not be looked up'],
  ])('of %s says so', (code, words) => {
    const error = classified(wrapped(code));
    expect(error).toMatchObject({ class: 'network' });
    expect(error.message).toContain(`No connection to https://api.openai.com: `);
    expect(error.message).toContain(words);
  });

  it('in the middle of an answer is not taken for the answer', () => {
    const cut = Object.assign(wrapped('UND_ERR_SOCKET'), { statusCode: 200 });
    expect(classified(cut)).toMatchObject({ class: 'network' });
    expect(classified(new TypeError('terminated'))).toMatchObject({ class: 'network' });
  });

  it('because a server on this machine does not run is not tried again, and says how to start it', () => {
    const error = classified(wrapped('ECONNREFUSED'), false, { howToStart: 'Start it with: ollama serve' });
    expect(error).toMatchObject({ class: 'network', shouldRetry: false });
    expect(error.message).toContain('ollama serve');
  });
});

it('what cannot be said to this provider is not tried again', () => {
  const error = Object.assign(new Error("'audio' functionality not supported"), {
    name: 'AI_UnsupportedFunctionalityError',
  });
  expect(classified(error)).toMatchObject({ class: 'bad_request' });
});
