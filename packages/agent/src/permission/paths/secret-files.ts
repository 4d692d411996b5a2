/**
 * The one list of this program's own files with logins: the address and the data of a fleet's database, and tokens of MCP servers.
 * Such a login gives more rights than the user gave the model. So reading one asks, regardless of rules. Searches, views and
 * the sandbox leave these files out.
 */
import path from 'node:path';
import type { Concern } from '../part.ts';
import type { PermissionWorld } from '../world.ts';
import { isAtOrBelow } from './places.ts';

/** Files and folders in the folder of the configuration. */
const NAMES = ['fleet', 'mcp-auth.json'];

/** A file is written under such a name before it replaces the other one. */
const DRAFT = /^mcp-auth\.json\..+\.tmp$/;

type Folders = Pick<PermissionWorld, 'configDirs' | 'realpath'>;
type Names = Pick<PermissionWorld, 'otherNames'>;
type Places = Folders & Partial<Pick<PermissionWorld, 'list' | 'mountedBelow'>>;

/** Returns the paths of these files and folders without links, also of missing ones. */
export function secretPlaces({ configDirs, realpath, list, mountedBelow }: Places): string[] {
  const paths = configDirs.flatMap((folder) =>
    [...NAMES, ...(list?.(folder) ?? []).filter((name) => DRAFT.test(name))].map((name) =>
      path.join(folder, name),
    ),
  );
  const places = paths.map(realpath);
  const others = places.flatMap((place) => mountedBelow?.(place).map(({ name }) => name) ?? []);
  return [...new Set([...places, ...others])];
}

/** The existing ones. */
export function presentSecrets(world: Places & Pick<PermissionWorld, 'exists'>): string[] {
  return secretPlaces(world).filter(world.exists);
}

/** Returns whether a path without links is that of such a file, by one of its names. */
export function isSecret(file: string, world: Folders & Names): boolean {
  return [file, ...(world.otherNames?.(file) ?? [])].some((name) => hasSecretName(name, world));
}

function hasSecretName(file: string, world: Folders): boolean {
  const isDraft = DRAFT.test(path.basename(file));
  return (
    secretPlaces(world).some((secret) => isAtOrBelow(file, secret)) ||
    (isDraft && world.configDirs.some((folder) => world.realpath(folder) === path.dirname(file)))
  );
}

export const SHOWS_LOGIN: Concern = {
  level: 'unless bypassed',
  reason: 'It may show a login of Heddle: of the database of a fleet, or of an MCP server.',
};
