/** Finds the files that `curl` reads, sends and writes. */
import { percentDecoded } from '@heddle/tools/git';
import type { ShellWord } from '@heddle/tools/shell';
import {
  CURL_CERTIFICATES,
  CURL_FORMS,
  CURL_INPUTS,
  CURL_LOGS,
  CURL_NAMED_TEXTS,
  CURL_OPTIONS,
  CURL_OUTPUTS,
  CURL_PROXIES,
  CURL_SOCKETS,
  CURL_UPLOADS,
} from './curl-options.ts';
import { pathsAfterScheme } from './local-addresses.ts';
import { isMessage } from './message-options.ts';
import { savedAs } from './network.ts';
import { argumentsOf, hasOption, wholeOption } from './operands.ts';
import {
  type FilesOfProgram,
  HERE,
  literalWord,
  partOfWord,
  pathInside,
  type Touch,
  touch,
  unknownWord,
  wordInside,
} from './touch.ts';

const LONG_OPTIONS = [
  ...CURL_OPTIONS.valued.filter((option) => option.startsWith('--')),
  ...CURL_OPTIONS.long,
];
/** In the value of such an option, curl replaces `{{name}}`. */
const EXPANDING = /^--expand-/;

/** With an option that is not known, or a value that curl computes, any file may be read or written. */
export const curl: FilesOfProgram = (words) => {
  const args = words.map((word) => {
    const whole =
      word.kind === 'literal' ? wholeOption(word.value.replace(EXPANDING, '--'), LONG_OPTIONS) : word.value;
    return whole === word.value ? word : partOfWord(word, whole);
  });
  const given = argumentsOf(args, CURL_OPTIONS);
  const valuesOf = (options: readonly string[]): readonly ShellWord[] => given.valuesOf(...options);
  const isExpanded = words.some(({ value }) => EXPANDING.test(value));
  const mayExpand = (options: readonly string[]): boolean =>
    isExpanded && valuesOf(options).some(({ value }) => value.includes('{{') && !REMOTE_SCHEME.test(value));
  const has = (option: RegExp): boolean => given.options.some((each) => option.test(each));
  const folders = valuesOf(['--output-dir']);
  const addresses = [...given.operands, ...valuesOf(['--url'])];
  const isListed = valuesOf(['--url']).some(({ value }) => value.startsWith('@'));
  const saved =
    hasOption(given, 'J') ||
    has(/^--(remote-h|metal)/) ||
    (isListed && (hasOption(given, 'O') || has(/^--remote-n/)))
      ? [unknownWord('what the server calls it')]
      : hasOption(given, 'O') || has(/^--remote-n/)
        ? addresses.flatMap((url) =>
            (folders.length > 0 ? folders : [HERE]).flatMap((folder) => savedAs(url, folder)),
          )
        : [];
  const written = valuesOf(CURL_OUTPUTS)
    // `#1` becomes a text from the address.
    .map((word) => (/#\d/.test(word.value) ? unknownWord(word.text) : word))
    .filter(({ value }) => value !== '-')
    .flatMap((word) => [word].concat(folders.map((folder) => pathInside(folder, word))));
  const formats = valuesOf(['-w', '--write-out']).flatMap(filesOfFormat);
  const logs = valuesOf(CURL_LOGS).filter(({ value }) => !/^[-%]$/.test(value));
  // A file with options can name any output.
  const settings = valuesOf(['-K', '--config']).map((word) => unknownWord(word.text));
  const sent = valuesOf(CURL_UPLOADS);
  const redirected = valuesOf(['--proto-redir'])
    .filter(mayRedirectToFile)
    .map(() => OF_SERVER);
  const sockets = [
    ...valuesOf(CURL_SOCKETS),
    ...valuesOf(CURL_PROXIES).flatMap(socketOfProxy),
    ...valuesOf(['--abstract-unix-socket']).map(() => unknownWord('an abstract socket')),
  ];
  const read = [
    ...valuesOf(CURL_INPUTS).map((word) => (expandsItself(word) ? unknownWord(word.text) : word)),
    ...valuesOf(CURL_CERTIFICATES).flatMap(filesOfCertificate),
    ...valuesOf(CURL_OPTIONS.valued).flatMap((word) => filesAfter(/^@(.+)$/s, word)),
    ...valuesOf(CURL_NAMED_TEXTS).flatMap((word) => filesAfter(/@(.+)$/s, word)),
    ...valuesOf(CURL_FORMS).flatMap(filesOfForm),
    ...(isListed ? [unknownWord('the addresses of a list')] : []),
    ...(hasOption(given, 'n') || has(/^--netrc(-optional)?$/) ? [NETRC] : []),
    ...redirected,
    ...(given.isUncertain || mayExpand(CURL_OPTIONS.valued) ? [OF_OPTION] : []),
  ];
  return [
    ...[...written, ...logs, ...settings, ...saved, ...formats, ...sockets].map((word) =>
      touch('write', word),
    ),
    // The server also chooses where an upload goes.
    ...(sent.length > 0 ? redirected : []).map((word) => touch('write', word)),
    ...(given.isUncertain || mayExpand(NAMING_OUTPUT) || (isListed && sent.length > 0)
      ? [touch('write', OF_OPTION)]
      : []),
    ...read.map((word) => touch('read', word)),
    ...(given.isUncertain ? args : addresses)
      .filter((word) => !isMessage('curl', args, args.indexOf(word)))
      .flatMap((word) => filesInAddress(word, { isLocal: has(/^--proto-d/), sent })),
  ];
};

const OF_OPTION = unknownWord('the words of an option');
const OF_SERVER = unknownWord('the file that a server names');
/** Their values may become the name of a file that is written. */
const NAMING_OUTPUT = [...CURL_OUTPUTS, ...CURL_LOGS, '-w', '--write-out', '-K', '--config', '--url'];
const NETRC = partOfWord(literalWord('~'), '~/.netrc');

/** By default, curl does not follow a redirect to a file of this machine. A protocol can have a prefix: `=http,+file`, `-all,https`. */
function mayRedirectToFile({ kind, value }: ShellWord): boolean {
  if (kind !== 'literal') return true;
  return value.split(',').some((part) => {
    const [, prefix = '', name = ''] = /^([^a-z]*)(.*)$/is.exec(part) ?? [];
    return !prefix.endsWith('-') && !/^(?!file$|all$)[a-z0-9]+$/i.test(name);
  });
}

function filesAfter(pattern: RegExp, word: ShellWord): readonly ShellWord[] {
  const file = pattern.exec(word.value)?.[1];
  return file === undefined ? [] : [partOfWord(word, file)];
}

/** A format can name files: `%output{a}%{url}`. A format in a file can name any. */
function filesOfFormat(word: ShellWord): readonly ShellWord[] {
  if (word.value.startsWith('@')) return [unknownWord(word.text)];
  return Array.from(word.value.matchAll(/%output\{(?:>>)?([^}]*)/g), ([, file = '']) =>
    partOfWord(word, file),
  );
}

/** `file:password`. A backslash before a colon belongs to the name. */
function filesOfCertificate(word: ShellWord): readonly ShellWord[] {
  const ends = Array.from(word.value.matchAll(/:|$/g), ({ index }) => word.value.slice(0, index));
  return ends.filter((name) => name !== '').map((name) => partOfWord(word, name.replace(/\\([:\\])/g, '$1')));
}

/** A form can send several files: `x=@a,b`, `x=@a;headers=@b`. A name in quotes can contain escapes. */
function filesOfForm(word: ShellWord): readonly ShellWord[] {
  const { value } = word;
  if (!/[@<]/.test(value)) return [];
  if (/["\\]/.test(value)) return [unknownWord(word.text)];
  const starts = Array.from(value.matchAll(/[@<,][\t-\r ]*/g), ({ index, 0: sign }) => index + sign.length);
  return starts.flatMap((start) => {
    const rest = value.slice(start);
    const names = new Set([
      rest,
      ...[/;.*$/s, /,.*$/s, /[;,].*$/s].map((end) =>
        rest.replace(end, '').replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, ''),
      ),
    ]);
    return Array.from(names)
      .filter((name) => name !== '')
      .map((name) => partOfWord(word, name));
  });
}

/** Curl replaces `{a,b}` and `[a-c]` in addresses and names of files that it sends. */
function expandsItself({ value }: ShellWord): boolean {
  return /[[\]{}]/.test(value);
}

const REMOTE_SCHEME = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i;

interface AddressOptions {
  /** An address without a scheme is a file. */
  readonly isLocal: boolean;
  /** The files that are written to the address. */
  readonly sent: readonly ShellWord[];
}

/** Returns the file that an address names. Any word may be an address. */
function filesInAddress(word: ShellWord, { isLocal, sent }: AddressOptions): Touch[] {
  const address = word.value.replace(/^--url=/, '');
  const [, rest] = /^file:(.+)$/is.exec(address) ?? [];
  const mayBeFile = rest !== undefined || isLocal || /^[^/]*[[{]/.test(address) || word.kind === 'dynamic';
  if (!mayBeFile || address.startsWith('-') || REMOTE_SCHEME.test(word.prefix)) return [];
  const isKnown = rest !== undefined && word.kind === 'literal' && !expandsItself(word);
  const files = isKnown
    ? pathsAfterScheme(rest).map((name) => partOfWord(word, name))
    : [unknownWord(word.text)];
  const written = sent.flatMap((source) => files.flatMap((file) => [file, ...namedAfter(source, file)]));
  return [...files.map((file) => touch('read', file)), ...written.map((file) => touch('write', file))];
}

/** After a slash at the end of an address, curl adds the name of the file that it sends. */
function namedAfter(source: ShellWord, folder: ShellWord): readonly ShellWord[] {
  if (!folder.value.endsWith('/')) return [];
  return [expandsItself(source) ? unknownWord(source.text) : wordInside(folder, source)];
}

function socketOfProxy(word: ShellWord): readonly ShellWord[] {
  const [, path] = /^(?:socks\w*:\/\/)?(?:[^/]*@)?localhost(?::\d*)?(\/.+)$/is.exec(word.value) ?? [];
  return path === undefined ? [] : [partOfWord(word, path), partOfWord(word, percentDecoded(path))];
}
