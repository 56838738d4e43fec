import type { CheckError } from '../../../checker/checker';
import { MINUTE_MS, SECOND_MS } from '../../../platform/time/time-units';

export interface CountedLosses {
  /** The number of results that the probe has dropped. */
  dropped: number;
  /** The number of slots that the probe has skipped. */
  skipped: number;
}

/** A probe's state at its last contact. */
export interface SeenProbe extends CountedLosses {
  online: boolean;
  version: string | null;
  /** How far the probe's wall clock is ahead of the service's clock. */
  clockOffsetMs: number | null;
}

/**
 * Returns an online probe's problem, if it has one. `before` contains its losses at the previous check, or `null` for
 * the first check.
 */
export function warningOf(
  location: string,
  { version, clockOffsetMs, dropped, skipped }: SeenProbe,
  before: CountedLosses | null,
  ours: string,
): CheckError | null {
  const [more, missed] = before ? [dropped - before.dropped, skipped - before.skipped] : [0, 0];
  const found = [
    clockOffsetMs !== null && Math.abs(clockOffsetMs) > MINUTE_MS
      ? `the clock of the probe is ${Math.round(Math.abs(clockOffsetMs) / SECOND_MS)} s ${clockOffsetMs > 0 ? 'ahead' : 'behind'}`
      : null,
    version !== null && isBehind(version, ours) ? `version ${version} of the probe is older than ${ours}` : null,
    more > 0 ? `the probe gave up ${more} results` : null,
    missed > 0 ? `the probe skipped ${missed} checks` : null,
  ].filter((text) => text !== null);
  if (found.length === 0) return null;
  return { code: 'internal', phase: 'internal', message: `Probe ${location}: ${found.join('; ')}.` };
}

const RELEASE = /^(\d+)\.(\d+)\.(\d+)/;

/** Returns whether the release is older than ours. Returns false if the version isn't a release. */
export function isBehind(version: string, ours: string): boolean {
  const [a, b] = [RELEASE.exec(version), RELEASE.exec(ours)];
  if (!a || !b) return false;
  for (let part = 1; part <= 3; part++) if (a[part] !== b[part]) return Number(a[part]) < Number(b[part]);
  return false;
}
