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

/** A requested check, with a signal that aborts when its client disconnects. */
export interface Asked {
  orgId: string;
  endpointId: string;
  left: AbortSignal;
}

/**
 * Runs checks that clients request, within their organization's limits. They compete with scheduled checks for room in
 * the dispatcher, and are canceled if their client disconnects.
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
   * Calls `check` when there is room for it. Its signal aborts if the client disconnects or the process stops. Throws
   * `rate_limited` if the organization's limits are exceeded, `conflict` while another client's check of the endpoint
   * is running, and `temporarily_unavailable` if there is no room.
   */
  run<T>(asked: Asked, check: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.limits.run(asked.orgId, () => this.onPlace(asked, check));
  }

  /** Runs work within the organization's limits, for checks that need a query first. Throws `rate_limited`. */
  withinLimits<T>(orgId: string, check: () => Promise<T>): Promise<T> {
    return this.limits.run(orgId, check);
  }

  /**
   * Runs a check of a stored endpoint. Call this inside `withinLimits`. `prepare` is called when there is room for the
   * check.
   */
  runStored(
    asked: Asked,
    prepare: () => Promise<{ definition: CheckDefinition; checkedAt: Date }>,
  ): Promise<FinishedCheck> {
    return this.onPlace(asked, async (signal) => {
      const { definition, checkedAt } = await prepare();
      const check = await this.runner.run(definition, null, checkedAt, signal);
      // If the client canceled the check, no one reads this response.
      if (!check || signal.aborted) throw problems.shuttingDown();
      return check;
    });
  }

  /** Runs one attempt without judging the result. `endpointId` is for the log. */
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
