/** Returns `count` items, created from their numbers, starting with 0. */
export const many = <Item>(count: number, itemOf: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => itemOf(i));
