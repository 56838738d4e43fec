import { SESSION_MS } from '../../../probe-protocol/protocol';

/** Of a probe: the session that works now, and when it was heard. Milliseconds since the epoch. */
export interface HeldSession {
  session: string | null;
  seenMs: number | null;
}

/** Who polls. `isOld`: its cursor was given to this very session, so it is no new process. */
export interface AskingSession {
  session: string;
  standby: boolean;
  isOld: boolean;
}

/**
 * Whether a session goes on, takes over, or was replaced: the newest process of a token works, and one that was replaced waits until
 * the other has fallen silent.
 */
export function decideSession(held: HeldSession, asking: AskingSession, nowMs: number): 'same' | 'takes' | 'replaced' {
  if (held.session === asking.session) return 'same';
  if (held.session === null || (!asking.standby && !asking.isOld)) return 'takes';
  return held.seenMs === null || nowMs - held.seenMs > SESSION_MS ? 'takes' : 'replaced';
}
