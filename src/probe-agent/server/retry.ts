import { SECOND_MS } from '../../platform/time/time-units';

/** The longest pause, regardless of what a response requests. */
const LONGEST_MS = 60 * SECOND_MS;
/** After an outage, probes spread their reconnections over this time. */
const SPREAD_MS = 10 * SECOND_MS;

/**
 * Returns the milliseconds until the next attempt after this many consecutive failures. The upper limit doubles each
 * time, up to ten seconds. `random` is from 0 to 1.
 */
export const retryAfterMs = (failures: number, random: number): number =>
  Math.round(random * Math.min(SPREAD_MS, SECOND_MS * 2 ** (failures - 1)));

/**
 * Returns the pause from `Retry-After` in milliseconds, plus a random part of up to one second. Returns `null` if it
 * isn't a number of seconds.
 */
export function askedPauseMs(header: string | undefined, random: number): number | null {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return null;
  return Math.min(LONGEST_MS, Number(header) * SECOND_MS) + Math.round(random * SECOND_MS);
}

/**
 * The meaning of a response for the probe.
 * - `done`: accepted.
 * - `refused`: the token is currently not accepted.
 * - `replaced`: another process uses this token.
 * - `unsupported`: the service doesn't support this protocol version.
 * - `busy`: try again later.
 * - `unreadable`: the request is invalid, and would be invalid again.
 * - `failed`: the response has no usable meaning.
 */
export type Meaning = 'done' | 'refused' | 'replaced' | 'unsupported' | 'busy' | 'unreadable' | 'failed';

/** Returns the meaning of a response. `code` is the problem code in its body, if any. */
export function meaningOf(status: number, code: string | null): Meaning {
  if (status === 200) return 'done';
  if (status === 401 || status === 403) return 'refused';
  if (status === 409 && code === 'session_replaced') return 'replaced';
  if (status === 409 && code === 'protocol_unsupported') return 'unsupported';
  if (status === 429 || status === 503) return 'busy';
  return status === 400 || status === 413 ? 'unreadable' : 'failed';
}
