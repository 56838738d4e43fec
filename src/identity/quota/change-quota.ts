import { Problem } from '../../platform/problem/problem';

/** Returns whether a request only disables its target: `{"enabled": false}` and nothing else. */
export function isDisabling(method: string, body: unknown): boolean {
  if (method !== 'PUT' || typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const fields: [string, unknown][] = Object.entries(body);
  return fields.length === 1 && fields[0]?.[0] === 'enabled' && fields[0][1] === false;
}

const inWords = (bytes: number): string =>
  bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MiB` : `${Math.ceil(bytes / 1024)} KiB`;

/** Returns the problem for an organization whose changes have reached the daily quota. */
export function problemOfChanges(limit: number, used: number, secondsLeft: number): Problem {
  const detail =
    `The changes of this organization have added ${inWords(used)} today, and the limit is ${inWords(limit)} ` +
    '(changed_bytes_per_day, from 00:00 UTC). Monitoring continues, and deleting, {"enabled": false} and ' +
    'acknowledging are still possible. Try again after the time in Retry-After, send fewer changes, or ask the ' +
    'operator for a higher limit.';
  return new Problem('rate_limited', detail, [], { 'Retry-After': String(secondsLeft) });
}
