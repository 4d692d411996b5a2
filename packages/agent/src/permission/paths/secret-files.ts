/**
 * The one list of this program's own files with logins: the address and the data of a fleet's database, and tokens of MCP servers.
 * Such a login gives more rights than the user gave the model. So reading one asks, regardless of rules. Searches, views and
 * the sandbox leave these files out.
 */
import path from 'node:path';
import type { Concern } from '../part.ts';
import type { PermissionWorld } from '../world.ts';
import type { Glob } from './glob.ts';
import { type FilePlace, isAtOrBelow } from './places.ts';
import { literalSegments, segmentsMeet } from './segments.ts';

/** Files and folders in the folder of the configuration. */
const NAMES = ['fleet', 'mcp-auth.json'];

type Places = Pick<PermissionWorld, 'configDirs' | 'realpath'>;

/** Returns the paths of these files and folders without links, also of missing ones. */
export function secretPlaces({ configDirs, realpath }: Places): string[] {
  const paths = configDirs.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [...new Set(paths.map(realpath))];
}

/** The existing ones. */
export function presentSecrets(world: Places & Pick<PermissionWorld, 'exists'>): string[] {
  return secretPlaces(world).filter(world.exists);
}

interface Reading {
  readonly places: readonly FilePlace[] | undefined;
  readonly glob: Glob | undefined;
  readonly deep: 'no' | 'all' | 'visible';
}

/** One decision may be about many files. Copies of a world share their functions. */
const known = new WeakMap<PermissionWorld['realpath'], readonly string[]>();

/** Returns why reading asks, or undefined if it shows no login of this program. */
export function secretConcern(
  { places = [], glob, deep }: Reading,
  world: PermissionWorld,
): Concern | undefined {
  const folded = (file: string): string => (world.foldsCase ? file.toLowerCase() : file);
  const secrets = known.get(world.realpath) ?? secretPlaces(world);
  known.set(world.realpath, secrets);
  const shown = secrets.some((secret) => {
    const at = folded(secret);
    if (places.some(({ real }) => isAtOrBelow(folded(real), at))) return true;
    if (!world.exists(secret)) return false;
    if (glob && mayMatch(glob, secret, deep)) return true;
    return deep !== 'no' && places.some(({ real }) => isFound(at, folded(real), deep));
  });
  return shown ? SHOWS_LOGIN : undefined;
}

const SHOWS_LOGIN: Concern = {
  level: 'unless bypassed',
  reason: 'It may show a login of Heddle: of the database of a fleet, or of an MCP server.',
};

function mayMatch(glob: Glob, secret: string, deep: Reading['deep']): boolean {
  const target = [...literalSegments(secret), '**'] as const;
  return glob.shapes(true, deep).some((shape) => segmentsMeet(shape, target, true));
}

/** Returns whether reading a whole folder reaches the file. Some programs skip hidden names. */
function isFound(secret: string, folder: string, deep: Reading['deep']): boolean {
  if (!isAtOrBelow(secret, folder)) return false;
  return deep === 'all' || !secret.slice(folder.length).includes('/.');
}
