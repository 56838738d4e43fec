import { SESSION_MS } from '../../../probe-protocol/protocol';

/** A probe's active session and its last contact, in milliseconds since the epoch. */
export interface HeldSession {
  session: string | null;
  seenMs: number | null;
}

/** The session that polls. `isOld` means that its cursor was issued to this very session, so it isn't a new process. */
export interface AskingSession {
  session: string;
  standby: boolean;
  isOld: boolean;
}

/**
 * Decides whether a session continues, takes over, or was replaced. The newest process with a token is active, and a
 * replaced process waits until the active one stops responding.
 */
export function decideSession(held: HeldSession, asking: AskingSession, nowMs: number): 'same' | 'takes' | 'replaced' {
  if (held.session === asking.session) return 'same';
  if (held.session === null || (!asking.standby && !asking.isOld)) return 'takes';
  return held.seenMs === null || nowMs - held.seenMs > SESSION_MS ? 'takes' : 'replaced';
}
