import { createHash } from 'node:crypto';

/** Returns a digest of a probe's definitions: SHA-256 of the sorted lines `<endpoint_id> <revision>\n`, in hex. */
export function digestOf(held: Iterable<{ endpoint_id: string; revision: number }>): string {
  const lines = Array.from(held, ({ endpoint_id, revision }) => `${endpoint_id} ${revision}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
