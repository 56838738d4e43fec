import type { Checker, CheckRequest, CheckResult } from './checker';
import type { NetworkSettings } from './network-settings';
import { cut } from '../platform/text/text-limits';

const FAMILIES = ['4', '6'] as const;
const MAX_MESSAGE = 300;

/**
 * Wraps a checker whose settings say `ip: both`. Runs one check over IPv4 and one over IPv6 at the same time. If only
 * one of them is down, the target is up with a warning that names the IP version.
 */
class BothFamilies implements Checker {
  readonly assertionSources;
  readonly targetForm;

  constructor(private readonly checker: Checker) {
    this.assertionSources = checker.assertionSources;
    this.targetForm = checker.targetForm;
  }

  parseTarget(url: string): unknown {
    return this.checker.parseTarget(url);
  }

  async check(request: CheckRequest<unknown>, signal: AbortSignal): Promise<CheckResult> {
    const [four, six] = await Promise.all(
      FAMILIES.map((ip) => this.checker.check({ ...request, settings: { ...request.settings, ip } }, signal)),
    );
    if (!four || !six) throw new Error('there are two IP versions');
    return combined(four, six);
  }
}

/** Returns the result of both checks. The slower one determines the duration. */
export function combined(four: CheckResult, six: CheckResult): CheckResult {
  const slower = four.durationMs >= six.durationMs ? four : six;
  if (four.outcome === 'up' && six.outcome === 'up') return { ...slower, warning: four.warning ?? six.warning };
  if (four.outcome !== 'up' && six.outcome !== 'up') return four.outcome === 'down' ? four : six;
  const [up, failed, name] = four.outcome === 'up' ? [four, six, 'IPv6'] : [six, four, 'IPv4'];
  if (failed.error === null || failed.outcome === 'unknown') return failed;
  const { code, phase, message } = failed.error;
  return { ...up, warning: { code, phase, message: cut(`Over ${name}: ${message}`, MAX_MESSAGE, '') } };
}

/** Returns the checker to run with these settings. */
export const checkerFor = (checker: Checker, settings: object): Checker =>
  (settings as NetworkSettings).ip === 'both' ? new BothFamilies(checker) : checker;
