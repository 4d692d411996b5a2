/**
 * The programs that a command starts by name, which the search path is used for: its own, those in its words, the interpreter of a
 * script, and those that a known program starts by itself.
 */
import path from 'node:path';
import type { ShellWord } from '@heddle/tools/shell';
import { projectEntries } from '../paths/program-places.ts';
import type { PermissionWorld } from '../world.ts';
import { baseName, commandsOfFind, likelyTails, type Unwrapped } from './runners.ts';

type Run = readonly ShellWord[];

interface Helpers {
  readonly starts: readonly string[];
  /** It starts them only with such a word. */
  readonly ifWord?: RegExp;
}

const names = (text: string): readonly string[] => text.split(' ');
const helpers = (
  programs: string,
  starts: string,
  ifWord?: RegExp,
): readonly (readonly [string, Helpers])[] =>
  names(programs).map((name) => [
    name,
    { starts: names(starts), ...(ifWord === undefined ? {} : { ifWord }) },
  ]);

const UNPACKERS =
  'gzip bzip2 xz lzip lzma lzop lz4 lrzip zstd brotli compress uncompress gunzip bunzip2 unxz';
const PAGERS = 'less more most pager';

/**
 * Programs that need no question, and start others by name. Most are scripts on some systems. Programs that their options and
 * settings name are not listed here.
 */
const STARTS: ReadonlyMap<string, Helpers> = new Map<string, Helpers>([
  ...helpers('egrep fgrep rgrep', 'grep'),
  ...helpers('zegrep zfgrep', 'zgrep'),
  ...helpers('zgrep', 'grep egrep fgrep gzip zcat sed expr mktemp cat rm'),
  ...helpers('xzgrep', 'grep xz gzip bzip2 lzop zstd sed expr'),
  ...helpers('bzgrep', 'grep egrep fgrep bzip2 sed'),
  ...helpers('zcat gzcat bzcat xzcat lzcat zstdcat lz4cat', 'gzip bzip2 xz zstd lz4'),
  ...helpers('tar', UNPACKERS),
  ...helpers('file', UNPACKERS, /^-(\w*[zZ]|-uncompress)/),
  ...helpers('rg', UNPACKERS, /^-(\w*z|-search-zip)/),
  ...helpers('mlr', `${UNPACKERS} zcat`, /z/),
  ...helpers('yq', 'jq'),
  ...helpers('colordiff', 'diff'),
  ...helpers('diff', 'pr', /^-(\w*l|-pag)/),
  ...helpers('fd fdfind', 'ls gls', /^-(\w*l|-list)/),
  ...helpers('xargs gxargs', 'echo'),
  ...helpers('cloc', 'git tar unzip gzip bzip2 xz rpm2cpio which'),
  ...helpers('bat batcat delta journalctl systemctl dpkg-query', PAGERS),
  ...helpers('dpkg', `dpkg-query dpkg-deb dpkg-split ${PAGERS}`),
  ...helpers('git', 'sed uname basename gettext envsubst', /^submodule$/),
  ...helpers('git-lfs', 'git'),
  ...helpers('npm npx', 'node'),
  ...helpers('pip pip3', 'git hg svn bzr'),
  ...helpers(
    'man',
    `${UNPACKERS} ${PAGERS} apropos whatis manpath locale preconv tbl eqn neqn pic nroff troff groff grotty col cat`,
  ),
  ...helpers('lsb_release', 'getopt sed cut tr head grep cat basename rpm dpkg-query apt-cache python3'),
  ...helpers('ldd', 'cat'),
  ...helpers('gdb', 'iconv gdb.minimal gdb-minimal'),
  ...helpers('autoconf automake libtool', 'autom4te cat sed grep perl'),
]);

/** Returns the names that a command starts programs with, which may have a folder. `command -v x` starts nothing. */
export function startedNames(words: Run, world: PermissionWorld): readonly string[] {
  return withHelpers(runsIn(words), world);
}

/** Returns the names that the search path is used for. Any word after `xargs` may be one of them. */
export function searchedNames({ words }: Unwrapped, world: PermissionWorld): readonly string[] {
  const isXargs = /^g?xargs$/.test(baseName(words[0]?.value ?? ''));
  return withHelpers(isXargs ? [words, ...words.slice(1).map((word) => [word])] : runsIn(words), world);
}

function runsIn(words: Run): readonly Run[] {
  const isRunner = /^(g?xargs|g?env)$/.test(baseName(words[0]?.value ?? ''));
  const tails = isRunner ? likelyTails(words) : [];
  const found = [words, ...tails].flatMap(commandsOfFind);
  return [words, ...tails, ...found, ...found.flatMap((run) => likelyTails(run))];
}

interface Started {
  readonly name: string;
  /** Undefined: the words are not known. */
  readonly args: Run | undefined;
}

/** Adds the programs that these start by themselves, and those that they start. */
function withHelpers(runs: readonly Run[], world: PermissionWorld): readonly string[] {
  const known = new Set<string>();
  const waiting: Started[] = runs.map(([first, ...args]) => ({ name: first?.value ?? '', args }));
  // The loop also reaches the programs that are added meanwhile.
  for (const { name, args } of waiting) {
    const interpreters = known.has(name)
      ? []
      : filesOf(name, world).flatMap((file) => interpreterNames(file, world));
    known.add(name);
    for (const next of [...startsItself(name, args), ...interpreters])
      if (!known.has(next)) waiting.push({ name: next, args: undefined });
  }
  return [...known];
}

/** Without known words, each of its options is possible. */
function startsItself(name: string, args: Run | undefined): readonly string[] {
  const { starts = [], ifWord } = STARTS.get(baseName(name)) ?? {};
  const isMet = ifWord === undefined || args === undefined || args.some(({ value }) => ifWord.test(value));
  return isMet ? starts : [];
}

/** Returns the words after `#!` that may name a program: `node` in `#!/usr/bin/env -S node --no-warnings`. */
function interpreterNames(file: string, { interpreterLine }: PermissionWorld): readonly string[] {
  const line = interpreterLine?.(file) ?? '';
  return line
    .split(/[\s"'\\]+/)
    .flatMap((word) => word.replace(/^-\w*S|^--split-string=/, '').match(/^[^-=][^=]*$/) ?? []);
}

/**
 * Returns the files that a name may mean: the first in the search path, and those of the project before it. Links of the
 * project may lead to a manager, and proven commands run without these entries.
 */
export function filesOf(name: string, world: PermissionWorld): readonly string[] {
  if (name === '' || name.startsWith('-')) return [];
  if (name.includes('/')) return path.posix.isAbsolute(name) ? [name] : [];
  const ofProject = projectEntries(world);
  const files: string[] = [];
  for (const entry of world.environment['PATH']?.split(':') ?? []) {
    const file = path.posix.join(entry, name);
    if (!path.posix.isAbsolute(entry) || !world.exists(file)) continue;
    files.push(file);
    if (!ofProject.includes(entry) && isProgram(file, world)) break;
  }
  return files;
}

/** The shell continues its search after a folder, or a link without a target. */
function isProgram(file: string, world: PermissionWorld): boolean {
  const real = world.realpath(file);
  return world.exists(real) && !world.exists(`${real}/.`);
}
