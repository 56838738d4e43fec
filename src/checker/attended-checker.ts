import { soonAfter } from '../platform/net/deadline';
import { isRecord } from '../platform/text/json';
import { certificateWarning } from './certificate-warning';
import { type CheckError, type Checker, type CheckRequest, type CheckResult, ERROR_CODES } from './checker';

/** How long a checker may take to settle once its signal has aborted; then its place is given to another check. */
const GRACE_MS = 5000;
const MAX_MESSAGE = 300;
const OUTCOMES: readonly unknown[] = ['up', 'down', 'unknown'];
const CODES: readonly unknown[] = ERROR_CODES;

/**
 * A checker that is not the service's own. Whatever it does, its check ends: the promise is rejected with an error that
 * names the type when there is no result some seconds after the signal, or one that is none.
 */
export class AttendedChecker implements Checker {
  readonly assertionSources;
  readonly targetForm;
  readonly hostsOf: Checker['hostsOf'];

  constructor(
    private readonly type: string,
    readonly checker: Checker,
    private readonly graceMs = GRACE_MS,
  ) {
    this.assertionSources = checker.assertionSources;
    this.targetForm = checker.targetForm;
    this.hostsOf = checker.hostsOf?.bind(checker);
  }

  parseTarget(url: string): unknown {
    return this.checker.parseTarget(url);
  }

  async check(request: CheckRequest<unknown>, signal: AbortSignal): Promise<CheckResult> {
    const result: unknown = await soonAfter(signal, this.graceMs, this.asked(request, signal));
    if (result === 'late')
      throw new Error(`The checker ${this.type} did not settle within ${this.graceMs / 1000} s after its signal.`);
    if (!isResult(result)) throw new Error(`The checker ${this.type} returned no CheckResult.`);
    return withWarning(result, request.certificateWarnDays);
  }

  private async asked(request: CheckRequest<unknown>, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.checker.check(request, signal);
    } catch (error) {
      throw new Error(`The checker ${this.type} threw.`, { cause: error });
    }
  }
}

/** What a checker may return: one that was made before there were warnings says nothing of them. */
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

/** The result as everything behind it may rely on: `warning` is there, `null` unless the outcome is `up`; no message is too long. */
function withWarning(result: ReturnedResult, warnDays: number | null | undefined): CheckResult {
  const { error, outcome } = result;
  const warning = result.warning ?? certificateWarning(result.certificate, warnDays);
  return { ...result, error: cut(error), warning: outcome === 'up' ? cut(warning) : null };
}

const cut = (error: CheckError | null): CheckError | null =>
  error && error.message.length > MAX_MESSAGE ? { ...error, message: error.message.slice(0, MAX_MESSAGE) } : error;
