/** A condition for a WHERE, with all parameters of its statement. */
export interface Condition {
  readonly condition: string;
  readonly parameters: readonly unknown[];
}

/**
 * `AND` the value of an SQL expression contains a text, in any case; its parameters follow those `before`. For a text that
 * none of 100,000 names and addresses contains that takes about 0.05 s, embedded 0.07 s, for letters that are not ASCII four
 * times as long; on a busy machine three times. An index of parts of words would be an extension that not every server has.
 */
export function containing(expression: string, text: string, before: readonly unknown[]): Condition {
  const { small, capitals, smallCapitals } = anyCase(text);
  const next = before.length + 1;
  // "C" knows the case of ASCII letters only, in half the time of a collation that knows more.
  const searched = `(${expression}) COLLATE "C"`;
  return capitals === ''
    ? { condition: `AND strpos(lower(${searched}), $${next}::text) > 0`, parameters: [...before, small] }
    : {
        condition: `AND strpos(lower(translate(${searched}, $${next + 1}::text, $${next + 2}::text)), $${next}::text) > 0`,
        parameters: [...before, small, capitals, smallCapitals],
      };
}

/** A text to look for in any case, without asking the database: one whose locale is C knows the case of ASCII letters only. */
interface AnyCase {
  readonly small: string;
  /** The capitals of its other letters, and what each becomes: for SQL's `translate`. */
  readonly capitals: string;
  readonly smallCapitals: string;
}

const isOne = (letter: string): boolean => [...letter].length === 1;

/** Letter by letter: what becomes several (`ß`, `İ`) is found as it is written. */
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
