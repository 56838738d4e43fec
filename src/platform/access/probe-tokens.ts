import type { ProbeCaller } from './caller';

/** Whose token it is; `isEnabled`: it may go on. */
export interface ProbeTokenHolder {
  caller: ProbeCaller;
  isEnabled: boolean;
}

/** Tokens of probes, for the guard of every route. Done by the module that has the probes. */
export abstract class ProbeTokens {
  /**
   * Whose token it is, disabled or not, read afresh, so that every instance knows at once what was rotated, revoked or disabled; `null` for every kind of wrong
   * token. `admit` is called, and may throw, before one is looked up that this process has not seen. One statement by a unique index;
   * the first use of a new token is a second one, which ends the token before it.
   */
  abstract holderOf(token: string, admit: () => void): Promise<ProbeTokenHolder | null>;
}
