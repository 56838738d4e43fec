import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../engine/finished-check';
import { Config } from '../../platform/config/config';
import { BeforeTrigger, type Near, type RunCheck } from '../../engine/before-trigger';
import { NearTriggerLookup } from './near-trigger';
import { ParentsFirst } from './parents-first';

/** Answers based on the endpoint's alert rules and its parents. */
@Injectable()
export class AlertsBeforeTrigger extends BeforeTrigger {
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

  nearOf(failure: FinishedCheck): Promise<Near> {
    return this.alerts.nearOf(failure);
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
