import { Injectable } from '@nestjs/common';
import { BeforeTrigger, type RunCheck } from '../../engine/before-trigger';
import { type FinishedCheck, isDegraded } from '../../engine/finished-check';
import { CheckRunner } from '../../engine/run/check-runner';
import { DatabaseClock } from '../../platform/database/database-clock';

/** Prepares a probe's failed check for recording, as `CheckRunner` does for the checks of an instance. */
@Injectable()
export class ProbeFailures {
  constructor(
    private readonly beforeTrigger: BeforeTrigger,
    private readonly runner: CheckRunner,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * If the check may trigger an alert, this has the endpoint's parents checked first. Returns the check with that
   * finding. Returns a successful check immediately. Resolves soon after `shutdown` aborts at the latest. Never
   * rejects.
   */
  async prepare(check: FinishedCheck, shutdown: AbortSignal): Promise<FinishedCheck> {
    if (check.result.outcome !== 'down' && !isDegraded(check)) return check;
    if ((await this.beforeTrigger.nearOf(check)) === 'no') return check;
    const isParentDown = await this.beforeTrigger.isParentDown(check, this.clock.now(), this.run, shutdown);
    return { ...check, isParentDown };
  }

  private readonly run: RunCheck = (parent, checkedAt, signal) => this.runner.run(parent, null, checkedAt, signal);
}
