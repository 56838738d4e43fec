import { endsIn } from '../platform/text/ends-in';
import { cut } from '../platform/text/text-limits';
import { DAY_MS } from '../platform/time/time-units';
import type { Certificate, CheckError } from './checker';

/** The number of days before certificate expiry at which a new endpoint starts to warn. */
export const DEFAULT_WARN_DAYS = 14;
export const MAX_WARN_DAYS = 90;

/** Returns the days until expiry, including fractions. Negative if the certificate has expired. */
export const daysUntil = (endsMs: number, nowMs: number): number => (endsMs - nowMs) / DAY_MS;

const subjectOf = ({ authority }: Certificate): string =>
  authority ? `The certificate of the authority "${cut(authority, 100, '')}" in the chain` : 'The certificate';

/**
 * Returns a warning if a certificate expires within this many days. A target that is up becomes degraded. Otherwise
 * returns `null`.
 */
export function certificateWarning(
  certificate: Certificate | null,
  warnDays: number | null | undefined,
  now = Date.now(),
): CheckError | null {
  if (certificate === null || warnDays === null || warnDays === undefined) return null;
  const days = Math.floor(daysUntil(Date.parse(certificate.expiresAt), now));
  return days > warnDays
    ? null
    : {
        code: 'certificate_expiring',
        phase: 'tls',
        message: `${subjectOf(certificate)} ${endsIn(days, certificate.expiresAt)}.`,
      };
}
