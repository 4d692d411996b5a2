/** Short notation for probabilities. A failing run shrinks to the first value. */
import fc from 'fast-check';

export function among<const Name>(...weights: readonly (readonly [Name, number])[]): fc.Arbitrary<Name> {
  const choices = weights.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) }));
  return fc.oneof({ withCrossShrink: true }, ...choices);
}

/** Present with this probability in percent. */
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

/** Every length is equally likely. By default, fast-check prefers short ones. */
export function list<Value>(arbitrary: fc.Arbitrary<Value>, maxLength: number): fc.Arbitrary<Value[]> {
  return fc.array(arbitrary, { maxLength, size: 'max' });
}

export const on = (percent: number): fc.Arbitrary<boolean> => among([true, percent], [false, 100 - percent]);
export const off = (percent: number): fc.Arbitrary<boolean> => among([false, percent], [true, 100 - percent]);

/** A duration in milliseconds: mostly zero. */
export const aWhile: fc.Arbitrary<number> = among([0, 70], [1, 8], [20, 8], [150, 7], [700, 7]);
