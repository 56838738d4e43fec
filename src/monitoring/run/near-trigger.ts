import { Injectable } from '@nestjs/common';
import { AlertEvaluator } from '../../alert/incident/alert-evaluator';
import { WorkerDatabase } from '../../platform/database/database';

/** Questions are collected this long, so that a mass failure asks once and not a thousand times. */
const COLLECT_MS = 20;

/** Answers whether one more failure of an endpoint would trigger an alert. */
@Injectable()
export class NearTriggerLookup {
  private asked = new Map<string, ((near: boolean) => void)[]>();

  constructor(
    private readonly database: WorkerDatabase,
    private readonly alerts: AlertEvaluator,
  ) {}

  /** False when the database cannot be asked: the result will wait for it anyway. */
  isNearTrigger(endpointId: string): Promise<boolean> {
    return new Promise((resolve) => {
      if (this.asked.size === 0) setTimeout(() => void this.ask(), COLLECT_MS);
      this.asked.set(endpointId, [...(this.asked.get(endpointId) ?? []), resolve]);
    });
  }

  private async ask(): Promise<void> {
    const { asked } = this;
    this.asked = new Map();
    const near = await this.alerts.nearTrigger(this.database, [...asked.keys()]).catch(() => new Set<string>());
    for (const [endpointId, waiting] of asked) for (const resolve of waiting) resolve(near.has(endpointId));
  }
}
