import { pointerStep } from '../../platform/problem/constraint-codes';
import { isRecord } from '../../platform/text/json';
import type { ConfigurationDocument } from './document';

/** A reference without a value. */
export interface MissingSecret {
  pointer: string;
  name: string;
}

/**
 * The document with the values of its secrets in place of `{$secret: NAME}`, and without `secrets`. References without a
 * value stay and are listed. The given document is not changed.
 */
export function resolveSecrets(document: ConfigurationDocument): {
  document: ConfigurationDocument;
  missing: MissingSecret[];
  /** Pointers of those that have a value. */
  given: ReadonlySet<string>;
} {
  const { secrets = {}, ...rest } = document;
  const missing: MissingSecret[] = [];
  const given = new Set<string>();
  const resolved = (value: unknown, pointer: string): unknown => {
    if (Array.isArray(value)) return value.map((item, i) => resolved(item, `${pointer}/${i}`));
    if (!isRecord(value)) return value;
    const name = value['$secret'];
    if (typeof name !== 'string')
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [key, resolved(item, `${pointer}/${pointerStep(key)}`)]),
      );
    if (Object.hasOwn(secrets, name)) {
      given.add(pointer);
      return secrets[name];
    }
    missing.push({ pointer, name });
    return value;
  };
  return { document: resolved(rest, '') as ConfigurationDocument, missing, given };
}
