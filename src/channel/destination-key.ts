import { createHash } from 'node:crypto';

/** What shares a rate limit, without saying what it is: 64 characters at most, stable over restarts and releases. */
export const destinationKey = (type: string, ...parts: readonly string[]): string =>
  `${type.slice(0, 20)}:${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 32)}`;
