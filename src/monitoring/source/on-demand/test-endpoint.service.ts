import { Injectable } from '@nestjs/common';
import { OmitType } from '@nestjs/swagger';
import { recordChange } from '../../../audit/audit-log';
import { CheckDefinitions } from '../../../endpoint/check-definitions';
import { EndpointSettingsResolver } from '../../../endpoint/settings/endpoint-settings';
import { type CreateEndpointDto, toAuditView } from '../../../endpoint/endpoint.dto';
import type { EndpointSettings } from '../../../endpoint/endpoint.entity';
import { toCheckView, CheckView } from '../../../history/read/check.dto';
import type { Caller } from '../../../platform/access/caller';
import { Database } from '../../../platform/database/database';
import { newUuid } from '../../../platform/ids/id';
import { startDeadline } from '../../../platform/net/deadline';
import type { Findings } from '../../../platform/problem/findings';
import { Clock } from '../../../platform/time/clock';
import { LOCAL } from '../../../engine/finished-check';
import { CheckerBugs } from '../../../engine/run/checker-bugs';
import { OnDemandChecks } from './on-demand-checks';

/** The result of the test: like a recorded check, without its ids. The class name is part of the public API document. */
export class TrialView extends OmitType(CheckView, ['id', 'endpoint_id'] as const) {}

/**
 * Checks a target as an endpoint would be checked, before one is saved. Nothing is stored but an audit entry, which is
 * committed before anything is sent, and nobody is notified.
 */
@Injectable()
export class TestEndpointService {
  constructor(
    private readonly settings: EndpointSettingsResolver,
    private readonly definitions: CheckDefinitions,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly onDemand: OnDemandChecks,
    private readonly bugs: CheckerBugs,
  ) {}

  /** Throws what creating the endpoint would throw, `conflict` for a type that nothing runs, and what `OnDemandChecks.run` throws. Ends when the client leaves. */
  async run(caller: Caller, dto: CreateEndpointDto, left: AbortSignal): Promise<TrialView> {
    const id = newUuid();
    const settings = await this.settings.resolve(this.database, id, dto, caller);
    this.definitions.refusePassive(settings.type);
    return this.onDemand.run({ orgId: caller.orgId, endpointId: id, left }, async (signal) => {
      const after = toAuditView(null, settings, []);
      await this.database.transaction((tx) =>
        recordChange(tx, { orgId: caller.orgId, action: 'test', resource: 'endpoint', id, after }),
      );
      return this.check(id, settings, caller, signal);
    });
  }

  /** What `run` would refuse in these fields. */
  async findingsIn(caller: Caller, fields: Partial<CreateEndpointDto>): Promise<Findings> {
    const probes = await this.settings.probesIn(this.database, caller.orgId, [fields.locations]);
    return this.settings.findingsIn(newUuid(), fields, { stored: null, caller, probes });
  }

  private async check(
    endpointId: string,
    settings: EndpointSettings,
    caller: Caller,
    ended: AbortSignal,
  ): Promise<TrialView> {
    const { checker, request, timeoutMs } = this.definitions.prepare(endpointId, settings, {
      id: caller.orgId,
      isDefault: caller.isDefaultOrg,
    });
    const checkedAt = this.clock.now();
    const deadline = startDeadline(timeoutMs, ended);
    try {
      const result = await checker
        .check(request, deadline.signal)
        .catch((error: unknown) => this.bugs.resultOf(endpointId, error));
      const check = {
        endpointId,
        checkedAt,
        location: LOCAL,
        result,
        planned: false,
        attempts: 1 as const,
        firstError: null,
      };
      const { id: _id, endpoint_id: _endpointId, ...view } = toCheckView(check, '');
      return view;
    } finally {
      deadline.clear();
    }
  }
}
