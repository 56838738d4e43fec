import { Injectable } from '@nestjs/common';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { Config } from '../../platform/config/config';
import { NearTriggerLookup, type UnrecordedFailure } from './near-trigger';
import { ParentsFirst } from './parents-first';

/** What a bad check has to go through before it is recorded: nothing, unless it may trigger an alert. */
@Injectable()
export class BeforeTrigger {
  constructor(
    private readonly config: Config,
    private readonly alerts: NearTriggerLookup,
    private readonly parents: ParentsFirst,
  ) {}

  /** Whether failures are repeated before they are recorded. */
  get repeats(): boolean {
    return this.config.confirmFailures;
  }

  /** Whether recording the failure would trigger an alert. */
  isNeeded(failure: UnrecordedFailure): Promise<boolean> {
    return this.alerts.isNearTrigger(failure);
  }

  /** Whether one of the endpoints that this one depends on is down; they are checked now, unless they were since `foundAt`. */
  isParentDown({ endpointId, result }: FinishedCheck, foundAt: Date, shutdown: AbortSignal): Promise<boolean> {
    return this.parents.isAnyDown({ endpointId, isDown: result.outcome === 'down', foundAt }, shutdown);
  }
}
