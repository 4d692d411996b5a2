/** Finds the hosts that the text of a command names, in every form that programs map to a host. */

import type { NamedHost } from '../part.ts';
import type { DomainPattern } from './domain.ts';

/** Characters that end the name of a host in a text. */
const AROUND_HOST = /[^\p{L}\p{N}_.\u3002\uff0e\uff61-]+/u;
const DOT = /[.\u3002\uff0e\uff61]/;

/** An address as one number: `0x0a000001`. Zeros may be before its digits. */
const NUMBER = /^(0x[\da-f]+|\d{7,})$/i;
/** An IPv6 address without brackets: `nc ::1 80`. */
const BARE_ADDRESS = /(?<![\p{L}\p{N}_:.[-])(?:[\da-f]{0,4}:){2,7}[\da-f.]*/giu;

/** Braces or brackets in the host of an address, which the shell or curl expands. The address `[::1]` has none. */
const HOST_PATTERN = /:\/\/[^\s/]*(?:\{|\[(?![\da-f:.]+\]))/i;
/** The same in a word without a scheme, behind a name, or with one slash: `{a,b}.com`, `me@{a,b}.com`, `http:/{a}.com`. */
const BARE_HOST_PATTERN = /^["']?(?:[a-z]+:)?\/*[^/]*(?:\{|\[[^\]/]*-)/i;

const WORD = /(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"])+/g;

/** Options of curl whose value is data. */
const DATA =
  /^(?:-[a-zA-Z]*[dFHwuAXe]|--(?:data[a-z-]*|json|header|form[a-z-]*|write-out|user|user-agent|request|referer))$/;

export function mayExpandHost(text: string): boolean {
  return HOST_PATTERN.test(text) || (/(?:^|[\s/;&|(`])(?:curl|wget)\s/.test(text) && expandsWord(text));
}

function expandsWord(text: string): boolean {
  const words = text.match(WORD) ?? [];
  return words.some(
    (word, at) => BARE_HOST_PATTERN.test(word) && !/^["']?-/.test(word) && !DATA.test(words[at - 1] ?? ''),
  );
}

/** Returns whether a text contains a matching host: a name with dots, or any name in an address. */
export function namesHost(text: string, matches: (host: string) => boolean): boolean {
  // Some programs decode the host of an address: `http://%65xample.com`.
  const decoded = decodedName(text);
  return [...new Set([decoded, mapped(decoded)])].some((one) => hostsIn(one, matches).some(matches));
}

/** Returns whether a rule concerns a word of a program that connects. A star represents an unknown part. */
export function namesConnectedHost(hosts: readonly NamedHost[], domain: DomainPattern): boolean {
  const isForAll = hosts.length > 0 && domain.matches('any.invalid');
  return hosts.some(
    ({ host, isCertain }) =>
      (isCertain || !isForAll) &&
      [host, decodedName(host), mapped(host)].some((name) =>
        name.includes('*') ? domain.mayMatch(name) : domain.matches(name),
      ),
  );
}

/** Characters that end the name of a host with unknown parts. */
const AROUND_STARS = /[^\p{L}\p{N}_.*\u3002\uff0e\uff61-]+/u;

/**
 * Returns whether a text with unknown parts may contain a matching host. A host that is wholly unknown counts only in an
 * address: `https://*`, `git@*:x`. Other words may be anything.
 */
export function mayNameHost(text: string, domain: DomainPattern): boolean {
  const plain = mapped(text);
  const addressed = Array.from(plain.matchAll(/(:\/\/|@)([^\s/?#]*)/g)).flatMap(([, before, rest = '']) => {
    const [host = ''] = rest.split(AROUND_STARS, 1);
    // A version is unknown in `x@*`.
    const isVersion = before === '@' && /^\**$/.test(host) && rest[host.length] !== ':';
    // An unknown name or port before `@` may contain the end of the host.
    return isVersion ? [] : [/^[^@*]*\*[^@]*@/.test(rest) ? '*' : host];
  });
  const others = domain.matches('any.invalid')
    ? []
    : plain
        .split(AROUND_STARS)
        .flatMap(withAttached)
        .filter((name) => DOT.test(name) && /[\p{L}\p{N}]/u.test(name));
  const isOpen = (name: string): boolean => name.includes('*');
  return addressed.filter(isOpen).some(domain.mayMatch) || others.filter(isOpen).some(domain.mayMatchName);
}

/**
 * Maps a text as programs map the names of hosts: letters in circles or of full width are plain ones, and invisible
 * characters are left out. Versions of the standard differ in the last two letters.
 */
function mapped(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .replace(/[\u00df\u1e9e]/g, 'ss')
    .replaceAll('\u03c2', '\u03c3');
}

function decodedName(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString(),
  );
}

function hostsIn(text: string, matches: (host: string) => boolean): readonly string[] {
  const addressed = text
    .split(/:\/\/|@/)
    .slice(1)
    .map((rest) => rest.split(AROUND_HOST, 1)[0] ?? '');
  const bracketed = text.match(/\[[\da-f:.]+\]/gi) ?? [];
  const certain = [...addressed, ...bracketed].filter((name) => name !== '');
  // A rule for every host would match every name of a file.
  if (matches('any.invalid')) return certain;
  const others = text
    .split(AROUND_HOST)
    .flatMap(withAttached)
    .filter((name) => DOT.test(name) || NUMBER.test(name));
  const bare = Array.from(text.matchAll(BARE_ADDRESS), ([address]) => `[${address}]`);
  return [...certain, ...others, ...bare];
}

/** The number of letters of an option before an attached host. */
const MOST_LETTERS = 16;

/** Returns the name, and what may be attached to letters of an option in it: `-xevil.com`, `-sxevil.com`. */
function withAttached(name: string): readonly string[] {
  const [, letters = ''] = /^-([A-Za-z0-9]+)/.exec(name) ?? [];
  return [name].concat(Array.from(letters.slice(0, MOST_LETTERS), (_, index) => name.slice(index + 2)));
}
