import { soonAfter } from '../platform/net/deadline';
import type { Checker, CheckRequest, CheckResult } from './checker';
import { completeResult } from './complete-result';

/**
 * How long a checker may take to settle after its signal was aborted. After that, its slot is given to another check.
 */
const GRACE_MS = 5000;

/**
 * Wraps a checker from an extension so that its check always settles. If there is no valid result within a few seconds
 * of the abort signal, the promise rejects with an error that names the type.
 */
export class AttendedChecker implements Checker {
  readonly assertionSources;
  readonly targetForm;
  readonly hostsOf: Checker['hostsOf'];
  readonly settingsClass: Checker['settingsClass'];
  readonly settingsProblems: Checker['settingsProblems'];

  constructor(
    private readonly type: string,
    readonly checker: Checker,
    private readonly graceMs = GRACE_MS,
  ) {
    this.assertionSources = checker.assertionSources;
    this.targetForm = checker.targetForm;
    this.hostsOf = checker.hostsOf?.bind(checker);
    this.settingsClass = checker.settingsClass;
    this.settingsProblems = checker.settingsProblems?.bind(checker);
  }

  parseTarget(url: string): unknown {
    return this.checker.parseTarget(url);
  }

  async check(request: CheckRequest<unknown>, signal: AbortSignal): Promise<CheckResult> {
    const result: unknown = await soonAfter(signal, this.graceMs, this.asked(request, signal));
    if (result === 'late')
      throw new Error(`The checker ${this.type} did not settle within ${this.graceMs / 1000} s after its signal.`);
    const complete = completeResult(result, request.certificateWarnDays);
    if (complete === null) throw new Error(`The checker ${this.type} returned no CheckResult.`);
    return complete;
  }

  private async asked(request: CheckRequest<unknown>, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.checker.check(request, signal);
    } catch (error) {
      throw new Error(`The checker ${this.type} threw.`, { cause: error });
    }
  }
}
