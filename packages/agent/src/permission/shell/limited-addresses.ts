/**
 * Finds words with which a command connects to another place than a rule names. A rule for `curl https://a.example/*` does not
 * cover `curl https://a.example/x https://b.example`, nor one for `ssh a *` a command that goes through another host.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { leavesEncodedFolder, leavesFolder } from '../rules/starred-paths.ts';
import { countStars, type StarText, wildcardMatcher } from '../rules/wildcard.ts';
import { CURL_OPTIONS, CURL_PROXIES } from './files/curl-options.ts';
import { argumentsOf, expandBraces } from './files/operands.ts';
import { optionsOf } from './files/option-tables.ts';
import { lettersIn } from './option-letters.ts';
import { findOtherPlace } from './other-addresses.ts';

interface RuleWords {
  readonly words: readonly string[];
  /** The last word continues with a star. */
  readonly isCut: boolean;
}

const ADDRESS = /^([A-Za-z*][\w+.*-]*):\/\/([^/?#]*)(.*)$/s;
/** `user@host:path`, for programs that copy files over SSH. */
const REMOTE = /^(?:[\w.-]+@)?[\w.*-]+:/;
const COPIES = /^(scp|rsync|sftp)$/;

/** Options of curl that choose another server for an address. */
const REDIRECTING_CURL = [
  ...CURL_PROXIES,
  ...'--proxy1.0 --connect-to --resolve --doh-url --dns-servers --ipfs-gateway --alt-svc --hsts --request-target'.split(
    ' ',
  ),
];
/** Letters of ssh that neither choose another server, user or way to it, nor open it to other programs. */
const PLAIN_SSH = /^[46CMNTacefikmnqtvx]$/;

/** Returns the word that leads elsewhere. Undefined if the rule names no address. */
export function findOtherAddress(
  program: string,
  rule: RuleWords,
  args: readonly ShellWord[],
): ShellWord | undefined {
  const given = args.flatMap(expandBraces);
  if (program === 'ssh') return findOtherWay(rule, given);
  const tests = addressTests(program, rule);
  if (tests.length === 0) return undefined;
  const isNamed = ({ value, text }: ShellWord): boolean =>
    tests.some((matches) => matches(value)) || rule.words.includes(value) || rule.words.includes(text);
  const isElsewhere = (word: ShellWord): boolean => !isNamed(knownPart(word));
  if (program === 'curl') {
    const parsed = argumentsOf(given, CURL_OPTIONS);
    const unknown = given.find((word) => argumentsOf([word], CURL_OPTIONS).isUncertain);
    const places = [...parsed.operands, ...parsed.valuesOf('--url', ...REDIRECTING_CURL)];
    return places.find(isElsewhere) ?? unknown;
  }
  const beyond = findOtherPlace(program, rule.words, given.map(knownPart), (text) =>
    tests.some((matches) => matches(text)),
  );
  if (beyond !== undefined) return beyond;
  if (COPIES.test(program))
    return given.find((word) => isElsewhere(word) && REMOTE.test(knownPart(word).value));
  return /^wget2?$/.test(program)
    ? argumentsOf(given, optionsOf('wget')).operands.find(isElsewhere)
    : undefined;
}

/** In an address with an unknown part, the known beginning counts. It has to include the whole host. */
function knownPart(word: ShellWord): ShellWord {
  if (word.kind === 'literal') return word;
  const [, , , path = ''] = ADDRESS.exec(word.prefix) ?? [];
  return { ...word, value: path === '' && !/^[\w@.-]+:./.test(word.prefix) ? '' : word.prefix };
}

function addressTests(program: string, { words, isCut }: RuleWords): readonly ((value: string) => boolean)[] {
  return words.flatMap((word, index) => {
    const isOpen = isCut && index === words.length - 1;
    const text = word.replace(/^--?[A-Za-z][\w-]*=/, '');
    const address = ADDRESS.exec(text);
    if (address !== null) return addressTest(address, isOpen) ?? [];
    if (!COPIES.test(program) || !REMOTE.test(text)) return [];
    return pathTest(text, isOpen, (given) => !leavesFolder(given));
  });
}

function addressTest(
  [, scheme = '', authority = '', path = '']: RegExpExecArray,
  isOpen: boolean,
): ((value: string) => boolean) | undefined {
  const host = authority.replace(/^.*@/, '');
  // `https://*` names no host.
  if (/^[*:]*$/.test(host)) return undefined;
  const isOpenHost = isOpen && path === '';
  // A host with a name and its end is whole: `https://a.example*`. Only a port may follow.
  const isWhole = /[\w\]]$/.test(host) && /^localhost|[.:]/.test(host);
  const pattern = (isOpenHost ? `${authority}*` : authority).toLowerCase();
  const end = isOpenHost ? countStars(pattern) - 1 : -1;
  const matchesHost = wildcardMatcher(pattern, {
    accepts: ({ matched, star }) => (star === end ? (isWhole ? PORT : HOST_AND_PORT) : HOST).test(matched),
  });
  const matchesScheme = wildcardMatcher(scheme.toLowerCase());
  const matchesPath = isOpenHost
    ? () => true
    : pathTest(path, isOpen, (given) => !leavesFolder(given) && !leavesEncodedFolder(given));
  return (value) => {
    const [, otherScheme, otherAuthority, otherPath] = ADDRESS.exec(value.replace(/^--?[\w-]+=/, '')) ?? [];
    if (otherScheme === undefined || otherAuthority === undefined || otherPath === undefined) return false;
    // In FTP, a slash as a code begins at the root.
    if (otherScheme.toLowerCase().includes('ftp') && /%2f/i.test(otherPath)) return false;
    return (
      matchesScheme(otherScheme.toLowerCase()) &&
      matchesHost(otherAuthority.toLowerCase()) &&
      matchesPath(otherPath)
    );
  };
}

/** Parts of hosts that stars may match. */
const HOST = /^[\p{L}\p{N}_.-]*$/u;
const PORT = /^(?::\d*)?$/;
const HOST_AND_PORT = /^[\p{L}\p{N}_.-]*(?::\d*)?$/u;

/** An empty path and `/` are the same address. */
function pathTest(
  path: string,
  isOpen: boolean,
  accepts: (given: StarText) => boolean,
): (value: string) => boolean {
  const matches = wildcardMatcher(isOpen ? `${path}*` : path, { accepts });
  return (value) => matches(value) || (value === '' && matches('/')) || (value === '/' && matches(''));
}

/**
 * The words after the host of a rule for `ssh` are options, up to the command. Another shell reads the words of the command again, so
 * those of a rule with a command contain no further one.
 */
function findOtherWay({ words }: RuleWords, args: readonly ShellWord[]): ShellWord | undefined {
  const operands = words.filter((word, index) => !word.startsWith('-') && !isValue(words, index));
  const [host, ...command] = operands;
  if (host === undefined || host.includes('*')) return undefined;
  const own = args.findIndex(({ value }) => value === host);
  if (own < 0) return undefined;
  const others = args.slice(own + 1).filter(({ value }) => !words.includes(value));
  if (command.length > 0) return others.find(({ value }) => /[;&|`$()<>\n]/.test(value));
  for (let index = 0; index < others.length; index++) {
    const word = others[index];
    if (word === undefined || word.value === '--') return undefined;
    if (!word.value.startsWith('-')) return word.kind === 'literal' || word.prefix !== '' ? undefined : word;
    const letters = lettersIn('ssh', word.value, 'command');
    if (letters.some(({ letter }) => !PLAIN_SSH.test(letter))) return word;
    const last = letters.at(-1);
    if (last?.isAlone === false && last.attached === undefined) index++;
  }
  return undefined;
}

function isValue(words: readonly string[], index: number): boolean {
  const before = words[index - 1];
  if (before === undefined || !/^-\w/.test(before)) return false;
  const last = lettersIn('ssh', before, 'command').at(-1);
  return last?.isAlone === false && last.attached === undefined;
}
