import { describe, expect, it } from 'vitest';
import { Secrets } from '../secrets/secrets.ts';
import { classifyFailure, type Failure } from './classify.ts';
import { NO_API, type ErrorRow, TABLE, UNKNOWN } from './error-rows.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

interface Given {
  readonly status?: number;
  readonly type?: string;
  readonly text?: string;
  readonly body?: string;
  readonly headers?: Failure['headers'];
  readonly media?: boolean;
}

function classified({
  status,
  type = 'some_error',
  text = 'words',
  body,
  headers = {},
  media = false,
}: Given) {
  const envelope = { type: 'error', error: { type, message: text }, request_id: 'req_7' };
  return classifyFailure(
    { status, headers, body: body ?? JSON.stringify(envelope), hasMedia: () => media, now: NOW },
    new Secrets(),
  );
}

/** One example for each row, in the order of the table. */
const EXAMPLES: readonly (Given & { readonly class: string; readonly says: RegExp })[] = [
  { status: 529, class: 'overloaded', says: /fallback model/ },
  {
    status: 401,
    text: 'invalid x-api-key',
    class: 'auth',
    says: /refused the key \(401: invalid x-api-key\)\. Check ANTHROPIC_API_KEY/,
  },
  { status: 402, class: 'permission', says: /credit/ },
  { status: 403, class: 'permission', says: /access/ },
  { status: 404, text: 'model: claude-nine', class: 'not_found', says: /model: claude-nine.*heddle models/ },
  { status: 407, class: 'network', says: /user and password into HTTPS_PROXY/ },
  { status: 413, text: 'image is too big', media: true, class: 'media', says: /smaller or fewer/ },
  { status: 413, text: 'Request exceeds the maximum size', media: true, class: 'overflow', says: /Compact/ },
  { status: 429, class: 'rate_limit', says: /Wait/ },
  { status: 409, class: 'network', says: /Try again/ },
  { status: 504, class: 'server', says: /too long/ },
  { status: 503, class: 'server', says: /problem of its own/ },
  {
    status: 400,
    text: 'prompt is too long: 210000 tokens > 200000 maximum',
    class: 'overflow',
    says: /Compact/,
  },
  {
    status: 400,
    text: 'messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
    media: true,
    class: 'media',
    says: /smaller one/,
  },
  {
    status: 400,
    text: 'Your credit balance is too low to access the API',
    class: 'permission',
    says: /credit/,
  },
  {
    status: 400,
    text: 'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block',
    class: 'bad_request',
    says: /without them/,
  },
  {
    status: 400,
    text: 'messages.3.content.1: Invalid `signature` in `thinking` block',
    class: 'refused_block',
    says: /note/,
  },
  {
    status: 400,
    text: 'max_tokens: must be positive',
    class: 'bad_request',
    says: /max_tokens: must be positive/,
  },
  {
    status: 308,
    headers: { location: 'https://elsewhere.test/' },
    class: 'bad_request',
    says: /moved to https:\/\/elsewhere\.test\//,
  },
];

describe('the table of errors', () => {
  it('has one example for each row', () => {
    expect(EXAMPLES).toHaveLength(TABLE.length);
  });

  it.each(EXAMPLES.map((example, row) => Object.assign({ row }, example)))(
    'row $row: $status “$text” is $class',
    ({ row, class: expected, says, ...given }) => {
      const error = classified(given);
      expect(error.class).toBe(expected);
      expect(error.message).toMatch(says);
      expect(error.message).toContain(TABLE[row]?.what);
      expect(error.message).toContain(TABLE[row]?.advice);
      expect(error).toMatchObject({ type: 'model_error', status: given.status, requestId: 'req_7' });
    },
  );

  it.each(TABLE.filter((row): row is ErrorRow & { type: string } => row.type !== undefined && !row.text))(
    '$type decides inside a stream, where there is no status',
    ({ type, class: expected }) => {
      expect(classified({ type }).class).toBe(expected);
    },
  );

  it.each([
    ['overloaded_error', 529],
    ['api_error', 500],
    ['invalid_request_error', 400],
    ['rate_limit_error', 429],
  ])('%s inside a stream has the status %i', (type, status) => {
    expect(classified({ type })).toMatchObject({ status });
  });

  it('takes an error that it does not know for one of the server', () => {
    expect(classified({ type: 'error_of_tomorrow' })).toMatchObject({ class: UNKNOWN.class });
    expect(classified({ status: 599, body: '' })).toMatchObject({ class: 'server' });
  });

  it('believes the type where the status is too coarse', () => {
    expect(classified({ status: 500, type: 'overloaded_error' }).class).toBe('overloaded');
  });
});

describe('an error', () => {
  it('does not blame images for a request that has none', () => {
    expect(classified({ status: 413, text: 'too many images or documents', media: false }).class).toBe(
      'overflow',
    );
    expect(classified({ status: 400, text: 'image exceeds 5 MB maximum', media: false }).class).toBe(
      'bad_request',
    );
  });

  it('says where a refused block stands', () => {
    const { block } = classified({ status: 400, text: 'messages.12.content.3.tool_use.id: bad' });
    expect(block).toEqual({ message: 12, block: 3 });
  });

  it.each([
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'prompt is too long',
    'This request exceeds the context window of the model',
  ])('“%s” means that the conversation is too long', (text) => {
    expect(classified({ status: 400, type: 'invalid_request_error', text }).class).toBe('overflow');
  });

  it.each([
    'A maximum of 100 PDF pages may be provided.',
    'messages.2.content.0: image dimensions exceed the maximum: 8000 pixels',
    'too many images: at most 100',
  ])('“%s” is about media', (text) => {
    expect(classified({ status: 400, text, media: true }).class).toBe('media');
  });

  it.each([
    ['true', true],
    ['false', false],
    ['perhaps', undefined],
  ])('takes x-should-retry %s at its word', (word, shouldRetry) => {
    expect(classified({ status: 503, headers: { 'x-should-retry': word } }).shouldRetry).toBe(shouldRetry);
  });

  it('names the time at which a limit begins anew', () => {
    const error = classified({ status: 429, headers: { 'retry-after': '754' } });
    expect(error.retryAfterMs).toBe(754_000);
    expect(error.message).toContain('It resets at 2026-01-01 00:12:34 UTC, in 13 minutes.');
  });

  it.each([502, 503, 403, 404, 429])('says that a web page with status %i is not the API', (status) => {
    const page = '<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head><body>…</body></html>';
    const { message } = classified({ status, body: page });
    expect(message).toContain(
      `(${status}: instead of the API, something answered: a web page titled “502 Bad Gateway”)`,
    );
  });

  it('is told at once where a page comes instead of an answer', () => {
    const error = classified({ status: 200, body: '<html>Log in</html>' });
    expect(error).toMatchObject({ class: NO_API.class, shouldRetry: false });
    expect(error.message).toContain('ANTHROPIC_BASE_URL');
  });

  it('does not repeat long texts', () => {
    expect(classified({ status: 400, text: 'x'.repeat(10_000) }).message.length).toBeLessThan(800);
  });
});
