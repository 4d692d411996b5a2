/** Matches hosts in rules. Both sides are compared in the form of the network: lower case, punycode, no final dot. */
import { domainToASCII, domainToUnicode } from 'node:url';
import { currentName, parseRule, type RuleList, type Rules } from './rule.ts';
import { type Matcher, mayMatchBoth, wildcardMatcher } from './wildcard.ts';

/** The dots that are allowed in domain names. */
const DOTS = /[.\u3002\uff0e\uff61]/;
const ASCII = /^[\x20-\x7e]*$/;

export interface DomainPattern {
  readonly matches: Matcher;
  /** Returns whether a host with unknown parts may match. A star represents each of these. */
  readonly mayMatch: Matcher;
  /** The same for a name that may be one of a file. If its end is unknown, it is one label: `a.*` is not `a.evil.com`. */
  readonly mayMatchName: Matcher;
}

export function domainPattern(domain: string): DomainPattern {
  const readable = (text: string): string => domainToUnicode(domainName(text)) || domainName(text);
  const mayMatch = (host: string): boolean =>
    mayMatchBoth(domainName(host), domainName(domain)) || mayMatchBoth(readable(host), readable(domain));
  const lastLabel = endOf(domainName(domain));
  return {
    matches: domainMatcher(domain),
    mayMatch,
    mayMatchName: (name) => {
      const end = endOf(domainName(name));
      const isOpen = end.includes('*') && lastLabel !== '' && !lastLabel.includes('*');
      if (!isOpen) return mayMatch(name);
      return mayMatchBoth(end, lastLabel) && mayMatch(domainName(name).slice(0, -end.length) + lastLabel);
    },
  };
}

/** Returns the text after the last dot. */
function endOf(name: string): string {
  const at = name.lastIndexOf('.');
  return at < 0 ? '' : name.slice(at + 1);
}

/** `example.com` matches that host, `*.example.com` the hosts below it. `*` also matches dots. */
export function domainMatcher(domain: string): Matcher {
  const labels = domain.trim().split(DOTS);
  // A star next to a letter outside ASCII has no punycode. Such a rule is compared with the readable name.
  if (labels.some((label) => label.includes('*') && !ASCII.test(label))) {
    const pattern = wildcardMatcher(
      domain.trim().split(DOTS).join('.').normalize('NFC').toLowerCase().replace(/\.$/, ''),
    );
    return (host) => pattern(domainToUnicode(hostName(host)));
  }
  const pattern = wildcardMatcher(domainName(domain));
  return (host) => pattern(hostName(host));
}

/** Returns the host of a rule, with its wildcards, in the form for sandboxes and other programs. */
export function domainName(domain: string): string {
  const labels = domain.trim().split(DOTS);
  if (!labels.some((label) => label.includes('*'))) return hostName(domain);
  return (
    labels
      // A number alone would become an address.
      .map((label) => (ASCII.test(label) ? '' : domainToASCII(label)) || label.toLowerCase())
      .join('.')
      .replace(/\.$/, '')
  );
}

/** `[::ffff:a00:1]` is the address 10.0.0.1. */
const MAPPED = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/;

function withoutMapping(host: string): string {
  const [, high, low] = MAPPED.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const bytes = [high, low].flatMap((half) => {
    const number = Number.parseInt(half, 16);
    return [number >> 8, number & 0xff];
  });
  return bytes.join('.');
}

function hostName(host: string): string {
  const url = `http://${host.trim()}/`;
  const name = URL.canParse(url) ? new URL(url) : undefined;
  // A port, a path or a user name is not part of a host. Such a text matches only itself.
  const isHost = name !== undefined && name.href === `http://${name.hostname}/`;
  return withoutMapping(isHost ? name.hostname : host.trim().toLowerCase()).replace(/\.$/, '');
}

/** Returns whether an allow rule names the host in full. `domain:*` is not meant for the servers of this machine. */
export function isHostNamed(host: string, rules: Rules): boolean {
  return domainsIn(rules, 'allow').some((domain) => domainName(domain) === hostName(host));
}

/**
 * Returns whether a rule lets WebFetch contact this host at a private address. The owner of a public name could let it lead to a server
 * of this machine, after the user has permitted its pages.
 */
export function isPrivateHostNamed(host: string, rules: Rules): boolean {
  const name = hostName(host);
  const isLocal = !name.includes('.') || LOCAL_NAME.test(name);
  return isLocal && isHostNamed(host, rules);
}

/** IPv4 addresses, and names that no owner of a public domain controls. IPv6 addresses have no dot. */
const LOCAL_NAME = /^\d+(?:\.\d+){3}$|\.(?:local|localhost|internal|test|home\.arpa)$/;

/** Returns whether a deny rule matches the host. */
export function isHostDenied(host: string, rules: Rules): boolean {
  return domainsIn(rules, 'deny').some((domain) => domainMatcher(domain)(host));
}

/** Returns the domains of the rules for WebFetch. A rule without one is not about hosts. */
function domainsIn(rules: Rules, list: RuleList): string[] {
  return rules[list].flatMap(({ text }) => {
    const parsed = parseRule(text, list);
    if (!parsed.ok || currentName(parsed.tool) !== 'WebFetch') return [];
    const [, domain] = /^domain:(.*)$/is.exec(parsed.specifier ?? '') ?? [];
    return domain === undefined ? [] : [domain];
  });
}
