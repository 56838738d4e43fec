import { Injectable } from '@nestjs/common';
import { BeforeTrigger, type RunCheck } from '../../engine/before-trigger';
import { type FinishedCheck, isDegraded } from '../../engine/finished-check';
import { CheckRunner } from '../../engine/run/check-runner';
import { DatabaseClock } from '../../platform/database/database-clock';

/** What a bad check of a probe goes through before it is recorded: as `CheckRunner` does with its own. */
@Injectable()
export class RemoteFailures {
  constructor(
    private readonly beforeTrigger: BeforeTrigger,
    private readonly runner: CheckRunner,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Has what the endpoint depends on checked first where the check may trigger an alert, and marks it when that is down. At
   * once for a check that is good. Resolves at the latest soon after `shutdown` aborts; never rejects.
   */
  async prepare(check: FinishedCheck, shutdown: AbortSignal): Promise<void> {
    if (check.result.outcome !== 'down' && !isDegraded(check)) return;
    if ((await this.beforeTrigger.nearOf(check)) === 'no') return;
    check.isParentDown = await this.beforeTrigger.isParentDown(check, this.clock.now(), this.run, shutdown);
  }

  private readonly run: RunCheck = (parent, checkedAt, signal) => this.runner.run(parent, null, checkedAt, signal);
}
