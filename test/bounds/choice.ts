import { changedFiles, currentCommit, partOf, type UnderTest } from '../harness/in-turn';
import type { Attack } from './scene';

/** In about this many commits, every attack is played once. */
const TURNS = 4;

/** The part of an attack that the choice depends on. */
export type Chosen = Pick<Attack, 'name' | 'covers'>;

/** Returns a quarter of the attacks, which the commit selects, and all attacks that cover a changed file. */
export const attacksOf = <A extends Chosen>(underTest: UnderTest, attacks: readonly A[]): A[] =>
  partOf(attacks, TURNS, underTest, ({ covers }) => covers);

/** Returns the attacks that `BOUNDS` selects: `in-turn`, a word in their names, or all without it. */
export function chosenAttacks<A extends Chosen>(order: string, attacks: readonly A[]): A[] {
  if (order === 'in-turn') return attacksOf({ commit: currentCommit(), changed: changedFiles() }, attacks);
  if (order === 'all' || order === '') return [...attacks];
  const named = attacks.filter(({ name }) => name.includes(order));
  if (named.length === 0)
    throw new Error(`BOUNDS is "all", "in-turn" or a word of the name of an attack, not "${order}"`);
  return named;
}
