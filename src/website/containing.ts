/** A condition for a WHERE clause, with all parameters of its statement. */
export interface Condition {
  readonly condition: string;
  readonly parameters: readonly unknown[];
}

/**
 * Returns SQL that starts with `AND` and is true if an expression contains a string, ignoring case. Its parameters
 * follow those in `before`. Cost: about 0.05 s (embedded 0.07 s) if there is no match in 100,000 names and URLs. It
 * takes four times as long for non-ASCII letters, and three times as long on a busy machine. A trigram index would
 * require an extension that not every server has.
 */
export function containing(expression: string, text: string, before: readonly unknown[]): Condition {
  const { small, capitals, smallCapitals } = anyCase(text);
  const next = before.length + 1;
  // The collation "C" knows only the case of ASCII letters, and takes half the time of other collations.
  const searched = `(${expression}) COLLATE "C"`;
  return capitals === ''
    ? { condition: `AND strpos(lower(${searched}), $${next}::text) > 0`, parameters: [...before, small] }
    : {
        condition: `AND strpos(lower(translate(${searched}, $${next + 1}::text, $${next + 2}::text)), $${next}::text) > 0`,
        parameters: [...before, small, capitals, smallCapitals],
      };
}

/**
 * A string for case-insensitive search without support from the database. A database with the locale C knows only the
 * case of ASCII letters.
 */
interface AnyCase {
  readonly small: string;
  /** The uppercase forms of its non-ASCII letters and their replacements, for `translate` in SQL. */
  readonly capitals: string;
  readonly smallCapitals: string;
}

const isOne = (letter: string): boolean => [...letter].length === 1;

/**
 * Works letter by letter. If a letter changes into several when its case changes (`ß`, `İ`), it is only found exactly
 * as written.
 */
export function anyCase(text: string): AnyCase {
  const small = [...text].map(toSmall);
  const capitals = [...new Set([...text, ...small.map((letter) => letter.toUpperCase()).filter(isOne)])].filter(
    (letter) => letter > '~' && toSmall(letter) !== letter,
  );
  return { small: small.join(''), capitals: capitals.join(''), smallCapitals: capitals.map(toSmall).join('') };
}

function toSmall(letter: string): string {
  const small = letter.toLowerCase();
  return isOne(small) ? small : letter;
}
