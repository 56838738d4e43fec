import { Injectable } from '@nestjs/common';
import { CheckDefinitions } from '../../../endpoint/check-definitions';
import { EndpointService } from '../../../endpoint/endpoint.service';
import { type CheckView, toCheckView } from '../../../history/read/check.dto';
import { HistoryWriter } from '../../../history/write/history-writer';
import { recordChange } from '../../../audit/audit-log';
import { WorkerDatabase } from '../../../platform/database/database';
import { readDatabaseTime } from '../../../platform/database/database-clock';
import type { Caller } from '../../../platform/access/caller';
import { problems } from '../../../platform/problem/problem';
import { within } from '../../../platform/net/deadline';
import { CheckRecorder } from '../../record/check-recorder';
import { OnDemandChecks } from './on-demand-checks';

/** The result is written at once, but another session that keeps the endpoint's row locked may delay it for long. */
const RECORD_WAIT_MS = 5000;

/** A check that a client asks for: run now, recorded like any other. */
@Injectable()
export class CheckNowService {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly definitions: CheckDefinitions,
    private readonly onDemand: OnDemandChecks,
    private readonly recorder: CheckRecorder,
    private readonly history: HistoryWriter,
    private readonly database: WorkerDatabase,
  ) {}

  /**
   * Returns once the result is committed; its audit entry is committed before the check begins. A paused endpoint is a
   * conflict, and so is one that nothing runs. When the client leaves, the check ends and nothing is recorded. `temporarily_unavailable` when the result
   * could not be committed within 5 s; it will be as soon as possible. Throws what `OnDemandChecks.run` throws.
   */
  async run(caller: Caller, endpointId: string, left: AbortSignal): Promise<CheckView> {
    const check = await this.onDemand.runStored(
      { orgId: caller.orgId, endpointId, left },
      () => this.admit(caller, endpointId),
      () => this.prepare(caller.orgId, endpointId),
    );
    const recorded = await within(RECORD_WAIT_MS, this.recorder.record(check));
    if (recorded === 'late') throw problems.temporarilyUnavailable();
    if (recorded === 'dropped')
      throw problems.conflict('The endpoint was changed while it was being checked; ask again.');
    return toCheckView(check, this.history.checkId(check));
  }

  private async admit(caller: Caller, endpointId: string): Promise<void> {
    const { status, type } = await this.endpoints.get(caller, endpointId);
    this.definitions.refusePassive(type);
    if (status === 'paused') throw problems.conflict('The endpoint is paused; enable it and its website first.');
  }

  private async prepare(orgId: string, endpointId: string) {
    const definition = await this.definitions.loadOne(this.database, endpointId);
    if (!definition) throw problems.notFound();
    await this.database.transaction((tx) =>
      recordChange(tx, { orgId, action: 'check', resource: 'endpoint', id: endpointId }),
    );
    return { definition, checkedAt: new Date(Math.round(await readDatabaseTime(this.database))) };
  }
}
