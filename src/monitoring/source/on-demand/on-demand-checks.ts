import { Injectable } from '@nestjs/common';
import type { CheckDefinition } from '../../../engine/check-definition';
import type { FinishedCheck } from '../../../engine/finished-check';
import { WorkLimits } from '../../../platform/access/work-limits';
import { problems } from '../../../platform/problem/problem';
import { CheckRunner } from '../../../engine/run/check-runner';
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
  ) {}

  /**
   * Calls `check` when it has a place; its signal ends with the client and with the process. Throws `rate_limited` beyond
   * the organization's limits, `conflict` while another client's check of the endpoint lasts, `temporarily_unavailable`
   * without a place.
   */
  run<T>(asked: Asked, check: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.limits.run(asked.orgId, () => this.onPlace(asked, check));
  }

  /**
   * Runs a check of an endpoint that is stored, as `run` does. `admit` throws unless the organization may check it now: it is called within
   * the limits, so that what is refused costs no query. `prepare` is called when there is a place.
   */
  runStored(
    asked: Asked,
    admit: () => Promise<void>,
    prepare: () => Promise<{ definition: CheckDefinition; checkedAt: Date }>,
  ): Promise<FinishedCheck> {
    return this.limits.run(asked.orgId, async () => {
      await admit();
      return this.onPlace(asked, async (signal) => {
        const { definition, checkedAt } = await prepare();
        const check = await this.runner.run(definition, null, checkedAt, signal);
        // Nobody reads the response when it was the client that ended the check.
        if (!check || signal.aborted) throw problems.shuttingDown();
        return check;
      });
    });
  }

  private onPlace<T>({ orgId, endpointId, left }: Asked, check: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.places.runOnDemand(orgId, endpointId, left, check);
  }
}
