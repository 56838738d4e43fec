import { grouped } from '../../platform/text/grouped';
import type { Keyed } from './key-paths';

/** Of siblings those without a key that are recognised by the same as another one: a plan cannot tell which is meant. */
export const alikeOf = <Item extends Keyed>(siblings: readonly Item[], likenessOf: (item: Item) => string): Item[] =>
  [
    ...grouped(
      siblings.filter(({ externalKey }) => externalKey === null),
      likenessOf,
    ).values(),
  ]
    .filter((alike) => alike.length > 1)
    .flat();
