import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../../../checker/checker';
import type { CheckDefinition, PreparedCheck } from '../../../engine/check-definition';
import type { FinishedCheck } from '../../../engine/finished-check';
import { WorkLimits } from '../../../platform/access/work-limits';
import { problems } from '../../../platform/problem/problem';
import { startDeadline } from '../../../platform/net/deadline';
import { Clock } from '../../../platform/time/clock';
import { CheckRunner } from '../../../engine/run/check-runner';
import { CheckerBugs } from '../../../engine/run/checker-bugs';
import { CheckPlaces } from '../../../engine/dispatch/check-places';

/** Which check is asked for, and the signal that its client has left. */
export interface Asked {
  orgId: string;
  endpointId: string;
  left: AbortSignal;
}

/**
 * Checks that clients ask for: within the limits of their organization, on the same places as scheduled checks, and for
 * no longer than the client stays.
 */
@Injectable()
export class OnDemandChecks {
  constructor(
    private readonly limits: WorkLimits,
    private readonly places: CheckPlaces,
    private readonly runner: CheckRunner,
    private readonly clock: Clock,
    private readonly bugs: CheckerBugs,
  ) {}

  /**
   * Calls `check` when it has a place; its signal ends with the client and with the process. Throws `rate_limited` beyond
   * the organization's limits, `conflict` while another client's check of the endpoint lasts, `temporarily_unavailable`
   * without a place.
   */
  run<T>(asked: Asked, check: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.limits.run(asked.orgId, () => this.onPlace(asked, check));
  }

  /** Runs the work within the limits of the organization, for checks that ask something first. Throws `rate_limited`. */
  withinLimits<T>(orgId: string, check: () => Promise<T>): Promise<T> {
    return this.limits.run(orgId, check);
  }

  /** Runs a check of an endpoint that is stored, inside of `withinLimits`. `prepare` is called when there is a place. */
  runStored(
    asked: Asked,
    prepare: () => Promise<{ definition: CheckDefinition; checkedAt: Date }>,
  ): Promise<FinishedCheck> {
    return this.onPlace(asked, async (signal) => {
      const { definition, checkedAt } = await prepare();
      const check = await this.runner.run(definition, null, checkedAt, signal);
      // Nobody reads the response when it was the client that ended the check.
      if (!check || signal.aborted) throw problems.shuttingDown();
      return check;
    });
  }

  /** One attempt, which is not judged any further. `endpointId` is for the log. */
  async runOnce(
    endpointId: string,
    { checker, request, timeoutMs }: PreparedCheck,
    ended: AbortSignal,
  ): Promise<{ checkedAt: Date; result: CheckResult }> {
    const checkedAt = this.clock.now();
    const deadline = startDeadline(timeoutMs, ended);
    try {
      const result = await checker
        .check(request, deadline.signal)
        .catch((error: unknown) => this.bugs.resultOf(endpointId, error));
      return { checkedAt, result };
    } finally {
      deadline.clear();
    }
  }

  private onPlace<T>({ orgId, endpointId, left }: Asked, check: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.places.runOnDemand(orgId, endpointId, left, check);
  }
}
