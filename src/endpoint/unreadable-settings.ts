import type { Checker, CheckResult } from '../checker/checker';
import { resultOf, unknown } from '../checker/check-failure';

/**
 * Stands in for the checker of an endpoint whose stored settings cannot be read, such as a header that was encrypted with
 * a key this process does not have: its checks are `unknown` and say why, those of all others go on.
 */
export class UnreadableSettings implements Checker {
  readonly assertionSources = [];
  readonly targetForm = '';

  constructor(private readonly why: string) {}

  parseTarget(): null {
    return null;
  }

  check(): Promise<CheckResult> {
    return Promise.resolve(resultOf(unknown('internal', 'internal', `The settings cannot be read: ${this.why}.`)));
  }
}
