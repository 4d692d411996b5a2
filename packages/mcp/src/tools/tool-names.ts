/** The names of tools for the model: `mcp__server__tool`, valid for every provider, and unique. Pure. */
import { createHash } from 'node:crypto';

/** The limit of the strictest provider. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 6;

/** Other characters are not allowed in the name of a tool. */
function cleanName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}

export function prefixOf(server: string): string {
  return `mcp__${cleanName(server)}__`;
}

/** Returns the beginning of all names of the server's tools. Names of another server may have it, too. */
export function sharedPrefixOf(server: string): string {
  return prefixOf(server).slice(0, MAX_LENGTH - HASH_LENGTH - 1);
}

/** A name that is too long is cut, and ends with a hash of the whole name. */
export function toolName(server: string, tool: string): string {
  const name = prefixOf(server) + cleanName(tool);
  if (name.length <= MAX_LENGTH) return name;
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash(`${server}\n${tool}`)}`;
}

/** Returns the name, or another one if it is taken. The result depends on the names alone, not on their order. */
export function uniqueName(name: string, server: string, tool: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash(`${server}\n${tool}`)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}
