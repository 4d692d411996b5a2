/** Programs whose arguments are neither all read nor all written. */
import type { ShellWord } from '@heddle/tools/shell';
import { type Arguments, argumentsOf, hasOption } from './operands.ts';
import { HERE, literalWord, partOfWord, type Touch, touch } from './touch.ts';

type Special = (args: readonly ShellWord[]) => Touch[];

const read = (word: ShellWord, deep = false): Touch => touch('read', word, deep ? 'all' : undefined);
const write = (word: ShellWord, deep = false): Touch => touch('write', word, deep ? 'all' : undefined);
const remove = (word: ShellWord, deep = false): Touch => touch('remove', word, deep ? 'all' : undefined);

/** Sources and where they go. */
function transferred(given: Arguments): {
  readonly sources: readonly ShellWord[];
  readonly target: ShellWord | undefined;
} {
  const named = given.valueOf('-t', '--target-directory');
  if (named) return { sources: given.operands, target: named };
  return { sources: given.operands.slice(0, -1), target: given.operands.at(-1) };
}

const COPY_OPTIONS = ['-t', '--target-directory', '-S', '--suffix', '-m', '--mode', '-o', '-g'];

const copy: Special = (args) => {
  const given = argumentsOf(args, COPY_OPTIONS);
  const { sources, target } = transferred(given);
  const deep = hasOption(given, 'rRa', '--recursive', '--archive');
  return [...sources.map((word) => read(word, deep)), ...(target ? [write(target)] : [])];
};

const remoteCopy: Special = (args) => {
  const given = argumentsOf(args, ['-e', '--rsh', '-i', '-P', '-F', '-o', '--exclude', '--include']);
  const isRemote = ({ value }: ShellWord) => /^[^/]+:/.test(value);
  const target = given.operands.at(-1);
  return [
    ...given.operands
      .slice(0, -1)
      .filter((word) => !isRemote(word))
      .map((word) => read(word, true)),
    ...(target && !isRemote(target) ? [write(target)] : []),
  ];
};

const tar: Special = (args) => {
  const [first, ...rest] = args;
  const dashed =
    first && !first.value.startsWith('-')
      ? [{ ...first, value: `-${first.value}`, text: `-${first.text}` }, ...rest]
      : args;
  const letters = dashed
    .filter(({ value }) => /^-[a-zA-Z]+$/.test(value))
    .map(({ value }) => value.slice(1))
    .join('');
  // Bundled letters take their value from the next word.
  const split = dashed.flatMap((word) =>
    /^-[a-zA-Z]*f$/.test(word.value) ? [{ ...word, value: '-f', text: '-f' }] : [word],
  );
  const given = argumentsOf(split, ['-f', '-C', '--file', '--directory', '--exclude', '-T', '-X']);
  const archive = given.valueOf('-f', '--file');
  const folder = given.valueOf('-C', '--directory') ?? HERE;
  const has = (letter: string, ...long: string[]) =>
    letters.includes(letter) || hasOption(given, '', ...long);
  if (has('x', '--extract', '--get')) return [...(archive ? [read(archive)] : []), write(folder, true)];
  if (has('t', '--list')) return archive ? [read(archive)] : [];
  return [...(archive ? [write(archive)] : []), ...given.operands.map((word) => read(word, true))];
};

const curl: Special = (args) => {
  const given = argumentsOf(args, [
    '-o',
    '--output',
    '-T',
    '--upload-file',
    '-K',
    '--config',
    '-H',
    '-X',
    '-u',
    '-A',
    '-D',
    '--dump-header',
    '-c',
    '--cookie-jar',
    '--output-dir',
  ]);
  const out = ['-o', '--output', '-D', '--dump-header', '-c', '--cookie-jar', '--output-dir'].map((option) =>
    given.valueOf(option),
  );
  const sent = ['-T', '--upload-file', '-K', '--config'].map((option) => given.valueOf(option));
  const data = args.flatMap((word) => {
    const path =
      /(?:^|[=;])[@<]([^;]+)/.exec(word.value)?.[1] ??
      /^-[dF]@(.+)/.exec(word.value)?.[1] ??
      /^file:\/\/(.+)/.exec(word.value)?.[1];
    return path === undefined ? [] : [read(partOfWord(word, path))];
  });
  return [
    ...out.flatMap((word) => (word && word.value !== '-' ? [write(word)] : [])),
    ...(hasOption(given, 'OJ', '--remote-name', '--remote-header-name')
      ? [write(literalWord('./download'))]
      : []),
    ...sent.flatMap((word) => (word ? [read(word)] : [])),
    ...data,
  ];
};

