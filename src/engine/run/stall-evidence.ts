/** Milliseconds on the monotonic clock. */
export interface Span {
  from: number;
  to: number;
}

/** A time in which the process could not look at its sockets. */
export interface Stall extends Span {
  /** The wall clock jumped: the machine was suspended for nobody knows how long, or its clock was set. */
  isJump: boolean;
}

/** A failure this soon after a stall may have been waiting for its end. */
const JUST_AFTER_MS = 50;
/** The part of a check's time that has to be lost before a failure is doubted: to run it again, and to call it `unknown`. */
const LOST = { first: 1 / 5, second: 1 / 2 };

/**
 * Whether stalls may be why a check failed. A stall takes from a check no more than the time that it lasts: a target that
 * hangs is down also while the process is stalled again and again, as long as most of the check's time was left. The
 * first attempt is doubted easily, for it is only run again; the second one decides. A jump of the clock explains any
 * failure.
 */
export function mayExplain(stalls: readonly Stall[], check: Span, attempt: 'first' | 'second'): boolean {
  const during = stalls.filter(({ from, to }) => from <= check.to && check.from <= to);
  if (during.some(({ isJump }) => isJump)) return true;
  if (attempt === 'first' && stalls.some(({ from, to }) => from <= check.to && check.to <= to + JUST_AFTER_MS))
    return true;
  const lost = during.reduce((sum, { from, to }) => sum + Math.min(to, check.to) - Math.max(from, check.from), 0);
  return lost > 0 && lost >= LOST[attempt] * (check.to - check.from);
}
