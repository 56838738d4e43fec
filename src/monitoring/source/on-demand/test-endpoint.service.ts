import { Injectable } from '@nestjs/common';
import { OmitType } from '@nestjs/swagger';
import { recordChange } from '../../../audit/audit-log';
import { CheckDefinitions } from '../../../endpoint/check-definitions';
import { EndpointSettingsResolver } from '../../../endpoint/settings/endpoint-settings';
import { type CreateEndpointDto, toAuditView } from '../../../endpoint/endpoint.dto';
import type { EndpointSettings } from '../../../endpoint/endpoint.entity';
import { namedLocations } from '../../../endpoint/locations/locations';
import { toCheckView, CheckView } from '../../../history/read/check.dto';
import type { Caller } from '../../../platform/access/caller';
import { Database } from '../../../platform/database/database';
import { newUuid } from '../../../platform/ids/id';
import type { Findings } from '../../../platform/problem/findings';
import { LOCAL } from '../../../engine/finished-check';
import { LOCAL_NAME } from '../../../probe/probe-directory';
import { chosenLocation, ProbeChecks } from '../../probes/ask/probe-checks';
import { OnDemandChecks } from './on-demand-checks';

/**
 * A test result, which looks like a recorded check without its IDs. The class name is part of the public API document.
 */
export class TrialView extends OmitType(CheckView, ['id', 'endpoint_id'] as const) {}

/**
 * Checks a target before it is saved, in the same way as an endpoint. Only an audit log entry is stored, and it is
 * committed before anything is sent. No one is notified.
 */
@Injectable()
export class TestEndpointService {
  constructor(
    private readonly settings: EndpointSettingsResolver,
    private readonly definitions: CheckDefinitions,
    private readonly database: Database,
    private readonly onDemand: OnDemandChecks,
    private readonly probeChecks: ProbeChecks,
  ) {}

  /**
   * Throws the same errors as creating the endpoint, `conflict` for a type that nothing can run, and `not_found` if the
   * location isn't one of the endpoint's. Also throws the same errors as `OnDemandChecks` and `ProbeChecks`. Stops if
   * the client disconnects.
   */
  async run(
    caller: Caller,
    dto: CreateEndpointDto,
    { location: wanted, left }: { location: string | undefined; left: AbortSignal },
  ): Promise<TrialView> {
    const [id, { orgId }] = [newUuid(), caller];
    const placed = wanted === undefined || dto.locations ? dto : { ...dto, locations: [wanted] };
    const settings = await this.settings.resolve(this.database, id, placed, caller);
    this.definitions.refusePassive(settings.type);
    const location = chosenLocation(settings.locations, wanted);
    const begin = () => this.audit(orgId, id, settings);
    if (location !== LOCAL_NAME) {
      const asked = { orgId, location, timeout: settings.timeoutSeconds, left };
      return this.onDemand.withinLimits(orgId, () => this.probeChecks.tryOut(asked, id, settings, begin));
    }
    return this.onDemand.run({ orgId, endpointId: id, left }, async (signal) => {
      await begin();
      return this.check(id, settings, caller, signal);
    });
  }

  private async audit(orgId: string, id: string, settings: EndpointSettings): Promise<void> {
    const after = toAuditView(null, settings, []);
    await this.database.transaction((tx) =>
      recordChange(tx, { orgId, action: 'test', resource: 'endpoint', id, after }),
    );
  }

  /** Returns the errors that `run` would find in these fields. */
  async findingsIn(caller: Caller, fields: Partial<CreateEndpointDto>): Promise<Findings> {
    const probes = await this.settings.probesIn(this.database, caller.orgId, [namedLocations(fields)]);
    return this.settings.findingsIn(newUuid(), fields, { stored: null, caller, probes });
  }

  private async check(
    endpointId: string,
    settings: EndpointSettings,
    caller: Caller,
    ended: AbortSignal,
  ): Promise<TrialView> {
    const prepared = this.definitions.prepare(endpointId, settings, {
      id: caller.orgId,
      isDefault: caller.isDefaultOrg,
    });
    const finished = await this.onDemand.runOnce(endpointId, prepared, ended);
    const check = { endpointId, ...finished, location: LOCAL, planned: false, attempts: 1 as const, firstError: null };
    const { id: _id, endpoint_id: _endpointId, ...view } = toCheckView(check, '');
    return view;
  }
}
