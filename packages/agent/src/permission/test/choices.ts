/** A small generator of numbers that a seed repeats. It chooses among items. */
export function choices(start: number): <Item>(items: readonly Item[]) => Item {
  let state = start >>> 0;
  return (items) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const item = items[Math.floor((state / 2 ** 32) * items.length)];
    if (item === undefined) throw new Error('There is nothing to choose from.');
    return item;
  };
}

export type Choose = ReturnType<typeof choices>;
