import { Injectable } from '@nestjs/common';
import { AlertEvaluator } from '../../alert/incident/alert-evaluator';
import { WorkerDatabase } from '../../platform/database/database';

/** Lookups are collected this long: a mass failure makes one query instead of a thousand. */
const COLLECT_MS = 20;

/** Looks up whether one more failure of an endpoint would trigger an alert. */
@Injectable()
export class NearTriggerLookup {
  private pending = new Map<string, ((isNear: boolean) => void)[]>();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly alerts: AlertEvaluator,
  ) {}

  /** False when the database is unavailable: the result cannot be recorded before it is back anyway. */
  isNearTrigger(endpointId: string): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.pending.size === 0) setTimeout(() => void this.lookUp(), COLLECT_MS);
      this.pending.set(endpointId, [...(this.pending.get(endpointId) ?? []), resolve]);
    });
  }

  private async lookUp(): Promise<void> {
    const { pending } = this;
    this.pending = new Map();
    const near = await this.alerts.nearTrigger(this.database, [...pending.keys()]).catch(() => new Set<string>());
    for (const [endpointId, resolvers] of pending) for (const resolve of resolvers) resolve(near.has(endpointId));
  }
}
