/**
 * The folders that a session knows of. Those of the recording machine become those of this one in what the model said, so
 * that its calls find their files.
 */
import { realpathSync } from 'node:fs';
import os from 'node:os';
import { anyOf, type Span } from './chunks.ts';

export interface Place {
  readonly name: 'cwd' | 'config' | 'home' | 'temp';
  readonly path: string;
}

/** The most telling name first: a folder may be two things at once. */
export function placesHere(configDir: string, cwd: string = process.cwd()): Place[] {
  const named: Place[] = [
    { name: 'cwd', path: cwd },
    { name: 'config', path: configDir },
    { name: 'home', path: os.homedir() },
    { name: 'temp', path: os.tmpdir() },
  ];
  const known = new Set<string>();
  return named
    .flatMap((place) => [place, { ...place, path: real(place.path) }])
    .filter(({ path }) => path.length > 1 && !known.has(path) && known.add(path));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Where folders stand in a text, the longest first and only whole names, and what is to stand there. */
function replacing(
  places: readonly Place[],
  by: (place: Place) => string,
): (text: string) => readonly Span[] {
  const any = anyOf(places.map(({ path }) => path));
  if (any === undefined) return () => [];
  const finder = new RegExp(String.raw`(?<![\w.-])(?:${any})(?![\w-]|\.\w)`, 'g');
  const replacements = new Map(places.map((place) => [place.path, by(place)]));
  return (text) =>
    [...text.matchAll(finder)].map(({ index, 0: path }) => ({
      start: index,
      end: index + path.length,
      by: replacements.get(path) ?? path,
    }));
}

export function placeNames(places: readonly Place[]): (text: string) => readonly Span[] {
  return replacing(places, ({ name }) => `<${name}>`);
}

/** What the folders of one machine are called on another; undefined: the same. */
export function relocations(
  from: readonly Place[],
  to: readonly Place[],
): ((text: string) => readonly Span[]) | undefined {
  const here = ({ name, path }: Place): string => {
    const same = to.filter((place) => place.name === name).map((place) => place.path);
    return same.includes(path) ? path : (same[0] ?? path);
  };
  return from.every((place) => here(place) === place.path) ? undefined : replacing(from, here);
}
