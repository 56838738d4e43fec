/** Values with their titles. */
export type Choosable = readonly (readonly [value: string, title: string])[];

/** So many are shown at once: a thousand options would make each key slow. */
export const MOST_SHOWN = 50;

/** The options whose title has every word that was typed, in any order. */
export function matching(options: Choosable, typed: string): Choosable {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return options.filter(([, title]) => words.every((word) => title.toLowerCase().includes(word)));
}
