import { SECOND_MS } from '../../platform/time/time-units';

/** Longer than the rest of a minute nobody is to wait, whatever a response asks for. */
const LONGEST_MS = 60 * SECOND_MS;
/** After an outage all come back within so long, each at a moment of its own. */
const SPREAD_MS = 10 * SECOND_MS;

/** Milliseconds until the next attempt after so many in a row that failed: more at first, then anywhere in ten seconds. `random`: 0 to 1. */
export const retryAfterMs = (failures: number, random: number): number =>
  Math.round(random * Math.min(SPREAD_MS, SECOND_MS * 2 ** (failures - 1)));

/** What `Retry-After` asks for in milliseconds, spread over a second more; `null` without one in seconds. */
export function askedPauseMs(header: string | undefined, random: number): number | null {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return null;
  return Math.min(LONGEST_MS, Number(header) * SECOND_MS) + Math.round(random * SECOND_MS);
}

/**
 * What a response means for the probe. `done`: taken. `refused`: this token opens nothing, now. `replaced`: another process with it
 * works. `unsupported`: it does not speak our protocol. `busy`: later. `unreadable`: what was sent is wrong, and again would be.
 * `failed`: it says nothing.
 */
export type Meaning = 'done' | 'refused' | 'replaced' | 'unsupported' | 'busy' | 'unreadable' | 'failed';

/** `code` is that of the problem in its body, if it has one. */
export function meaningOf(status: number, code: string | null): Meaning {
  if (status === 200) return 'done';
  if (status === 401 || status === 403) return 'refused';
  if (status === 409 && code === 'session_replaced') return 'replaced';
  if (status === 409 && code === 'protocol_unsupported') return 'unsupported';
  if (status === 429 || status === 503) return 'busy';
  return status === 400 || status === 413 ? 'unreadable' : 'failed';
}
