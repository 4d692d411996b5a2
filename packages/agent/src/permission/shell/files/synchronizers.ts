/** Programs that make folders equal, and remove files for that. */
import type { ShellWord } from '@heddle/tools/shell';
import { type Touch, touch, unknownWord } from './touch.ts';

const CLEARS = /^(sync|bisync)$/;
const MOVES = /^(move|moveto|bisync)$/;
const REMOVES = /^(delete|deletefile|purge|rmdir|rmdirs|dedupe|cleanup)$/;
const COPIES = /^(sync|bisync|move|moveto|copy|copyto)$/;

/** Returns the folders that such a program changes. An option may take the next word, so each word may be any of them. */
export function syncedFolders(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (program === 'unison') return changedFolders(operandsOf(args));
  if (program !== 'rclone') return [];
  const at = args.findIndex(({ value }) => [MOVES, CLEARS, REMOVES, COPIES].some((one) => one.test(value)));
  const command = args[at]?.value ?? '';
  const operands = operandsOf(args.slice(at + 1));
  if (at < 0) return [];
  if (REMOVES.test(command)) return operands.map((word) => touch('remove', word, 'all'));
  const [source] = operands;
  const targets = operands.length > 2 ? operands : operands.slice(1);
  const isLocal = source !== undefined && !/^[^/]+:/.test(source.value);
  return [
    ...(MOVES.test(command) ? operands : CLEARS.test(command) ? targets : []).map((word) =>
      touch('remove', word, 'all', { moves: true }),
    ),
    ...targets.map((word) =>
      touch('write', word, 'all', isLocal && operands.length === 2 ? { copyOf: source } : { fills: true }),
    ),
  ];
}

/** A word such as `remote:x` is a place on another machine. */
function operandsOf(args: readonly ShellWord[]): readonly ShellWord[] {
  return args
    .filter(({ kind, value }) => kind === 'dynamic' || !/^-|^[^/]+:/.test(value))
    .map((word) => (word.kind === 'dynamic' ? unknownWord(word.text) : word));
}

function changedFolders(folders: readonly ShellWord[]): readonly Touch[] {
  return folders.flatMap((word) => [
    touch('remove', word, 'all', { moves: true }),
    touch('write', word, 'all', { fills: true }),
  ]);
}
