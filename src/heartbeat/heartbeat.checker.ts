import { Checker, type CheckResult, InvalidTarget } from '../checker/checker';
import { HEARTBEAT, HEARTBEAT_URL } from '../endpoint/heartbeat/heartbeat-schedule';

/**
 * The type for jobs that report to the service. It sends no requests, because results come from pings and the lack of
 * them.
 */
@Checker(HEARTBEAT)
export class HeartbeatChecker implements Checker<null> {
  readonly targetForm = `\`${HEARTBEAT_URL}\`, or left out`;
  readonly assertionSources = [] as const;
  readonly passive = true;

  parseTarget(url: string): null {
    if (url !== HEARTBEAT_URL) throw new InvalidTarget(`the url of a heartbeat must be ${this.targetForm}`);
    return null;
  }

  check(): Promise<CheckResult> {
    throw new Error('a heartbeat has no checks that run');
  }
}
