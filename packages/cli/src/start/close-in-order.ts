/**
 * Runs each step after the one before it has ended, also if that failed. So a part that cannot be closed does not keep the others open.
 *
 * Contract: rejects with the first error, after all steps.
 */
export async function closeInOrder(steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (thrown) {
      errors.push(thrown);
    }
  }
  if (errors.length > 0) throw errors[0];
}
