/** Programs that make folders equal, and remove files for that. */
import type { ShellWord } from '@heddle/tools/shell';
import { canCompleteProtected } from '../../paths/protected.ts';
import { argumentsOf, type OptionTable, type ParsedOperands } from './operands.ts';
import { isOneKnownWord } from './option-tables.ts';
import { partOfWord, type Touch, touch, unknownWord, writeInside } from './touch.ts';
import { optionPattern } from '../short-options.ts';

/** Returns the files that such a program changes or reads, besides those that its words name. */
export function syncedFolders(program: string, args: readonly ShellWord[]): readonly Touch[] {
  if (program === 'unison') return unison(args);
  return program === 'rclone' ? rclone(args) : [];
}

const CLEARS = /^(sync|bisync)$/;
const MOVES = /^(move|moveto|bisync)$/;
const REMOVES = /^(delete|deletefile|purge|rmdir|rmdirs|dedupe|cleanup)$/;
const COPIES = /^(sync|bisync|move|moveto|copy|copyto)$/;
const WRITES = /^(touch|mkdir|rcat|copyurl|gendocs)$/;
const READS = /^cat$/;
/** They print names and properties of files, or nothing of the project. */
const PRINTS =
  /^(|about|check|checksum|cryptcheck|cryptdecode|hashsum|help|link|listremotes|ls|lsd|lsf|lsjson|lsl|md5sum|obscure|sha1sum|size|tree|version)$/;

/** Options of rclone whose value is a file or a folder that it writes. */
const OUTPUTS =
  '--log-file --output-file --combined --differ --error --match --missing-on-dst --missing-on-src --workdir --cache-dir ' +
  '--temp-dir --cpuprofile --memprofile --output';
const INPUTS = '--exclude-from --include-from --filter-from --config --compare-dest --copy-dest';
const LISTS = '--files-from --files-from-raw';
const RCLONE: OptionTable = {
  valued: (
    `${OUTPUTS} ${INPUTS} ${LISTS} --backup-dir --suffix --bwlimit --bwlimit-file --buffer-size --checkers --contimeout ` +
    '--cutoff-mode --exclude --exclude-if-present --filter -f --format --hash --header --include --log-format --log-level ' +
    '--low-level-retries --max-age --max-backlog --max-delete --max-depth --max-duration --max-size --max-transfer --min-age ' +
    '--min-size --modify-window --multi-thread-cutoff --multi-thread-streams --order-by --retries --retries-sleep --separator ' +
    '--stats --stats-log-level --stats-unit --timeout --tpslimit --tpslimit-burst --track-renames-strategy --transfers ' +
    '--user-agent'
  ).split(' '),
  letters: 'chiILlMnPquvxR',
  long: (
    '--auto-confirm --check-first --checksum --copy-links --create-empty-src-dirs --delete-after --delete-before ' +
    '--delete-during --delete-excluded --dirs-only --download --dry-run --error-on-no-transfer --fast-list --files-only --help ' +
    '--human-readable --ignore-case --ignore-case-sync --ignore-checksum --ignore-errors --ignore-existing --ignore-size ' +
    '--ignore-times --immutable --inplace --interactive --leave-root --links --metadata --no-check-certificate --no-check-dest ' +
    '--no-traverse --no-update-modtime --one-file-system --one-way --progress --quiet --recursive --refresh-times --resync ' +
    '--rmdirs --server-side-across-configs --size-only --stats-one-line --suffix-keep-extension --track-renames --update ' +
    '--use-json-log --use-mmap --use-server-modtime --verbose --version'
  ).split(' '),
};
/** With these, a remote can be a folder of this machine, or its names become others. */
const OTHER_REMOTES = /^--(config|alias|cache|chunker|combine|compress|crypt|hasher|local|union)(-|=|$)/;

/** Returns the places on this machine. Remotes are on another one, as the user set them up, except `:local:x` and `:alias,remote=x:`. */
function placesOf(words: readonly ShellWord[], isOpen: boolean): readonly ShellWord[] {
  return words.flatMap((word) => {
    if (word.kind === 'dynamic') return [unknownWord(word.text)];
    const [remote] = /^:?[^/:]*:/.exec(word.value) ?? [];
    if (remote === undefined) return [word];
    if (remote === ':local:') return [partOfWord(word, word.value.slice(remote.length) || '/')];
    return isOpen || /^:|,/.test(remote) ? [unknownWord(word.text)] : [];
  });
}

