/** Portions of a value that JSON can say, for `Joined.take`. */
export function portionsOf(value: unknown): Iterable<string>;

/** Puts a value together again. */
export class Joined {
  take(portion: string): void;
  readonly value: unknown;
}
