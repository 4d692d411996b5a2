import { describe, expect, it } from 'vitest';
import { domainMatcher, domainName, isHostNamed, isPrivateHostNamed } from './domain.ts';
import { NO_RULES } from './rule.ts';

const allowing = (text: string) => ({ ...NO_RULES, allow: [{ text, source: 'user' as const, base: '/' }] });
const hostOf = (url: string): string => new URL(url).hostname;

describe('a domain rule', () => {
  it.each([
    ['bücher.de', 'https://bücher.de/'],
    ['bücher.de', 'https://xn--bcher-kva.de/'],
    ['xn--bcher-kva.de', 'https://bücher.de/'],
    ['BÜCHER.de', 'https://Bücher.DE/'],
    ['bücher.de.', 'https://bücher.de/'],
    ['bücher.de', 'https://bücher.de./'],
    ['bücher。de', 'https://bücher.de/'],
    ['*.bücher.de', 'https://shop.bücher.de/'],
    ['*.bücher.de', 'https://a.b.xn--bcher-kva.de/'],
    ['shop.*.bücher.de', 'https://shop.eu.bücher.de/'],
    ['*bücher.de', 'https://altbücher.de/'],
    ['EXAMPLE.com', 'https://example.COM/'],
    ['пример.рф', 'https://xn--e1afmkfd.xn--p1ai/'],
    ['faß.de', 'https://xn--fa-hia.de/'],
    ['0x7f.1', 'http://127.0.0.1/'],
    ['[::1]', 'http://[0:0::1]/'],
    ['*', 'https://пример.рф/'],
  ])('%s matches %s', (domain, url) => {
    expect(domainMatcher(domain)(hostOf(url))).toBe(true);
  });

  it.each([
    ['bücher.de', 'https://bucher.de/'],
    ['bücher.de', 'https://shop.bücher.de/'],
    ['*.bücher.de', 'https://bücher.de/'],
    ['*.bücher.de', 'https://bücher.de.evil.org/'],
    // A Cyrillic letter that looks like a Latin one.
    ['example.com', 'https://ехample.com/'],
    ['*bücher.de', 'https://bücher.de.evil.org/'],
    ['example.com:8080', 'https://example.com:8080/'],
  ])('%s does not match %s', (domain, url) => {
    expect(domainMatcher(domain)(hostOf(url))).toBe(false);
  });

  it('matches every spelling of an address', () => {
    const spellings = '167772161 0x0a000001 012.0.0.1 10.1 10.0.0.1. [::ffff:10.0.0.1] [::FFFF:a00:1]'.split(
      ' ',
    );
    for (const spelling of spellings) {
      const host = hostOf(`http://${spelling}/`);
      for (const rule of [...spellings, '10.0.0.1', '10.0.*'])
        expect([rule, host, domainMatcher(rule)(host)]).toEqual([rule, host, true]);
      expect([host, domainMatcher('10.0.0.2')(host)]).toEqual([host, false]);
    }
  });

  it('has one form for sandboxes and other programs', () => {
    expect([domainName('*.BÜCHER.de.'), domainName('Bücher.DE')]).toEqual([
      '*.xn--bcher-kva.de',
      'xn--bcher-kva.de',
    ]);
  });
});

it('counts a host as named only by its full name in a WebFetch rule', () => {
  expect(isHostNamed('localhost', allowing('WebFetch(domain:localhost)'))).toBe(true);
  expect(isHostNamed('LocalHost', allowing('WebFetch(domain:localhost)'))).toBe(true);
  expect(isHostNamed('xn--bcher-kva.de', allowing('WebFetch(domain:bücher.de)'))).toBe(true);
  for (const rule of [
    'WebFetch',
    'WebFetch(domain:*)',
    'WebFetch(domain:local*)',
    'Bash(domain:localhost)',
    'WebFetch(domain:localhost.evil)',
  ])
    expect([rule, isHostNamed('localhost', allowing(rule))]).toEqual([rule, false]);
});

it.each([
  ['127.0.0.1 [::1] localhost wiki a.localhost nas.local x.internal x.test pi.home.arpa X.Local.', true],
  ['docs.evil.com test.evil.com local.evil.com xlocal.com 1.2.3.4.evil.com', false],
])('a rule that names %s permits a private address: %s', (hosts, isPermitted) => {
  for (const host of hosts.split(' '))
    expect([host, isPrivateHostNamed(host, allowing(`WebFetch(domain:${host})`))]).toEqual([
      host,
      isPermitted,
    ]);
});
