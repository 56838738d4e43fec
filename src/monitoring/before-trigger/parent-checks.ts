import { Injectable, Logger } from '@nestjs/common';
import type { Outcome } from '../../checker/checker';
import { CheckDefinitions } from '../../endpoint/check-definitions';
import type { FinishedCheck } from '../../engine/finished-check';
import { WorkerDatabase } from '../../platform/database/database';
import { readDatabaseTime } from '../../platform/database/database-clock';
import type { RunCheck } from '../../engine/before-trigger';
import { CheckRecorder } from '../record/check-recorder';
import { CheckPlaces } from '../../engine/dispatch/check-places';

/** What a check of a parent found, recorded. */
export interface RecordedParent {
  outcome: Outcome;
  checkedAt: Date;
}

/** Checks of endpoints that others depend on, asked for by a failure of one of those: run now, recorded like any other. */
@Injectable()
export class ParentChecks {
  private readonly logger = new Logger(ParentChecks.name);

  constructor(
    private readonly definitions: CheckDefinitions,
    private readonly places: CheckPlaces,
    private readonly recorder: CheckRecorder,
    private readonly database: WorkerDatabase,
  ) {}

  /** Resolves when the result is committed; `null` when there is none. Never rejects. */
  check(endpointId: string, run: RunCheck): Promise<RecordedParent | null> {
    return this.record(endpointId, run).catch((error: unknown) => {
      this.logger.warn(`an endpoint was not checked before those that depend on it: ${String(error)}`);
      return null;
    });
  }

  /** The child that waits has a place, which is this check's as well. */
  private async record(endpointId: string, run: RunCheck): Promise<RecordedParent | null> {
    const check = await this.places.runBeside(endpointId, (signal) => this.run(endpointId, run, signal));
    if (!check) return null;
    const recorded = await this.recorder.record(check);
    return recorded === 'dropped' ? null : { outcome: check.result.outcome, checkedAt: check.checkedAt };
  }

  private async run(endpointId: string, run: RunCheck, signal: AbortSignal): Promise<FinishedCheck | null> {
    const definition = await this.definitions.loadOne(this.database, endpointId);
    if (!definition) return null;
    return run(definition, new Date(Math.round(await readDatabaseTime(this.database))), signal);
  }
}
