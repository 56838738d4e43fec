import { Injectable } from '@nestjs/common';
import { CheckDefinitions } from '../../../endpoint/check-definitions';
import type { EndpointView } from '../../../endpoint/endpoint.dto';
import { EndpointService } from '../../../endpoint/endpoint.service';
import type { CheckView } from '../../../history/read/check.dto';
import { recordChange } from '../../../audit/audit-log';
import { WorkerDatabase } from '../../../platform/database/database';
import { readDatabaseTime } from '../../../platform/database/database-clock';
import type { Caller } from '../../../platform/access/caller';
import { problems } from '../../../platform/problem/problem';
import { LOCAL_NAME } from '../../../probe/probe-directory';
import { chosenLocation, ProbeChecks } from '../../probes/ask/probe-checks';
import { type Asked, OnDemandChecks } from './on-demand-checks';
import { ShownRecords } from './shown-records';

/** Client-requested checks, which run immediately and are recorded like any other. */
@Injectable()
export class CheckNowService {
  constructor(
    private readonly endpoints: EndpointService,
    private readonly definitions: CheckDefinitions,
    private readonly onDemand: OnDemandChecks,
    private readonly shown: ShownRecords,
    private readonly database: WorkerDatabase,
    private readonly probeChecks: ProbeChecks,
  ) {}

  /**
   * Returns once the result is committed. The audit log entry is committed before the check starts. If the client
   * disconnects, the check is canceled and nothing is recorded, unless a probe runs it.
   * Throws `conflict` if the endpoint is paused or nothing can run it, and `not_found` if the location isn't one of the
   * endpoint's. Also throws the same errors as `OnDemandChecks`, `ShownRecords`, and `ProbeChecks`.
   */
  run(
    caller: Caller,
    endpointId: string,
    { location: wanted, left }: { location: string | undefined; left: AbortSignal },
  ): Promise<CheckView> {
    const { orgId } = caller;
    return this.onDemand.withinLimits(orgId, async () => {
      const { locations, timeout } = await this.admit(caller, endpointId);
      const location = chosenLocation(locations, wanted);
      if (location === LOCAL_NAME) return this.here({ orgId, endpointId, left });
      const begin = () => this.audit(orgId, endpointId);
      return this.probeChecks.stored({ orgId, location, timeout: timeout ?? 0, left }, endpointId, begin);
    });
  }

  private async here(asked: Asked): Promise<CheckView> {
    const check = await this.onDemand.runStored(asked, () => this.prepare(asked.orgId, asked.endpointId));
    return this.shown.record(check);
  }

  private async admit(caller: Caller, endpointId: string): Promise<EndpointView> {
    const endpoint = await this.endpoints.get(caller, endpointId);
    this.definitions.refusePassive(endpoint.type);
    if (endpoint.status === 'paused')
      throw problems.conflict('The endpoint is paused; enable it and its website first.');
    return endpoint;
  }

  private async audit(orgId: string, id: string): Promise<void> {
    await this.database.transaction((tx) => recordChange(tx, { orgId, action: 'check', resource: 'endpoint', id }));
  }

  private async prepare(orgId: string, endpointId: string) {
    const definition = await this.definitions.loadOne(this.database, endpointId);
    if (!definition) throw problems.notFound();
    await this.audit(orgId, endpointId);
    return { definition, checkedAt: new Date(Math.round(await readDatabaseTime(this.database))) };
  }
}
