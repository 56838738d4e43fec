import type { ProbeCaller } from './caller';

/** The probe that a token belongs to. `isEnabled` shows whether the probe may run checks. */
export interface ProbeTokenHolder {
  caller: ProbeCaller;
  isEnabled: boolean;
}

/** A snapshot of a probe's state. */
export interface ProbeState {
  session: string | null;
  seenMs: number | null;
  /** The highest number among the probe's changes. */
  numbered: number;
  epoch: number;
  allowPrivate: boolean;
  online: boolean;
  protocol: number | null;
  version: string | null;
  /** The endpoint types as stored, separated by commas. */
  types: string;
  /** Whether the probe is requested to run a check on demand. */
  isAsked: boolean;
}

/** Looks up probe tokens for the guard that protects every route. Implemented by the module that manages probes. */
export abstract class ProbeTokens {
  /**
   * Returns a token's holder, enabled or disabled, or `null` for every kind of invalid token. Reads the database each
   * time, so that every instance notices a rotated, revoked, or disabled token immediately. Calls `admit`, which may
   * throw, before looking up a token that is new to this process. Cost: one statement by a unique index. The first use
   * of a new token takes a second statement, which revokes the previous token.
   */
  abstract holderOf(token: string, admit: () => void): Promise<ProbeTokenHolder | null>;

  /**
   * Returns the owner of a token that was valid when this process last checked it. The owner is the UUID of the probe's
   * organization, or of the probe itself if it is shared. Cost: no query.
   */
  abstract knownOwner(token: string): string | null;

  /**
   * Returns the state that the token lookup found, so that the request doesn't have to read it again. Each state is
   * returned only once. Returns `null` if the lookup isn't recent.
   */
  abstract takeState(caller: ProbeCaller): ProbeState | null;
}
