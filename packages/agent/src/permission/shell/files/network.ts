/** Programs that transfer files to and from other machines. */
import type { ShellWord } from '@heddle/tools/shell';
import { type ParsedOperands, argumentsOf, hasOption } from './operands.ts';
import {
  HERE,
  literalWord,
  partOfWord,
  type Touch,
  touch,
  unknownWord,
  wordInside,
  writeInside,
} from './touch.ts';

type Special = (args: readonly ShellWord[]) => Touch[];

const copiedWith =
  (valued: readonly string[], followsLinks: (given: ParsedOperands) => boolean): Special =>
  (args) => {
    const given = argumentsOf(args, valued);
    const staysInTree = !followsLinks(given);
    const isRemote = ({ value }: ShellWord) => /^[^/]+:/.test(value);
    const sources = given.operands.slice(0, -1);
    const target = given.operands.at(-1);
    return [
      ...sources.filter((word) => !isRemote(word)).map((word) => touch('read', word, 'all', { staysInTree })),
      ...given.valuesOf('-i', '-F', '--files-from').map((word) => touch('read', word)),
      ...given.valuesOf('--files-from').map(() => touch('read', unknownWord('the files of a list'))),
      ...(target && !isRemote(target)
        ? [
            touch('write', target),
            ...sources.map((word) =>
              writeInside(target, partOfWord(word, word.value.replace(/^[^/]*:/, ''))),
            ),
            ...sources.map((word) =>
              touch('write', target, 'all', isRemote(word) ? { fills: true } : { copyOf: word }),
            ),
          ]
        : []),
    ];
  };

const CURL_OUTPUTS = ['-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar', '--output-dir'];
const CURL_INPUTS =
  '-T --upload-file -K --config -b --cookie -E --cert --key --cacert --netrc-file --capath --proxy-cert'.split(
    ' ',
  );

const curl: Special = (args) => {
  const given = argumentsOf(args, [
    ...CURL_OUTPUTS,
    ...CURL_INPUTS,
    ...'-H -X -u -A -d -F -e -m -w -x'.split(' '),
  ]);
  const data = args.flatMap((word) => {
    const path =
      /(?:^|[=;])[@<]([^;]+)/.exec(word.value)?.[1] ??
      /^(?:-[dFH])?[\w-]*@(.+)/.exec(word.value)?.[1] ??
      /^file:\/\/(?:localhost)?(.+)/.exec(word.value)?.[1];
    return path === undefined ? [] : [touch('read', partOfWord(word, path))];
  });
  // A format can name files: `-w '%output{a}%{url}'`. A format in a file can name any.
  const formatted = args.flatMap((word, index) => {
    const isOption = /^(-[a-zA-Z]*w|--wri[a-z-]*=?)$/.test(args[index - 1]?.value ?? '');
    const isInFile =
      (isOption && word.value.startsWith('@')) || /^(-[a-zA-Z]*w|--wri[a-z-]*=)@/.test(word.value);
    if (isInFile) return [unknownWord(word.text)];
    return Array.from(word.value.matchAll(/%output\{(?:>>)?([^}]*)/g), ([, file = '']) =>
      partOfWord(word, file),
    );
  });
  const [folder = HERE] = given.valuesOf('--output-dir');
  const saved = hasOption(given, 'J', '--remote-header-name')
    ? [unknownWord('what the server calls it')]
    : hasOption(given, 'O', '--remote-name', '--remote-name-all')
      ? given.operands.map((url) => savedAs(url, folder))
      : [];
  return [
    ...given
      .valuesOf(...CURL_OUTPUTS)
      // `#1` becomes a text from the address.
      .map((word) => (/#\d/.test(word.value) ? unknownWord(word.text) : word))
      .flatMap((word) => (word.value === '-' ? [] : [touch('write', word)])),
    // A file with options can name any output.
    ...given.valuesOf('-K', '--config').map((word) => touch('write', unknownWord(word.text))),
    ...[...saved, ...formatted].map((word) => touch('write', word)),
    ...given.valuesOf(...CURL_INPUTS).map((word) => touch('read', word)),
    ...data,
  ];
};

const wget: Special = (args) => {
  const inputs = ['-i', '--input-file', '--post-file', '--body-file', '--load-cookies', '--ca-certificate'];
  const logs = ['-o', '-a', '--output-file', '--append-output', '--save-cookies'];
  const outs = ['-O', '--output-document'];
  const folders = ['-P', '--directory-prefix'];
  const given = argumentsOf(args, [...inputs, ...logs, ...outs, ...folders, '-U', '-t', '-T', '--header']);
  const [folder = HERE] = given.valuesOf(...folders);
  const named = given.valuesOf(...outs);
  const saved = hasOption(given, '', '--content-disposition', '--trust-server-names')
    ? [unknownWord('what the server calls it')]
    : given.operands.map((url) => savedAs(url, folder));
  return [
    ...(named.length > 0 ? named : saved)
      .filter(({ value }) => value !== '-')
      .map((word) => touch('write', word)),
    ...(named.length === 0 ? [touch('write', folder)] : []),
    ...given.valuesOf(...logs).map((word) => touch('write', word)),
    ...given.valuesOf(...inputs).map((word) => touch('read', word)),
  ];
};

/** Returns the last segment of a URL. */
function savedAs(url: ShellWord, folder: ShellWord): ShellWord {
  if (url.kind === 'dynamic') return unknownWord(url.text);
  const path = url.value.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/, '');
  return wordInside(folder, literalWord(path.slice(path.lastIndexOf('/') + 1) || 'index.html'));
}

export const NETWORK: readonly (readonly [string, Special])[] = [
  [
    'rsync',
    copiedWith(['-e', '--rsh', '--exclude', '--include', '--files-from', '-f', '--filter'], (given) =>
      hasOption(given, 'Lk', '--copy-links', '--copy-dirlinks', '--copy-unsafe-links'),
    ),
  ],
  ['scp', copiedWith(['-i', '-P', '-F', '-o', '-c', '-l', '-S', '-J'], () => true)],
  ['curl', curl],
  ['wget', wget],
];
