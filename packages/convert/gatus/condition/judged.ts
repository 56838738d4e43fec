import type { Assertion } from '../../../../src/checker/assertion/assertion';

export interface Judged {
  /** Empty if every check already asserts it, or if it can't be expressed. */
  assertions: Assertion[];
  /** The loss, worded as the end of a sentence about the condition. */
  difference?: string;
  /** True if the Gatus endpoint is up exactly when our check would be down. */
  isContrary?: boolean;
}

/** Returns the result for a condition that no assertion can express. */
export const lost = (why: string): Judged => ({ assertions: [], difference: `is left out: ${why}` });
