/** The decision that led to a question, as a text. Two questions about the same call differ in it. */
import type { Authorization } from './request.ts';
import type { PermissionWorld } from './world.ts';

/**
 * Returns the reason, the parts with their decisions, and the places of the call with links resolved. A stored answer must not
 * apply after one of them has changed: a link may lead elsewhere by then.
 */
export function questionBasis(
  { rule, parts, examined }: Authorization,
  reason: string,
  world: Pick<PermissionWorld, 'cwd' | 'realpath'>,
): string {
  const known = examined?.ok ? examined.parts : [];
  const places = known.flatMap((part) => ('places' in part ? (part.places ?? []) : []));
  return JSON.stringify({
    reason,
    rule,
    parts: parts.map(({ kind, part, decision, reason: why, rule: own }) => [kind, part, decision, why, own]),
    folder: world.realpath(world.cwd),
    places: [...new Set(places.map(({ path, real }) => `${path} -> ${real}`))],
  });
}
