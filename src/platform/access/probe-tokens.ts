import type { ProbeCaller } from './caller';

/** Whose token it is; `isEnabled`: it may go on. */
export interface ProbeTokenHolder {
  caller: ProbeCaller;
  isEnabled: boolean;
}

/** What is known of a probe at one moment. */
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
  /** As they are written, joined by commas. */
  types: string;
  /** Somebody asks it for a check. */
  isAsked: boolean;
}

/** Tokens of probes, for the guard of every route. Done by the module that has the probes. */
export abstract class ProbeTokens {
  /**
   * Whose token it is, disabled or not, read afresh, so that every instance knows at once what was rotated, revoked or disabled; `null` for every kind of wrong
   * token. `admit` is called, and may throw, before one is looked up that this process has not seen. One statement by a unique index;
   * the first use of a new token is a second one, which ends the token before it.
   */
  abstract holderOf(token: string, admit: () => void): Promise<ProbeTokenHolder | null>;

  /** Whose token it is (uuid of its organization, of a shared probe its own) that was right when this process last looked. Asks nobody. */
  abstract knownOwner(token: string): string | null;

  /** How the look-up of the token found the caller, once: what its request does first need not read it again. `null` when that was not a moment ago. */
  abstract takeState(caller: ProbeCaller): ProbeState | null;
}
