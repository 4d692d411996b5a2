/** Freezes plain data deeply. A write to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}

/** Compares plain data. An absent key differs from a key with `undefined`. */
export function isSameData(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (!isObjectOrList(one) || !isObjectOrList(other) || Array.isArray(one) !== Array.isArray(other))
    return false;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    const here = one[key];
    const there = other[key];
    if (!Object.is(here, there) && !isSameData(here, there)) return false;
    if (there === undefined && !(key in other)) return false;
  }
  return true;
}

function isObjectOrList(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
