import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../engine/finished-check';
import { Config } from '../../platform/config/config';
import { BeforeTrigger, type RunCheck } from '../../engine/before-trigger';
import { NearTriggerLookup } from './near-trigger';
import { ParentsFirst } from './parents-first';

/** Asks the alerts of the endpoint, and what it depends on. */
@Injectable()
export class AlertsBeforeTrigger extends BeforeTrigger {
  /** Failures for which the other locations are asked. */
  private readonly notEnough = new WeakSet<FinishedCheck>();

  constructor(
    private readonly config: Config,
    private readonly alerts: NearTriggerLookup,
    private readonly parents: ParentsFirst,
  ) {
    super();
  }

  get repeats(): boolean {
    return this.config.confirmFailures;
  }

  override repeatsOf(failure: FinishedCheck): boolean {
    return this.repeats && !this.notEnough.has(failure);
  }

  async isNeeded(failure: FinishedCheck): Promise<boolean> {
    const near = await this.alerts.nearOf(failure);
    if (near === 'with_others') this.notEnough.add(failure);
    return near !== 'no';
  }

  isParentDown(
    { endpointId, result }: FinishedCheck,
    foundAt: Date,
    run: RunCheck,
    shutdown: AbortSignal,
  ): Promise<boolean> {
    return this.parents.isAnyDown({ endpointId, isDown: result.outcome === 'down', foundAt }, run, shutdown);
  }
}
