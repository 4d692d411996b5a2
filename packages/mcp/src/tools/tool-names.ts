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
  return hashedName(name, server, tool);
}

/** Returns the name, or another one if it is taken. The result depends on the names alone, not on their order. */
export function uniqueName(name: string, server: string, tool: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? hashedName(name, server, tool) : name;
}

function hashedName(name: string, server: string, tool: string): string {
  return `${name.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash(`${server}\n${tool}`)}`;
}

/**
 * Returns the names that the model may see for a name in a rule: with other characters, cut, or with a hash. A rule names
 * tools as their server does, or as the model sees them. A `*` is kept.
 */
export function possibleToolNames(written: string): readonly string[] {
  if (!written.startsWith('mcp__')) return [written];
  const names = new Set([written, written.split('*').map(cleanName).join('*')]);
  if (written.includes('*')) return [...names];
  for (const { server, tool } of readingsOf(written)) {
    names.add(toolName(server, tool));
    names.add(hashedName(prefixOf(server) + cleanName(tool), server, tool));
  }
  return [...names];
}

/** Returns whether the name is cut inside the name of this server. */
export function mayBeCutNameOf(server: string, name: string): boolean {
  return (
    name.length === MAX_LENGTH &&
    prefixOf(server).length > MAX_LENGTH - HASH_LENGTH - 1 &&
    name.startsWith(`${sharedPrefixOf(server)}_`)
  );
}

/** Returns the known beginning of the whole name, if this name ends with a hash. A cut name lost the rest. */
export function shortenedName(
  name: string,
): { readonly beginning: string; readonly isCut: boolean } | undefined {
  const [, beginning] = /^(mcp__.+)_[\da-f]{6}$/.exec(name) ?? [];
  return beginning === undefined ? undefined : { beginning, isCut: name.length === MAX_LENGTH };
}

/** Returns all ways to split a name into a server and a tool: `mcp__a__b__c` has two. */
export function readingsOf(name: string): readonly { readonly server: string; readonly tool: string }[] {
  const body = name.startsWith('mcp__') ? name.slice('mcp__'.length) : '';
  const readings: { readonly server: string; readonly tool: string }[] = [];
  for (let at = body.indexOf('__', 1); at > 0 && at + 2 < body.length; at = body.indexOf('__', at + 1))
    readings.push({ server: body.slice(0, at), tool: body.slice(at + 2) });
  return readings;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}
