/** Reads a stream or a run to its end. */

/** Everything a generator yields, in order, and what it returns. Throws what the generator throws. */
export async function collect<Yielded, Returned>(
  generator: AsyncGenerator<Yielded, Returned>,
  onYield: (value: Yielded) => Promise<void> | void = () => {},
): Promise<{ readonly yielded: readonly Yielded[]; readonly returned: Returned }> {
  const yielded: Yielded[] = [];
  for (;;) {
    const next = await generator.next();
    if (next.done === true) return { yielded, returned: next.value };
    yielded.push(next.value);
    await onYield(next.value);
  }
}

export async function collectList<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
