import { describe, expect, it } from 'vitest';
import { milliseconds, variable, withoutSecrets } from './environment.ts';
import { Secrets } from './secrets.ts';

describe('secrets', () => {
  it('are blotted out wherever they stand, also within addresses and one in another', () => {
    const secrets = new Secrets();
    secrets.add('token-1', ' token-1-long ', 'p@ss/word', undefined, '');
    expect(secrets.redact('a token-1-long, token-1, p@ss/word, http://u:p%40ss%2Fword@h')).toBe(
      'a [redacted], [redacted], [redacted], http://u:[redacted]@h',
    );
  });

  it('are recognised by their looks, too', () => {
    expect(new Secrets().redact('key sk-ant-api03-abcdefgh123 was refused')).toBe(
      'key [redacted] was refused',
    );
  });

  it('may be half a character without making anything throw', () => {
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

describe('the environment of a child process', () => {
  it('has everything but our keys, and what repeats them', () => {
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

describe('the environment of a child process on a system that does not tell upper from lower case', () => {
  it('has no key either, nor what repeats it', () => {
    const environment = { anthropic_api_key: 'token-12345678', COPY: 'token-12345678', PATH: '/bin' };
    expect(withoutSecrets(environment)).toEqual({ PATH: '/bin' });
  });
});

describe('a variable', () => {
  it('that is blank counts as unset', () => {
    expect(variable({ A: ' ' }, 'A')).toBeUndefined();
    expect(variable({ A: ' x ' }, 'A')).toBe('x');
  });

  it.each([
    ['1500', 1_500],
    ['0', undefined],
    ['-1', undefined],
    ['soon', undefined],
    ['1e99', 2 ** 31 - 1],
  ])('%s is %s milliseconds', (value, ms) => {
    expect(milliseconds({ A: value }, 'A')).toBe(ms);
  });
});
