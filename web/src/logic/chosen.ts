export type Choosable = readonly (readonly [value: string, title: string])[];

/** The maximum number of options to show at once. Showing a thousand would slow down typing. */
export const MOST_SHOWN = 50;

/** Returns the options whose title contains every typed word, in any order. */
export function matching(options: Choosable, typed: string): Choosable {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return options.filter(([, title]) => words.every((word) => title.toLowerCase().includes(word)));
}
