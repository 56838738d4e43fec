import { isSensitiveHeader } from '../../../src/checker/request-headers';
import { isRecord } from '../../../src/platform/text/json';
import type { SecretReference, Text } from '../../../src/configuration/document/document';

const MOST = 120;
/** The secrets in the settings that the converter writes. */
const SECRET_SETTINGS = ['password', 'client_secret', 'key'];

/** Moves credentials to the document's `secrets`, each under its own name. */
export class Secrets {
  readonly values: Record<string, string> = {};
  private readonly names = new Set<string>();

  /** Stores a value under a name based on the hint: `contact chat webhook_url` becomes `CONTACT_CHAT_WEBHOOK_URL`. */
  keep(hint: string, value: string): SecretReference {
    const reference = this.askFor(hint);
    this.values[reference.$secret] = value;
    return reference;
  }

  /** Returns a reference to a value that isn't in the file. The user who applies the document provides it. */
  askFor(hint: string): SecretReference {
    const base = hint
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_+|(?<!_)_+$/g, '')
      .slice(0, MOST);
    for (let n = 1; ; n++) {
      const name = n === 1 ? base : `${base}_${n}`;
      if (this.names.has(name)) continue;
      this.names.add(name);
      return { $secret: name };
    }
  }

  /** Returns the settings of a type, with its secrets replaced by references. */
  settings(hint: string, settings: object): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(settings).map(([key, value]: [string, unknown]) => {
        if (isRecord(value)) return [key, this.settings(hint, value)];
        const isSecret = typeof value === 'string' && SECRET_SETTINGS.includes(key);
        return [key, isSecret ? this.keep(`${hint} ${key}`, value) : value];
      }),
    );
  }

  /** Returns the headers, with possible credentials replaced by references. */
  headers(hint: string, headers: readonly { key: string; value: string }[]): { key: string; value: Text }[] {
    return headers.map(({ key, value }) => ({
      key,
      value: isSensitiveHeader(key) && value.trim() !== '' ? this.keep(`${hint} ${key}`, value) : value,
    }));
  }
}
