import type { CheckError } from '../../../checker/checker';
import { MINUTE_MS, SECOND_MS } from '../../../platform/time/time-units';

/** What a probe has lost since its start. */
export interface CountedLosses {
  /** Results that it has given up. */
  dropped: number;
  /** Slots that it did not come to. */
  skipped: number;
}

/** A probe as it was last heard. */
export interface SeenProbe extends CountedLosses {
  online: boolean;
  version: string | null;
  /** How far its wall clock is ahead. */
  clockOffsetMs: number | null;
}

/** What is wrong with a probe that is online; `before`: its losses at the look before, `null` at the first. */
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

/** Whether the release is an earlier one; false for what names none. */
export function isBehind(version: string, ours: string): boolean {
  const [a, b] = [RELEASE.exec(version), RELEASE.exec(ours)];
  if (!a || !b) return false;
  for (let part = 1; part <= 3; part++) if (a[part] !== b[part]) return Number(a[part]) < Number(b[part]);
  return false;
}
