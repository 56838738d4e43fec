import { isRecord } from '../platform/text/json';
import { certificateWarning } from './certificate-warning';
import { type CheckError, type CheckResult, ERROR_CODES } from './checker';
import { cut } from '../platform/text/text-limits';

const MAX_MESSAGE = 300;
const OUTCOMES: readonly unknown[] = ['up', 'down', 'unknown'];
const CODES: readonly unknown[] = ERROR_CODES;

/** A result as returned by a checker. Checkers written before warnings existed omit `warning`. */
type ReturnedResult = Omit<CheckResult, 'warning'> & { warning?: CheckError | null | undefined };

function isResult(value: unknown): value is ReturnedResult {
  if (!isRecord(value) || !OUTCOMES.includes(value['outcome'])) return false;
  const { outcome, durationMs, phases, statusCode, address, certificate, records, redirects, error, warning } = value;
  return (
    isMs(durationMs) &&
    isRecord(phases) &&
    ['dnsMs', 'connectMs', 'tlsMs', 'firstByteMs', 'transferMs'].every((name) => orNull(isMs)(phases[name])) &&
    orNull(Number.isSafeInteger)(statusCode) &&
    orNull(isText)(address) &&
    orNull(isCertificate)(certificate) &&
    orNull(isTexts)(records) &&
    isTexts(redirects) &&
    (outcome === 'up' ? error === null : isError(error)) &&
    (warning === undefined || orNull(isError)(warning))
  );
}

const isMs = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isError = (value: unknown): boolean =>
  isRecord(value) && CODES.includes(value['code']) && isText(value['phase']) && isText(value['message']);
const isCertificate = (value: unknown): boolean =>
  isRecord(value) && ['expiresAt', 'issuer', 'subject'].every((key) => isText(value[key])) && isTexts(value['names']);
const orNull =
  (is: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === null || is(value);

/**
 * Returns the result in the form that all later code relies on. `warning` is present, and `null` unless the outcome is
 * `up`, and messages are truncated. Adds a warning if the certificate expires within `warnDays`. Returns `null` for an
 * invalid result.
 */
export function completeResult(result: unknown, warnDays: number | null | undefined): CheckResult | null {
  if (!isResult(result)) return null;
  const { error, outcome } = result;
  const warning = result.warning ?? certificateWarning(result.certificate, warnDays);
  return { ...result, error: shortened(error), warning: outcome === 'up' ? shortened(warning) : null };
}

const shortened = (error: CheckError | null): CheckError | null =>
  error && error.message.length > MAX_MESSAGE ? { ...error, message: cut(error.message, MAX_MESSAGE, '') } : error;
