import { Injectable } from '@nestjs/common';
import { BeforeTrigger } from '../../engine/before-trigger';
import type { FinishedCheck } from '../../engine/finished-check';
import { Assignments } from './assignments';

/**
 * Repeats the failure that would trigger: the one with which the streak found here reaches what the service has said. What the
 * endpoint depends on is the service's to ask, when the result arrives.
 */
@Injectable()
export class ConfirmAtStreak extends BeforeTrigger {
  readonly repeats = true;

  constructor(private readonly assignments: Assignments) {
    super();
  }

  isNeeded({ endpointId, result }: FinishedCheck): Promise<boolean> {
    const assigned = this.assignments.get(endpointId);
    return Promise.resolve(
      assigned !== undefined && result.outcome === 'down' && assigned.failures + 1 === assigned.confirmAt,
    );
  }

  isParentDown(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