function rclone(args: readonly ShellWord[]): readonly Touch[] {
  const given = argumentsOf(args, RCLONE);
  const isCertain = !given.isUncertain && args.every(isOneKnownWord);
  // An option that is not known may take the next word, so the command may come later.
  const at = isCertain ? 0 : given.operands.findIndex(({ value }) => COMMANDS.some((one) => one.test(value)));
  const isOpen = args.some(({ value }) => OTHER_REMOTES.test(value));
  const named = given.operands.slice(Math.max(at, 0) + 1);
  const isPlaced = isCertain && named.length === 2;
  const sources = placesOf(isPlaced ? named.slice(0, 1) : named, isOpen);
  const targets = placesOf(isPlaced ? named.slice(1) : named, isOpen);
  const command = given.operands[Math.max(at, 0)]?.value ?? '';
  return [
    ...changedByCommand(command, sources, targets, placesOf(named, isOpen)),
    ...filesOfOptions(given, targets),
  ];
}

function changedByCommand(
  command: string,
  sources: readonly ShellWord[],
  targets: readonly ShellWord[],
  all: readonly ShellWord[],
): readonly Touch[] {
  if (PRINTS.test(command)) return [];
  if (REMOVES.test(command)) return all.map((word) => touch('remove', word, 'all'));
  if (READS.test(command)) return all.map((word) => touch('read', word, 'all'));
  if (WRITES.test(command)) return all.map((word) => touch('write', word));
  if (!COPIES.test(command)) return [touch('write', unknownWord(`the files of ${command}`))];
  const [source] = sources;
  return [
    ...(MOVES.test(command) ? all : CLEARS.test(command) ? targets : []).map((word) =>
      touch('remove', word, 'all', { moves: true }),
    ),
    ...sources.map((word) => touch('read', word, 'all')),
    ...targets.flatMap((word) => [
      ...sources.filter((each) => each !== word).map((each) => writeInside(word, each)),
      touch('write', word, 'all', source && sources.length === 1 ? { copyOf: source } : { fills: true }),
    ]),
  ];
}

function filesOfOptions(given: ParsedOperands, targets: readonly ShellWord[]): readonly Touch[] {
  const values = (options: string): readonly ShellWord[] => given.valuesOf(...options.split(' '));
  const has = (option: RegExp): boolean => given.options.some((each) => option.test(each));
  const isComputed =
    // `a.rclonelink` becomes the link `a`.
    has(optionPattern({ letters: 'l', long: 'links' })) ||
    values('--suffix').some(
      ({ kind, value }) =>
        kind !== 'literal' || canCompleteProtected(value) || has(/^--suffix-k/) || value.includes('/'),
    );
  return [
    ...values(OUTPUTS).map((word) => touch('write', word)),
    ...values(INPUTS).map((word) => touch('read', word, 'all')),
    ...values(LISTS).flatMap((word) => [touch('read', word), touch('read', LISTED)]),
    ...placesOf(values('--backup-dir'), false).flatMap((word) =>
      targets.flatMap((target) => [
        touch('write', word, 'all', { copyOf: target, moves: true }),
        touch('read', target, 'all'),
      ]),
    ),
    ...(isComputed ? targets.map(() => touch('write', unknownWord('names with another end'))) : []),
  ];
}

const LISTED = unknownWord('the files of a list');
const COMMANDS = [MOVES, CLEARS, REMOVES, COPIES, WRITES, READS];

/** Each word may be a folder, because an option may take the next word. A word such as `ssh://x` is a place on another machine. */
function unison(args: readonly ShellWord[]): readonly Touch[] {
  const folders = args.flatMap((word) => {
    if (word.kind === 'dynamic') return [unknownWord(word.text)];
    const value = word.value.replace(/^-root=/, '');
    const [, path] = /^file:(?:\/\/)?(.*)$/s.exec(value) ?? [];
    if (path !== undefined) return [partOfWord(word, path)];
    return /^-|^[^/]+:/.test(value) ? [] : [value === word.value ? word : partOfWord(word, value)];
  });
  // The old files have other names.
  const isRenamed = args.some(({ value }) => /^--?backup(pre|suf)/.test(value));
  return [
    ...folders.flatMap((word) => [
      touch('remove', word, 'all', { moves: true }),
      touch('write', word, 'all', { fills: true }),
    ]),
    ...(isRenamed ? [touch('write', unknownWord('names of old files'))] : []),
  ];
}
