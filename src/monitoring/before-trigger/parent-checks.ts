import { Injectable, Logger } from '@nestjs/common';
import type { Outcome } from '../../checker/checker';
import { CheckDefinitions } from '../../endpoint/check-definitions';
import { outcomeOf } from '../../endpoint/outcome-code';
import type { FinishedCheck } from '../../engine/finished-check';
import { WorkerDatabase } from '../../platform/database/database';
import { readDatabaseTime } from '../../platform/database/database-clock';
import type { RunCheck } from '../../engine/before-trigger';
import { Clock } from '../../platform/time/clock';
import { CheckRecorder } from '../record/check-recorder';
import { LocationAsks } from '../record/location-asks';
import { CheckPlaces } from '../../engine/dispatch/check-places';
import { type KnownParent, waitForParentMs } from './parents-state';

const LOOK_EVERY_MS = 250;

// Cost: one index lookup.
const CHECKED_SINCE = `
  SELECT status, last_checked_at AS "checkedAt" FROM endpoint_state WHERE endpoint_id = $1 AND last_checked_at >= $2`;

export interface RecordedParent {
  outcome: Outcome;
  checkedAt: Date;
}

/**
 * Checks parents on demand when a dependent endpoint fails. Their results are recorded like any other result.
 */
@Injectable()
export class ParentChecks {
  private readonly logger = new Logger(ParentChecks.name);

  constructor(
    private readonly definitions: CheckDefinitions,
    private readonly places: CheckPlaces,
    private readonly recorder: CheckRecorder,
    private readonly database: WorkerDatabase,
    private readonly asks: LocationAsks,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the result is committed, or to `null` if there is no result. Never rejects. */
  check(endpointId: string, run: RunCheck): Promise<RecordedParent | null> {
    return this.record(endpointId, run).catch((error: unknown) => {
      this.logger.warn(`Could not check an endpoint before the endpoints that depend on it: ${String(error)}`);
      return null;
    });
  }

  /**
   * Checks a parent that no instance checks: requests a check from each of its probes and takes the first result. Never
   * rejects.
   */
  checkElsewhere(parent: KnownParent, shutdown: AbortSignal): Promise<RecordedParent | null> {
    return this.awaitProbes(parent, shutdown).catch((error: unknown) => {
      this.logger.warn(
        `Could not request probe checks of an endpoint before the endpoints that depend on it: ${String(error)}`,
      );
      return null;
    });
  }

  private async awaitProbes(parent: KnownParent, shutdown: AbortSignal): Promise<RecordedParent | null> {
    const since = new Date(Math.round(await readDatabaseTime(this.database)));
    if ((await this.asks.allOf(this.database, [parent.id])) === 0) return null;
    const until = this.clock.monotonic() + waitForParentMs(parent);
    while (this.clock.monotonic() < until && !shutdown.aborted) {
      await this.clock.sleep(LOOK_EVERY_MS, shutdown);
      const [row] = await this.database.query<{ status: number; checkedAt: Date }>(CHECKED_SINCE, [parent.id, since]);
      if (row) return { outcome: outcomeOf(row.status), checkedAt: row.checkedAt };
    }
    return null;
  }

  /** Doesn't take a slot in the dispatcher, because it shares the slot of the waiting child. */
  private async record(endpointId: string, run: RunCheck): Promise<RecordedParent | null> {
    const check = await this.places.runBeside(endpointId, (signal) => this.run(endpointId, run, signal));
    if (!check) return null;
    const recorded = await this.recorder.record(check);
    if (recorded !== 'recorded') return null;
    return { outcome: check.counted?.outcome ?? check.result.outcome, checkedAt: check.checkedAt };
  }

  private async run(endpointId: string, run: RunCheck, signal: AbortSignal): Promise<FinishedCheck | null> {
    const definition = await this.definitions.loadOne(this.database, endpointId);
    if (!definition) return null;
    return run(definition, new Date(Math.round(await readDatabaseTime(this.database))), signal);
  }
}
