import type { Assertion } from '../../../../src/checker/assertion/assertion';

/** What one condition becomes. */
export interface Judged {
  /** Empty: every check asks for it anyway, or it cannot be expressed. */
  assertions: Assertion[];
  /** What is lost, as the end of a sentence about the condition. */
  difference?: string;
  /** The endpoint is up there exactly when a check of ours says that it is down. */
  isContrary?: boolean;
}

/** A condition that no assertion says. */
export const lost = (why: string): Judged => ({ assertions: [], difference: `is left out: ${why}` });
