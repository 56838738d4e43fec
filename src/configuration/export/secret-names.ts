import { createHash } from 'node:crypto';
import type { SecretReference } from '../document/document';

/** As many characters as the name of a secret may have, and as many as are left in front of a digest. */
const [MOST, KEPT] = [128, 119];

/** Names the secrets of a document after where they stand, each name once. */
export class SecretNames {
  private readonly places = new Map<string, string>();

  /** What stands for the value at this place: `{$secret: CONTACT_CHAT_WEBHOOK_URL}`. */
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

  /** In the order of the document. */
  get all(): string[] {
    return [...this.places.keys()];
  }

  private isTaken(name: string, path: string): boolean {
    return (this.places.get(name) ?? path) !== path;
  }

  /** Keys such as `a-b` and `a.b` are spelt alike. */
  private withDigest(spelt: string, path: string): string {
    const digest = createHash('sha256').update(path).digest('hex').slice(0, 8).toUpperCase();
    return `${spelt.slice(0, KEPT)}_${digest}`;
  }
}
