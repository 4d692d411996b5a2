/** Decides which files the pathspecs of a git command select. In doubt, they select more. */
import path from 'node:path';
import { isAtOrBelow } from '../../paths/places.ts';
import { wildcardMatcher } from '../../rules/wildcard.ts';
import type { PermissionWorld } from '../../world.ts';

export interface SelectedFiles {
  /** The files and folders at or below which all of them are. */
  readonly starts: readonly string[];
  /** Those that are named without a wildcard. */
  readonly named: readonly string[];
  readonly selects: (file: string) => boolean;
}

export interface PathspecPlace {
  /** The folder of the command, and the top of the working tree. Both without links. */
  readonly folder: string;
  readonly top: string;
  readonly ignoresCase: boolean;
  readonly world: Pick<PermissionWorld, 'realpath'>;
}

interface Pathspec {
  readonly isExcluding: boolean;
  /** From the top of the working tree. Undefined: it may be any path. */
  readonly inner: string | undefined;
  readonly ignoresCase: boolean;
}

/** `undefined` represents all files of the repository. */
export function selectedFiles(texts: readonly string[] | undefined, place: PathspecPlace): SelectedFiles {
  const { top } = place;
  const specs = (texts ?? []).map((text) => pathspecOf(text, place));
  const positive = specs.filter(({ isExcluding }) => !isExcluding);
  const excluded = specs.flatMap(({ isExcluding, inner }) =>
    isExcluding && inner !== undefined && !WILDCARD.test(inner) ? [inner] : [],
  );
  const isExcluded = (file: string): boolean => excluded.some((inner) => isAtOrBelowInner(file, inner));
  const isEverything = positive.length === 0 || positive.some(({ inner }) => inner === undefined);
  const tests = isEverything ? [() => true] : positive.map(testOf);
  const known = isEverything ? [''] : positive.flatMap(({ inner }) => inner ?? []);
  // In another case, the name of a folder may be written in any way.
  const starts = positive.some(({ ignoresCase }) => ignoresCase) ? [''] : known.map(startOf);
  const outermost = starts.filter(
    (one) => !starts.some((other) => other !== one && isAtOrBelowInner(one, other)),
  );
  return {
    starts: [...new Set(outermost)].map((inner) => path.posix.join(top, inner)),
    named: known
      .filter((inner) => inner !== '' && !WILDCARD.test(inner))
      .map((inner) => path.posix.join(top, inner)),
    selects: (file) => {
      const inner = path.posix.relative(top, file);
      return tests.some((test) => test(inner)) && !isExcluded(inner);
    },
  };
}

const WILDCARD = /[*?[\\]/;
/** `:/x`, `:!x`, `:^x`. */
const SHORT = /^:(?!\()([/!^]*):?(.*)$/s;
const LONG = /^:\(([^)]*)\)(.*)$/s;
/** Other words limit a pathspec further, or say where it starts. */
const KNOWN_MAGIC = /^(top|literal|icase|glob|exclude|)$/;

function pathspecOf(text: string, place: PathspecPlace): Pathspec {
  const [, long, rest = ''] = LONG.exec(text) ?? [];
  if (long !== undefined) {
    const magic = long.split(',');
    const isExcluding = magic.includes('exclude');
    const isKnown = magic.every((word) => KNOWN_MAGIC.test(word));
    return {
      isExcluding,
      inner: isKnown ? innerPath(rest, magic.includes('top'), place) : undefined,
      ignoresCase: place.ignoresCase || magic.includes('icase'),
    };
  }
  const [, short = '', named = text] = SHORT.exec(text) ?? [];
  const isUnclear = text.startsWith(':') && (named === '' ? short === '' : !/^[\w./~*?[\\{-]/.test(named));
  return {
    isExcluding: /[!^]/.test(short),
    inner: isUnclear ? undefined : innerPath(named, short.includes('/'), place),
    ignoresCase: place.ignoresCase,
  };
}

function innerPath(
  text: string,
  isFromTop: boolean,
  { folder, top, world }: PathspecPlace,
): string | undefined {
  const written = path.posix.resolve(isFromTop ? top : folder, text);
  const file = isAtOrBelow(written, top) ? written : world.realpath(written);
  return isAtOrBelow(file, top) ? path.posix.relative(top, file) : undefined;
}

/** The folder before the first wildcard. */
function startOf(inner: string): string {
  const at = inner.search(WILDCARD);
  return at < 0 ? inner : inner.slice(0, Math.max(inner.lastIndexOf('/', at), 0));
}

/** A wildcard also matches slashes. Git first compares the pathspec as a name. */
function testOf({ inner = '', ignoresCase }: Pathspec): (file: string) => boolean {
  const fold = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  const name = fold(inner);
  const isNamed = (file: string): boolean => isAtOrBelowInner(fold(file), name);
  if (!WILDCARD.test(inner)) return isNamed;
  const unclear = name.search(/[[\\]/);
  const pattern = (unclear < 0 ? name : `${name.slice(0, unclear)}*`)
    .replaceAll('?', '*')
    .replaceAll('**/', '*');
  const tests = [wildcardMatcher(pattern), wildcardMatcher(`${pattern}/*`)];
  return (file) => isNamed(file) || tests.some((test) => test(fold(file)));
}

function isAtOrBelowInner(file: string, folder: string): boolean {
  return folder === '' || file === folder || file.startsWith(`${folder}/`);
}
