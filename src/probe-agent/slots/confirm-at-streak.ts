import { Injectable } from '@nestjs/common';
import { BeforeTrigger, type Near } from '../../engine/before-trigger';
import type { FinishedCheck } from '../../engine/finished-check';
import { Assignments } from './assignments';

/**
 * Confirms a failure that would trigger an alert, which is the failure with which the local streak reaches the
 * service's limit. The service checks the endpoint's dependencies when the result arrives.
 */
@Injectable()
export class ConfirmAtStreak extends BeforeTrigger {
  readonly repeats = true;

  constructor(private readonly assignments: Assignments) {
    super();
  }

  nearOf({ endpointId, result }: FinishedCheck): Promise<Near> {
    const assigned = this.assignments.get(endpointId);
    const isNear = assigned !== undefined && result.outcome === 'down' && assigned.failures + 1 === assigned.confirmAt;
    return Promise.resolve(isNear ? 'alone' : 'no');
  }

  isParentDown(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
