/** A time span in milliseconds on the monotonic clock. */
export interface Span {
  from: number;
  to: number;
}

/** A period in which the process couldn't read its sockets. */
export interface Stall extends Span {
  /** Whether the wall clock jumped, because the machine was suspended for an unknown time or its clock was changed. */
  isJump: boolean;
}

/** A failure this soon after a stall may have been waiting for the stall to end. */
const JUST_AFTER_MS = 50;
/** The fraction of a check's time that must be lost before a failure is run again, and before it becomes `unknown`. */
const LOST = { first: 1 / 5, second: 1 / 2 };

/**
 * Returns whether stalls may be the reason for a failed check. A stall never takes more of a check's time than its own
 * length. So a target that hangs is down even if the process stalls repeatedly, as long as most of the check's time was
 * left. The first attempt is doubted easily, because it is only run again. The second one decides. A clock jump
 * explains any failure.
 */
export function mayExplain(stalls: readonly Stall[], check: Span, attempt: 'first' | 'second'): boolean {
  const during = stalls.filter(({ from, to }) => from <= check.to && check.from <= to);
  if (during.some(({ isJump }) => isJump)) return true;
  if (attempt === 'first' && stalls.some(({ from, to }) => from <= check.to && check.to <= to + JUST_AFTER_MS))
    return true;
  const lost = during.reduce((sum, { from, to }) => sum + Math.min(to, check.to) - Math.max(from, check.from), 0);
  return lost > 0 && lost >= LOST[attempt] * (check.to - check.from);
}
