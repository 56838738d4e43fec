import { createHash } from 'node:crypto';
import type { SecretReference } from '../document/document';

/** The maximum number of characters in a secret's name, and how many of them are kept in front of a digest. */
const [MOST, KEPT] = [128, 119];

/** Creates the names of a document's secrets from their positions. Each name is unique. */
export class SecretNames {
  private readonly places = new Map<string, string>();

  /** Returns the reference for the value at this position, such as `{$secret: CONTACT_CHAT_WEBHOOK_URL}`. */
  readonly reference = (...place: readonly (string | number)[]): SecretReference => {
    const path = JSON.stringify(place);
    const spelt = place
      .join('_')
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_');
    const name = spelt.length <= MOST && !this.isTaken(spelt, path) ? spelt : this.withDigest(spelt, path);
    this.places.set(name, path);
    return { $secret: name };
  };

  /** All names, in document order. */
  get all(): string[] {
    return [...this.places.keys()];
  }

  private isTaken(name: string, path: string): boolean {
    return (this.places.get(name) ?? path) !== path;
  }

  /** Keys such as `a-b` and `a.b` result in the same name. */
  private withDigest(spelt: string, path: string): string {
    const digest = createHash('sha256').update(path).digest('hex').slice(0, 8).toUpperCase();
    return `${spelt.slice(0, KEPT)}_${digest}`;
  }
}
