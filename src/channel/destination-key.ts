import { createHash } from 'node:crypto';

/** A hash of what shares a rate limit: at most 64 characters, stable over restarts and releases, without secrets. */
export const destinationKey = (type: string, ...parts: readonly string[]): string =>
  `${type.slice(0, 20)}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)}`;
