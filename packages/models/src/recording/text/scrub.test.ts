import { describe, expect, it } from 'vitest';
import type { ApiEvent } from '@heddle/core';
import { DeltaBuffer, type TimedEvent } from '../write/attempt-recorder.ts';
import { deltaText } from './chunks.ts';
import { Scrubber, secretValues } from './scrub.ts';

const scrubber = new Scrubber(
  secretValues({
    ANTHROPIC_API_KEY: 'my-own-key',
    DEPLOY_TOKEN: 'two words "quoted"',
    HTTPS_PROXY: 'http://someone:hunter22@proxy:80',
    DB_PASS: 'swordfish-7',
    STRIPE_KEY: 'rk_live_something',
    SSHPASSPHRASE: 'open sesame',
    MONKEY: 'capuchin-monkey',
    SHORT_TOKEN: 'short',
    PATH: '/usr/bin:/bin',
  }),
);

const [githubToken, awsKey] = [`ghp_${'a1B2'.repeat(9)}`, `AKIA${'ABCD1234'.repeat(2)}`];

const BLOTS = '[redacted], [redacted], [redacted]';

describe('redaction of a text', () => {
  it.each([
    ['a key of ours', 'it is my-own-key.', 'it is [redacted].'],
    ['a key of ours in an address', 'http://x/?k=my-own-key&y=1', 'http://x/?k=[redacted]&y=1'],
    ['a value with spaces and quotes', 'run two words "quoted" now', 'run [redacted] now'],
    ['the password of a proxy', 'hunter22', '[redacted]'],
    ['a key by its looks', 'sk-ant-api03-abcdefgh and sk-proj-0123456789abcdef', '[redacted] and [redacted]'],
    [
      'a key behind an escape, as JSON has it',
      String.raw`{"a":"x\nsk-ant-api03-abcdefgh"}`,
      String.raw`{"a":"x\n[redacted]"}`,
    ],
    ['a token of GitHub', `x=${githubToken};`, 'x=[redacted];'],
    ['a key of AWS', `id ${awsKey}`, 'id [redacted]'],
    ['a header', 'Authorization: Bearer abc', 'Authorization: Bearer [redacted]'],
    [
      'a header in JSON in JSON',
      String.raw`\"authorization\": \"Basic YWJj\"`,
      String.raw`\"authorization\": \"Basic [redacted]\"`,
    ],
    ['a password in an address', 'postgres://app:s3cret@db/x', 'postgres://app:[redacted]@db/x'],
    ['what a variable calls a key or a password', 'swordfish-7, rk_live_something, open sesame', BLOTS],
    [
      'a private key with a password',
      'a -----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: x\n\nMII\n-----END RSA PRIVATE KEY----- b',
      'a [redacted] b',
    ],
    [
      'a private key',
      'a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b',
      'a [redacted] b',
    ],
    [
      'what a file gives to a variable of such a name',
      'AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG\nexport DB_PASSWORD="hunter2hunter2"',
      'AWS_SECRET_ACCESS_KEY=[redacted]\nexport DB_PASSWORD="[redacted]"',
    ],
    [
      'the same in JSON in JSON',
      String.raw`{\"env\":{\"MY_API_KEY\": \"0123abcd4567\"}}`,
      String.raw`{\"env\":{\"MY_API_KEY\": \"[redacted]\"}}`,
    ],
    ['no code', 'const API_KEY = process.env.KEY1; MAX_TOKEN = limitOf2(x); NO_TOKEN: 123456789', undefined],
    [
      'keys of other services',
      `sk_live_${'a1'.repeat(10)}, gsk_${'b2'.repeat(12)}, xai-${'c3'.repeat(12)}`,
      BLOTS,
    ],
    [
      'the address of a hook',
      'https://hooks.slack.com/services/T0123/B0123/abcdef0123',
      'https://hooks.slack.com/services/[redacted]',
    ],
    ['nothing else', 'short words, task-force-one, a Bearer of news, /usr/bin, a capuchin-monkey', undefined],
  ])('%s', (_, text, expected = text) => {
    expect(scrubber.text(text)).toBe(expected);
  });

  it('covers values at any depth, including field names', () => {
    const value = { 'my-own-key': [{ text: 'my-own-key' }, 7, null] };
    expect(scrubber.value(value)).toEqual({ '[redacted]': [{ text: '[redacted]' }, 7, null] });
    const clean = { a: 1 };
    expect(scrubber.value(clean)).toBe(clean);
  });
});

describe('a text that streams', () => {
  const delta = (text: string): TimedEvent => ({
    at: 0,
    record: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  });
  const textOf = (record: ApiEvent): string => deltaText(record)?.text ?? '';

  const SECRETS = [
    'my-own-key',
    'two words "quoted"',
    'sk-ant-api03-abcdefgh',
    githubToken,
    'Bearer abcdefghij0123456',
  ];
  const TEXT = `First ${SECRETS.join(' then, ')} and the rest is harmless.`;

  it.each([1, 2, 3, 5, 7, 11, 19, 40])('contains no secret, cut into chunks of %s', (size) => {
    const held = new DeltaBuffer(scrubber);
    const pieces = TEXT.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
    const emitted = [...pieces.flatMap((piece) => held.take(delta(piece))), ...held.end()];
    expect(emitted).toHaveLength(pieces.length);
    expect(emitted.map(({ record }) => textOf(record)).join('')).toBe(scrubber.text(TEXT));
  });

  it('is written as it arrives, except for the unfinished word', () => {
    const held = new DeltaBuffer(scrubber);
    expect(held.take(delta('One moment, '))).toHaveLength(1);
    expect(held.take(delta('my-own'))).toEqual([]);
    expect(held.take({ at: 1, record: { type: 'ping' } })).toEqual([]);
    expect(held.take(delta('-key ')).map(({ record }) => textOf(record))).toEqual(['[redacted]', '', ' ']);
  });
});
