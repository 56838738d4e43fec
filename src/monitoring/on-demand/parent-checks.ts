import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { CheckDefinitions } from '../../endpoint/check-definition';
import type { FinishedCheck } from '../../endpoint/finished-check';
import { WorkerDatabase } from '../../platform/database/database';
import { readDatabaseTime } from '../../platform/database/database-clock';
import { CheckRecorder } from '../record/check-recorder';
import { CheckRunner } from '../run/check-runner';
import { ParentsFirst, type RecordedParent } from '../run/parents-first';
import { CheckPlaces } from '../schedule/check-places';

/** Checks of endpoints that others depend on, asked for by a failure of one of those: run now, recorded like any other. */
@Injectable()
export class ParentChecks implements OnModuleInit {
  private readonly logger = new Logger(ParentChecks.name);

  constructor(
    private readonly parents: ParentsFirst,
    private readonly definitions: CheckDefinitions,
    private readonly places: CheckPlaces,
    private readonly runner: CheckRunner,
    private readonly recorder: CheckRecorder,
    private readonly database: WorkerDatabase,
  ) {}

  onModuleInit(): void {
    this.parents.checkWith((endpointId) =>
      this.run(endpointId).catch((error: unknown) => {
        this.logger.warn(`an endpoint was not checked before those that depend on it: ${String(error)}`);
        return null;
      }),
    );
  }

  /** Resolves when the result is committed; the child that waits has a place, which is this check's as well. */
  private async run(endpointId: string): Promise<RecordedParent | null> {
    const check = await this.places.runBeside(endpointId, (signal) => this.check(endpointId, signal));
    if (!check) return null;
    const recorded = await this.recorder.record(check);
    return recorded === 'dropped' ? null : { outcome: check.result.outcome, checkedAt: check.checkedAt };
  }

  private async check(endpointId: string, signal: AbortSignal): Promise<FinishedCheck | null> {
    const definition = await this.definitions.loadOne(this.database, endpointId);
    if (!definition) return null;
    const checkedAt = new Date(Math.round(await readDatabaseTime(this.database)));
    return this.runner.run(definition, null, checkedAt, signal);
  }
}
