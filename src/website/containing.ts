/** A condition for a WHERE, with all parameters of its statement. */
export interface Condition {
  readonly condition: string;
  readonly parameters: readonly unknown[];
}

/**
 * Returns SQL for `AND` an expression contains a text, ignoring case. Its parameters follow those in `before`. Cost:
 * about 0.05 s (embedded 0.07 s) if no match is found in 100,000 names and URLs. Non-ASCII letters take four times as
 * long, and a busy machine three times. A trigram index would need an extension that not every server has.
 */
export function containing(expression: string, text: string, before: readonly unknown[]): Condition {
  const { small, capitals, smallCapitals } = anyCase(text);
  const next = before.length + 1;
  // The collation "C" only knows the case of ASCII letters, and takes half the time of other collations.
  const searched = `(${expression}) COLLATE "C"`;
  return capitals === ''
    ? { condition: `AND strpos(lower(${searched}), $${next}::text) > 0`, parameters: [...before, small] }
    : {
        condition: `AND strpos(lower(translate(${searched}, $${next + 1}::text, $${next + 2}::text)), $${next}::text) > 0`,
        parameters: [...before, small, capitals, smallCapitals],
      };
}

/**
 * A text for a search that ignores case, without help from the database. A database with the locale C only knows the
 * case of ASCII letters.
 */
interface AnyCase {
  readonly small: string;
  /** The capitals of its non-ASCII letters and their replacements, for SQL's `translate`. */
  readonly capitals: string;
  readonly smallCapitals: string;
}

const isOne = (letter: string): boolean => [...letter].length === 1;

/** Works letter by letter. A letter that becomes several (`ß`, `İ`) is only found as written. */
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
