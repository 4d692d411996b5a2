/** Returns one item after another, and undefined when the list is used up. */
export function createTaker<Item>(items: readonly Item[]): () => Item | undefined {
  let next = 0;
  return () => items[next++];
}
