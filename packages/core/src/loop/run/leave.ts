/**
 * A consumer that walks away is not kept waiting. A generator answers `return` only when it next stands at a `yield`, and a
 * pending `next` may wait for a tool or a model until then; so whoever leaves is heard first, and what is under way ends.
 */
export function withImmediateReturn<T, R>(
  steps: AsyncGenerator<T, R>,
  leave: () => void,
): AsyncGenerator<T, R> {
  const end = steps.return.bind(steps);
  // Its own methods, so that every other way to leave (`break`, `await using`) goes through them.
  return Object.assign(steps, {
    return(value: R | PromiseLike<R>) {
      leave();
      return end(value);
    },
    async throw(thrown: unknown): Promise<never> {
      // It stays outside: the loop would take it for a bug of its own.
      await returnEarly(steps);
      throw thrown;
    },
  });
}

export async function returnEarly(steps: AsyncIterator<unknown>): Promise<void> {
  await steps.return?.();
}
