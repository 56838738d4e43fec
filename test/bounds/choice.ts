import { changedFiles, currentCommit, turnAt } from '../harness/in-turn';
import type { Attack } from './scene';

/** In so many submissions all attacks are played, about. */
const TURNS = 3;

/** What is chosen from, of an attack. */
export type Chosen = Pick<Attack, 'name' | 'covers'>;

/**
 * Every third of the attacks, which third the commit says, and those that cover a changed file. All of them where either is
 * not known.
 */
export function attacksOf<A extends Chosen>(
  commit: string | null,
  changed: readonly string[] | null,
  attacks: readonly A[],
): A[] {
  if (commit === null || changed === null) return [...attacks];
  const turn = turnAt(commit, TURNS);
  const isChanged = (path: string) => changed.some((file) => file === path || file.startsWith(`${path}/`));
  return attacks.filter(({ covers }, index) => index % TURNS === turn || covers.some(isChanged));
}

/** What `BOUNDS` orders: `in-turn`, a word of the names of some, or all without it. */
export function chosenAttacks<A extends Chosen>(order: string, attacks: readonly A[]): A[] {
  if (order === 'in-turn') return attacksOf(currentCommit(), changedFiles(), attacks);
  if (order === 'all' || order === '') return [...attacks];
  const named = attacks.filter(({ name }) => name.includes(order));
  if (named.length === 0)
    throw new Error(`BOUNDS is "all", "in-turn" or a word of the name of an attack, not "${order}"`);
  return named;
}
