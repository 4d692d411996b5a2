/** `find` and `git`: they know a whole tree of files. */
import type { ShellWord } from '@heddle/tools/shell';
import { argumentsOf } from './operands.ts';
import { HERE, partOfWord, type Touch, touch } from './touch.ts';

/** Tests after which not everything is deleted. */
const PICKING =
  /^-(i?name|i?path|i?regex|i?lname|i?wholename|type|size|empty|[acm](time|min)|newer.*|user|group|perm)$/;

/** Where `find` begins: the words before its expression. */
export function startsOf(args: readonly ShellWord[]): readonly ShellWord[] {
  const at = args.findIndex(({ value }) => /^[-(!]/.test(value) && !/^-[HLPDO]/.test(value));
  const folders = (at < 0 ? args : args.slice(0, at)).filter(({ value }) => !value.startsWith('-'));
  return folders.length > 0 ? folders : [HERE];
}

export function picks(args: readonly ShellWord[]): boolean {
  return args.some(({ value }) => PICKING.test(value));
}

export function find(args: readonly ShellWord[]): Touch[] {
  const deletes = args.some(({ value }) => value === '-delete');
  return [
    ...startsOf(args).map(
      (word): Touch =>
        deletes ? { kind: 'remove', word, deep: 'all', picks: picks(args) } : touch('read', word),
    ),
    ...args.flatMap((word, index) => {
      const file = args[index + 1];
      if (file === undefined) return [];
      if (/^-(fprint0?|fprintf|fls)$/.test(word.value)) return [touch('write', file)];
      return /^-(newer.*|samefile|files0-from)$/.test(word.value) ? [touch('read', file)] : [];
    }),
  ];
}

export function git(args: readonly ShellWord[]): Touch[] {
  const given = new Set(args.map(({ value }) => value));
  // Files that git does not know of can be hidden ones.
  const isOpen = given.has('--no-index') || given.has('--untracked');
  const isSearch = given.has('grep');
  const walks = isOpen ? 'all' : isSearch ? 'visible' : undefined;
  const named = args.flatMap((word): Touch[] => {
    if (word.kind === 'dynamic' || word.value.startsWith('-')) {
      const output = /^--output=(.+)$/.exec(word.value)?.[1];
      return output === undefined ? [] : [touch('write', partOfWord(word, output))];
    }
    // `HEAD:secrets/x` is that file as it once was, `:0:secrets/x` as it was added.
    const path = word.value.slice(word.value.indexOf(':') + 1).replace(/^[0-3]:/, '');
    return path === '' || /\s/.test(path)
      ? []
      : [
          {
            kind: 'read',
            word: partOfWord(word, path),
            knowledge: 'named',
            ...(walks ? { deep: walks } : {}),
          },
        ];
  });
  if (walks && isSearch) named.push(touch('read', HERE, walks));
  const saves = args.some(({ value }) => value === 'archive' || value === 'format-patch');
  const saved = saves ? argumentsOf(args, ['-o', '--output', '--output-directory']) : undefined;
  const outputs = saved?.valuesOf('-o', '--output', '--output-directory') ?? [];
  named.push(...outputs.map((word) => touch('write', word)));
  // What a patch changes stands in a file that nobody has read.
  const patches = args.some(({ value }) => value === 'apply' || value === 'am');
  return patches ? [...named, { kind: 'read', word: HERE, deep: 'all', knowledge: 'named' }] : named;
}
