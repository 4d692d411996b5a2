/** How likely something is, said shortly. What comes first is what everything else is reduced to in a failing run. */
import fc from 'fast-check';

export function among<const Name>(...weights: readonly (readonly [Name, number])[]): fc.Arbitrary<Name> {
  const choices = weights.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) }));
  return fc.oneof({ withCrossShrink: true }, ...choices);
}

/** `percent` of the time it is there. */
export function maybe<Value>(
  arbitrary: fc.Arbitrary<Value>,
  percent: number,
): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 100 - percent, arbitrary: fc.constant(undefined) },
    { weight: percent, arbitrary },
  );
}

/** Every length is as likely as any other: left to itself, fast-check prefers short ones. */
export function list<Value>(arbitrary: fc.Arbitrary<Value>, maxLength: number): fc.Arbitrary<Value[]> {
  return fc.array(arbitrary, { maxLength, size: 'max' });
}

export const on = (percent: number): fc.Arbitrary<boolean> => among([true, percent], [false, 100 - percent]);
export const off = (percent: number): fc.Arbitrary<boolean> => among([false, percent], [true, 100 - percent]);

/** Milliseconds that something takes: mostly none. */
export const aWhile: fc.Arbitrary<number> = among([0, 70], [1, 8], [20, 8], [150, 7], [700, 7]);
