import { describe, expect, it } from 'vitest';
import { readMilliseconds, readVariable, withoutSecrets } from './environment.ts';
import { Secrets, secretsIn } from './secrets.ts';

describe('secrets', () => {
  it('are redacted everywhere, also within addresses and inside each other', () => {
    const secrets = new Secrets();
    secrets.add('token-1', ' token-1-long ', 'p@ss/word', undefined, '');
    expect(secrets.redact('a token-1-long, token-1, p@ss/word, http://u:p%40ss%2Fword@h')).toBe(
      'a [redacted], [redacted], [redacted], http://u:[redacted]@h',
    );
  });

  it('are recognized by their format, too', () => {
    expect(new Secrets().redact('key sk-ant-api03-abcdefgh123 was refused')).toBe(
      'key [redacted] was refused',
    );
  });

  it('may be half a character without causing an exception', () => {
    const secrets = new Secrets();
    secrets.add('\ud800broken');
    expect(secrets.redact('a \ud800broken one')).toBe('a [redacted] one');
  });

  it('do not make words unreadable because they are short', () => {
    const secrets = new Secrets();
    secrets.add('k');
    expect(secrets.redact('look')).toBe('look');
  });
});

describe('secrets in the output of tools', () => {
  const KEY = 'sk-test-4f9Zq1Kx7Lw2+/"';
  const known = () => {
    const secrets = new Secrets();
    secrets.add(KEY, 'ollama', 'lm-studio', 'not-needed', '1234567');
    return secrets;
  };

  it.each([
    KEY,
    `a${KEY}b${KEY}c`,
    JSON.stringify({ key: KEY }),
    `https://h/?key=${encodeURIComponent(KEY)}`,
    ...['', 'a', 'ab', 'abc'].map((before) => Buffer.from(`${before}${KEY}${before}`).toString('base64')),
    Buffer.from(`user:${KEY}`).toString('base64url'),
    Buffer.from(KEY).toString('hex'),
    Buffer.from(KEY).toString('hex').toUpperCase(),
  ])('are redacted in every form: %s', (text) => {
    const shown = known().redactOutput(text);
    expect(shown).toContain('[redacted]');
    expect(shown).not.toMatch(/4f9Zq1|NGY5WnEx|3466395a/i);
  });

  it('leave unchanged words that are set in place of a key, and foreign keys', () => {
    const text = 'ollama lm-studio not-needed 1234567 sk-ant-api03-of-a-test-file';
    expect(known().redactOutput(text)).toBe(text);
  });

  it('are found in the texts of a value, which stays the same if it has none', () => {
    const clean = { a: ['x', { b: 1 }], c: null, d: new Date(0) };
    expect(known().redactValue(clean)).toBe(clean);
    expect(known().redactValue({ ...clean, e: [{ f: `-${KEY}-` }] })).toEqual({
      ...clean,
      e: [{ f: '-[redacted]-' }],
    });
  });

  it('are found when they arrive in chunks, and no other text is lost or held forever', () => {
    const text = `one sk-test- two ${KEY} three ${KEY.slice(0, 9)}`;
    for (const size of [1, 2, 3, 7, 50]) {
      const stream = known().stream();
      let shown = '';
      for (let at = 0; at < text.length; at += size) shown += stream.push(text.slice(at, at + size));
      expect(shown).toBe('one sk-test- two [redacted] three ');
      expect(shown + stream.end()).toBe(`one sk-test- two [redacted] three ${KEY.slice(0, 9)}`);
    }
  });

  it('are read from an environment: keys, cloud accounts and passwords of proxies', () => {
    const environment = {
      GROQ_API_KEY: 'gsk',
      AWS_SECRET_ACCESS_KEY: 'aws',
      HTTPS_PROXY: 'http://u:pass@h',
      GITHUB_TOKEN: 'gh',
    };
    expect(secretsIn(environment)).toEqual(['gsk', 'aws', 'pass', 'pass', expect.any(String)]);
  });
});

describe('the environment of a child process', () => {
  it('contains all variables except keys and their copies', () => {
    const environment = {
      PATH: '/bin',
      ANTHROPIC_API_KEY: 'sk-ant-12345678',
      ANTHROPIC_AUTH_TOKEN: 'token-12345678',
      COPY: 'Bearer token-12345678',
      GITHUB_TOKEN: 'of-the-user',
      UNSET: undefined,
    };
    expect(withoutSecrets(environment)).toEqual({ PATH: '/bin', GITHUB_TOKEN: 'of-the-user' });
  });
});

describe('the environment of a child process on a case-insensitive system', () => {
  it('contains no key either, and no copy', () => {
    const environment = { anthropic_api_key: 'token-12345678', COPY: 'token-12345678', PATH: '/bin' };
    expect(withoutSecrets(environment)).toEqual({ PATH: '/bin' });
  });
});

describe('a variable', () => {
  it('that is blank counts as unset', () => {
    expect(readVariable({ A: ' ' }, 'A')).toBeUndefined();
    expect(readVariable({ A: ' x ' }, 'A')).toBe('x');
  });

  it.each([
    ['1500', 1_500],
    ['0', undefined],
    ['-1', undefined],
    ['soon', undefined],
    ['1e99', 2 ** 31 - 1],
  ])('%s is %s milliseconds', (value, ms) => {
    expect(readMilliseconds({ A: value }, 'A')).toBe(ms);
  });
});
