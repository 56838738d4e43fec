/** Yields portions of a value that can be expressed in JSON, for `Joined.take`. */
export function portionsOf(value: unknown): Iterable<string>;

/** Joins the portions of a value. */
export class Joined {
  take(portion: string): void;
  readonly value: unknown;
}
