import type { Near } from '../../engine/before-trigger';
import { Injectable } from '@nestjs/common';
import { AlertEvaluator } from '../../alert/episode/alert-evaluator';
import { suppressedBy } from '../../alert/suppression/suppressed-by';
import { type CheckedAt, MaintenanceCoverage } from '../../endpoint/suppression/maintenance-coverage';
import { WorkerDatabase } from '../../platform/database/database';

/** Lookups are collected for this long, so that a mass failure costs one query instead of a thousand. */
const COLLECT_MS = 20;

interface Question<Asked, Found> {
  asked: Asked;
  resolve: (found: Found) => void;
}

/** Collects lookups that arrive in a burst and answers them with one statement. */
export class AskedTogether<Asked, Found> {
  private pending: Question<Asked, Found>[] = [];

  /** `find` never rejects. It resolves to a function that returns the answer to each lookup. */
  constructor(private readonly find: (asked: readonly Asked[]) => Promise<(asked: Asked) => Found>) {}

  ask(asked: Asked): Promise<Found> {
    return new Promise((resolve) => {
      if (this.pending.length === 0) setTimeout(() => void this.lookUp(), COLLECT_MS);
      this.pending.push({ asked, resolve });
    });
  }

  private async lookUp(): Promise<void> {
    const { pending } = this;
    this.pending = [];
    const found = await this.find(pending.map(({ asked }) => asked));
    for (const { asked, resolve } of pending) resolve(found(asked));
  }
}

export type UnrecordedFailure = CheckedAt & { location: number };

/** Looks up whether another failure of an endpoint would trigger an alert. */
@Injectable()
export class NearTriggerLookup {
  private readonly questions = new AskedTogether<UnrecordedFailure, Near>((failures) =>
    this.near(failures).then(
      (near) => (failure) => near.get(failure) ?? 'no',
      () => () => 'no',
    ),
  );

  constructor(
    private readonly database: WorkerDatabase,
    private readonly alerts: AlertEvaluator,
    private readonly maintenance: MaintenanceCoverage,
  ) {}

  /**
   * Resolves to `no` if the database is unavailable, because the result can't be recorded until it is available again.
   */
  nearOf(failure: UnrecordedFailure): Promise<Near> {
    return this.questions.ask(failure);
  }

  /** Cost: one statement. A second if something would trigger, and a third if a maintenance window is active. */
  private async near(failures: readonly UnrecordedFailure[]): Promise<Map<UnrecordedFailure, Near>> {
    const ids = await this.alerts.nearTrigger(this.database, failures);
    const near = failures.filter(({ endpointId }) => ids.has(endpointId));
    const marks = near.length === 0 ? [] : await this.maintenance.marks(this.database, near);
    const isSuppressed = (checkedAt: Date, muted = false) => suppressedBy({ checkedAt, muted }) !== null;
    return new Map(
      near
        .filter(({ checkedAt }, index) => !isSuppressed(checkedAt, marks[index]?.muted))
        .map((failure) => [failure, ids.get(failure.endpointId) === true ? 'alone' : 'with_others']),
    );
  }
}