const wget: Special = (args) => {
  const given = argumentsOf(args, [
    '-O',
    '--output-document',
    '-P',
    '--directory-prefix',
    '-o',
    '-a',
    '-i',
    '--post-file',
    '--body-file',
  ]);
  const out = given.valueOf('-O', '--output-document');
  const posted = given.valueOf('--post-file', '--body-file', '-i');
  const log = given.valueOf('-o', '-a');
  return [
    ...(out?.value === '-'
      ? []
      : [write(out ?? given.valueOf('-P', '--directory-prefix') ?? literalWord('./download'))]),
    ...(log ? [write(log)] : []),
    ...(posted ? [read(posted)] : []),
  ];
};

const find: Special = (args) => {
  const start = args.findIndex(({ value }) => /^[-(!]/.test(value) && !/^-[HLPDO]/.test(value));
  const folders = (start < 0 ? args : args.slice(0, start)).filter(({ value }) => !value.startsWith('-'));
  const deletes = args.some(({ value }) => value === '-delete');
  const places = folders.length > 0 ? folders : [HERE];
  return [
    ...places.map((word) => (deletes ? remove(word, true) : read(word))),
    ...args.flatMap((word, index) => {
      const file = args[index + 1];
      return /^-(fprint0?|fprintf|fls)$/.test(word.value) && file ? [write(file)] : [];
    }),
  ];
};

const git: Special = (args) =>
  args.flatMap((word): Touch[] => {
    if (word.kind === 'dynamic' || word.value.startsWith('-')) {
      const output = /^--output=(.+)$/.exec(word.value)?.[1];
      return output === undefined ? [] : [write(partOfWord(word, output))];
    }
    // `HEAD:secrets/x` is that file as it once was.
    const path = word.value.slice(word.value.indexOf(':') + 1);
    return path === '' || /\s/.test(path)
      ? []
      : [{ kind: 'read', word: partOfWord(word, path), knowledge: 'named' }];
  });

const unzip: Special = (args) => {
  const given = argumentsOf(args, ['-d', '-x']);
  const [archive] = given.operands;
  if (hasOption(given, 'lptvzZ')) return archive ? [read(archive)] : [];
  return [...(archive ? [read(archive)] : []), write(given.valueOf('-d') ?? HERE, true)];
};

const zip: Special = (args) => {
  const [archive, ...files] = argumentsOf(args, ['-x', '-i', '-P']).operands;
  return [...(archive ? [write(archive)] : []), ...files.map((word) => read(word, true))];
};

export const SPECIAL: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['cp', copy],
  ['install', copy],
  [
    'mv',
    (args) => {
      const { sources, target } = transferred(argumentsOf(args, COPY_OPTIONS));
      return [...sources.map((word) => remove(word, true)), ...(target ? [write(target)] : [])];
    },
  ],
  [
    'ln',
    (args) => {
      const { sources, target } = transferred(argumentsOf(args, COPY_OPTIONS));
      return sources.length === 0 && target
        ? [read(target), write(HERE)]
        : [...sources.map((word) => read(word)), ...(target ? [write(target)] : [])];
    },
  ],
  ['rsync', remoteCopy],
  ['scp', remoteCopy],
  ['tar', tar],
  ['curl', curl],
  ['wget', wget],
  ['find', find],
  ['git', git],
  ['unzip', unzip],
  ['zip', zip],
  [
    'dd',
    (args) =>
      args.flatMap((word) => {
        const [, side, path] = /^(if|of)=(.+)$/.exec(word.value) ?? [];
        if (path === undefined) return [];
        const part = partOfWord(word, path);
        return [side === 'if' ? read(part) : write(part)];
      }),
  ],
  [
    'sort',
    (args) => {
      const given = argumentsOf(args, ['-o', '--output', '-k', '-t', '-S', '-T']);
      const out = given.valueOf('-o', '--output');
      return [...given.operands.map((word) => read(word)), ...(out ? [write(out)] : [])];
    },
  ],
  ['uniq', (args) => inOut(argumentsOf(args, ['-f', '-s', '-w']))],
  ['xxd', (args) => inOut(argumentsOf(args, ['-l', '-s', '-c', '-g']))],
]);

/** The first argument is read, the second written. */
function inOut({ operands: [input, output] }: Arguments): Touch[] {
  return [...(input ? [read(input)] : []), ...(output ? [write(output)] : [])];
}
