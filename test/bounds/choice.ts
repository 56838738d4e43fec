import { changedFiles, currentCommit, partOf, type UnderTest } from '../harness/in-turn';
import type { Attack } from './scene';

/** In so many submissions all attacks are played, about. */
const TURNS = 4;

/** What is chosen from, of an attack. */
export type Chosen = Pick<Attack, 'name' | 'covers'>;

/** A quarter of the attacks, which quarter the commit says, and those that cover a changed file. */
export const attacksOf = <A extends Chosen>(underTest: UnderTest, attacks: readonly A[]): A[] =>
  partOf(attacks, TURNS, underTest, ({ covers }) => covers);

/** What `BOUNDS` orders: `in-turn`, a word of the names of some, or all without it. */
export function chosenAttacks<A extends Chosen>(order: string, attacks: readonly A[]): A[] {
  if (order === 'in-turn') return attacksOf({ commit: currentCommit(), changed: changedFiles() }, attacks);
  if (order === 'all' || order === '') return [...attacks];
  const named = attacks.filter(({ name }) => name.includes(order));
  if (named.length === 0)
    throw new Error(`BOUNDS is "all", "in-turn" or a word of the name of an attack, not "${order}"`);
  return named;
}
