import type { Checker, CheckError, CheckRequest, CheckResult, ErrorCode } from '../../checker/checker';
import type { ServerClock } from '../server/server-clock';

/** Errors in a TLS handshake that depend on this machine's wall clock. */
const BY_WALL_CLOCK: readonly ErrorCode[] = ['tls_expired', 'tls_not_yet_valid'];

/** Wraps a checker, and ignores an expired certificate while this machine's wall clock is wrong. */
export class ByServerTime implements Checker {
  readonly assertionSources;
  readonly targetForm;

  constructor(
    private readonly checker: Checker,
    private readonly clock: ServerClock,
  ) {
    this.assertionSources = checker.assertionSources;
    this.targetForm = checker.targetForm;
  }

  parseTarget(url: string): unknown {
    return this.checker.parseTarget(url);
  }

  async check(request: CheckRequest<unknown>, signal: AbortSignal): Promise<CheckResult> {
    const result = await this.checker.check(request, signal);
    const { error } = result;
    if (error === null || !BY_WALL_CLOCK.includes(error.code) || !this.clock.isWallClockOff) return result;
    return { ...result, outcome: 'unknown', error: this.inDoubt(error) };
  }

  private inDoubt({ code, phase }: CheckError): CheckError {
    const seconds = Math.round(Math.abs(this.clock.wallAheadMs) / 1000);
    const message = `The clock of the probe is ${seconds} s off, so the probe cannot determine whether the certificate is valid.`;
    return { code, phase, message };
  }
}
