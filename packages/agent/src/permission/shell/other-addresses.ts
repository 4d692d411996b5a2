/**
 * Finds words of a command that may lead to another address than that of a rule: an address in any part of a word, an option that
 * chooses a server, and a package from elsewhere. `isNamed` accepts the addresses of the rule.
 */
import type { ShellWord } from '@heddle/tools/shell';
import { isMessage } from './files/message-options.ts';
import { lettersIn } from './option-letters.ts';

/** The last words of names of options that choose a server, or a file with addresses. */
const ROUTES =
  'registry registries index proxy proxies httpproxy httpsproxy server host hostname url uri source repo repository links mirror endpoint gateway socks socks5 resolve connect context kubeconfig cluster upstream input input-file metalink-file torrent-file config-file execute rsh'.split(
    ' ',
  );
/** Parsers accept the beginning of a name from here on. */
const SHORTEST_BEGINNING = 3;

/** Letters with the same meaning. */
const ROUTE_LETTERS: readonly (readonly [RegExp, string])[] = [
  [/^wget2?$/, 'ieB'],
  [/^aria2c$/, 'iMT'],
  [/^ab$/, 'XP'],
  [/^gem$/, 'sp'],
  [/^(kubectl|oc)$/, 's'],
  [/^twine$/, 'r'],
  [/^(scp|sftp)$/, 'JoFSPD'],
  [/^(docker|podman|nerdctl)$/, 'H'],
];

const MANAGERS_BY_NPM = /^(npm|npx|yarn|pnpm|pnpx|bun|bunx)$/;
const OTHER_MANAGERS = /^(pip[\d.]*|pipx|uv|uvx|gem|cargo)$/;
const NPM_PACKAGE =
  /^(?:@[\w.~-]+\/)?[\w.~-]+(?:@(?:[^:/@]*|npm:(?:@[\w.~-]+\/)?[\w.~-]+(?:@[^:/@]*)?|(?:workspace|catalog):[\w*^~.-]*))?$/;
const LOCAL_PATH = /^(?:\.\.?(?:\/|$)|~\/|\/(?!\/))/;
/** Options of package managers whose value is a folder or the name of a package. */
const FOLDER_OPTION = /^(?:-[wFC]|--(?:prefix|workspace|dir|cwd|filter|cache|cache-folder|store-dir))$/;

/** Programs whose words after the address are data. */
const SENDS_DATA = /^(https?|xhs?)$/;
/** The operands of wget are found with the table of its options. */
const TEXT_OF_WGET = /^--(?:header|referer|user-agent|post-data|body-data)=/;
/** `user@host:path` */
const LOGIN = /(?:^|=)[\w.+-]+@[\w.-]+:/;
const NETWORK_PATH = /(?:^|[=@])\/\/[^/]|^-[A-Za-z]\/\/[^/]/;

export function findOtherPlace(
  program: string,
  rule: readonly string[],
  args: readonly ShellWord[],
  isNamed: (text: string) => boolean,
): ShellWord | undefined {
  const first = SENDS_DATA.test(program) ? args.findIndex(({ value }) => isNamed(value)) : -1;
  return args.find((word, at) => {
    const { value, text } = word;
    if (rule.includes(value) || rule.includes(text) || isNamed(value)) return false;
    const isOption = value.startsWith('-');
    if (first >= 0 && at > first && !isOption) return false;
    if (isMessage(program, args, at)) return false;
    if (/^wget2?$/.test(program) && (!isOption || TEXT_OF_WGET.test(value))) return false;
    const next = args[at + 1]?.value ?? '';
    if (isOption && isRoute(program, rule, value) && !isNamed(next)) return true;
    if (addressesIn(value).some((address) => !isNamed(address))) return true;
    if (NETWORK_PATH.test(value)) return true;
    if (isOption) return LOGIN.test(value);
    if (FOLDER_OPTION.test(args[at - 1]?.value ?? '') && /^[\w./@*-]+$/.test(value)) return false;
    if (MANAGERS_BY_NPM.test(program))
      return value !== '' && !NPM_PACKAGE.test(value) && !LOCAL_PATH.test(value);
    if (OTHER_MANAGERS.test(program)) return !isPlainPackage(value);
    return LOGIN.test(value);
  });
}

/** Returns the addresses in a word: `x@http://a`, `-ihttp://a`, `x=http://a`, and several ones with spaces or commas between them. */
function addressesIn(value: string): readonly string[] {
  return value.split(/[\s,;|"'<>]+/).flatMap((piece) => {
    const at = piece.indexOf('://');
    if (at < 0) return [];
    const before = piece.slice(0, at);
    const isAttached = /^-[A-Za-z]/.test(before);
    const scheme = (isAttached ? before.slice(2) : before).split(/[^\w+.-]/).at(-1) ?? '';
    return [scheme.replace(/^[^A-Za-z]+/, '') + piece.slice(at)];
  });
}

function isRoute(program: string, rule: readonly string[], value: string): boolean {
  const [option = ''] = value.split('=', 1);
  const isOwn = (name: string): boolean => rule.some((word) => word === name || word.startsWith(`${name}=`));
  if (isOwn(option)) return false;
  const letters = ROUTE_LETTERS.find(([programs]) => programs.test(program))?.[1] ?? '';
  const given = /^-[A-Za-z]/.test(value)
    ? [value.slice(1, 2), ...lettersIn(program, value, 'command').map(({ letter }) => letter)]
    : [];
  if (given.some((letter) => letters.includes(letter) && !isOwn(`-${letter}`))) return true;
  const name = option.replace(/^-+/, '').toLowerCase();
  if (name.length < SHORTEST_BEGINNING || name.startsWith('no-')) return false;
  const last = name.split(/[-_.:/]/).at(-1) ?? '';
  return ROUTES.some(
    (route) => route === name || (last.length >= SHORTEST_BEGINNING && route.startsWith(last)),
  );
}

/** `x`, `x==1`, `x:1`, `x@1`, and paths. Not `x @ address`, and not `git:x`. */
function isPlainPackage(value: string): boolean {
  const at = value.indexOf('@');
  return (at < 0 || !/[:/]/.test(value.slice(at))) && !/^[\w+.-]+:(?!\d)/.test(value);
}
