import { Problem } from '../../platform/problem/problem';

/** Returns whether a request only disables its target: `{"enabled": false}` and nothing else. */
export function isDisabling(method: string, body: unknown): boolean {
  if (method !== 'PUT' || typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const fields: [string, unknown][] = Object.entries(body);
  return fields.length === 1 && fields[0]?.[0] === 'enabled' && fields[0][1] === false;
}

const inWords = (bytes: number): string =>
  bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;

/** Returns the problem of an organization whose changes have reached the daily quota. */
export function problemOfChanges(limit: number, used: number, secondsLeft: number): Problem {
  const detail =
    `The changes of this organization have added ${inWords(used)} today, of ${inWords(limit)} that they may ` +
    '(changed_bytes_per_day, from 00:00 UTC on). Monitoring goes on; deleting, {"enabled": false} and acknowledging are ' +
    'possible. Repeat this after the time in Retry-After, send fewer changes, or ask the operator for more.';
  return new Problem('rate_limited', detail, [], { 'Retry-After': String(secondsLeft) });
}
