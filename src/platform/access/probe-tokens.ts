import type { ProbeCaller } from './caller';

/** The probe that a token belongs to. `isEnabled` shows whether the probe may work. */
export interface ProbeTokenHolder {
  caller: ProbeCaller;
  isEnabled: boolean;
}

/** The state of a probe at one moment. */
export interface ProbeState {
  session: string | null;
  seenMs: number | null;
  /** The highest number of its changes. */
  numbered: number;
  epoch: number;
  allowPrivate: boolean;
  online: boolean;
  protocol: number | null;
  version: string | null;
  /** The types as written, joined by commas. */
  types: string;
  /** Whether a check on demand is requested from it. */
  isAsked: boolean;
}

/** Looks up tokens of probes for the guard of every route. Implemented by the module that owns the probes. */
export abstract class ProbeTokens {
  /**
   * Returns the holder of a token, disabled or not, or `null` for every kind of invalid token. Reads the database each
   * time, so that every instance notices a rotated, revoked, or disabled token immediately. Calls `admit`, which may
   * throw, before it looks up a token that is new to this process. Cost: one statement by a unique index. The first use
   * of a new token costs a second statement, which revokes the previous token.
   */
  abstract holderOf(token: string, admit: () => void): Promise<ProbeTokenHolder | null>;

  /**
   * Returns the owner of a token that was valid when this process last checked. This is the UUID of its organization,
   * or of the probe itself if it is shared. Cost: none.
   */
  abstract knownOwner(token: string): string | null;

  /**
   * Returns, once, the state that the token's look-up found, so that the request doesn't read it again. Returns `null`
   * if the look-up isn't recent.
   */
  abstract takeState(caller: ProbeCaller): ProbeState | null;
}
