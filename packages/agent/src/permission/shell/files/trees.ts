/** `find`: it walks a whole tree of files. */
import type { ShellWord } from '@heddle/tools/shell';
import { HERE, type Touch, touch } from './touch.ts';

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
