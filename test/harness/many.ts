/** `count` items, made of their numbers from 0 on. */
export const many = <Item>(count: number, itemOf: (i: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => itemOf(i));
