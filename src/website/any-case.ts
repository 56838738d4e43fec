/** A text to look for in any case, without asking the database: one whose locale is C knows the case of ASCII letters only. */
export interface AnyCase {
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
