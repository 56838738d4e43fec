import { Injectable } from '@nestjs/common';
import { CheckerRegistry } from '../../checker/checker.registry';
import { startDeadline } from '../../platform/net/deadline';
import { auditedSettings } from '../../endpoint/endpoint-audit';
import { EndpointSettingsRules, type EndpointSettings } from '../../endpoint/endpoint-settings';
import type { CreateEndpointDto } from '../../endpoint/endpoint.dto';
import { viewOfRecorded } from '../../history/read/check.dto';
import { recordChange } from '../../audit/audit-log';
import type { Caller } from '../../platform/access/caller';
import { Database } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { EgressPolicy } from '../../platform/net/egress/egress-policy';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import type { TrialView } from './test-endpoint.dto';

/** Trials are for people at a form; this many at once keep the engine's sockets free. */
const MAX_AT_ONCE = 32;

/**
 * Asks a target the way an endpoint would, before there is one. Nothing is stored but who asked, before anything is sent;
 * nobody is told.
 */
@Injectable()
export class TestEndpointService {
  private readonly never = new AbortController().signal;
  private running = 0;

  constructor(
    private readonly rules: EndpointSettingsRules,
    private readonly checkers: CheckerRegistry,
    private readonly egress: EgressPolicy,
    private readonly clock: Clock,
    private readonly database: Database,
  ) {}

  /** Throws what creating the endpoint would throw; `temporarily_unavailable` when too many trials run. */
  async run(caller: Caller, dto: CreateEndpointDto): Promise<TrialView> {
    const id = newUuid();
    const settings = this.rules.settle(id, dto, null, caller);
    if (this.running >= MAX_AT_ONCE) throw problems.temporarilyUnavailable();
    this.running++;
    try {
      const after = auditedSettings(null, settings);
      await this.database.transaction((tx) =>
        recordChange(tx, { orgId: caller.orgId, action: 'test', resource: 'endpoint', id, after }),
      );
      return await this.ask(id, settings, caller);
    } finally {
      this.running--;
    }
  }

  private async ask(id: string, settings: EndpointSettings, caller: Caller): Promise<TrialView> {
    const checker = this.checkers.get(settings.type);
    const deadline = startDeadline(settings.timeoutSeconds * 1000, this.never);
    const checkedAt = this.clock.now();
    try {
      const report = await checker.check(
        {
          target: checker.parseTarget(settings.url),
          method: settings.method,
          headers: this.rules.openHeaders(id, settings.headers),
          body: settings.body,
          followRedirects: settings.followRedirects,
          assertions: settings.assertions,
          egress: this.egress.forOrganization({ isDefault: caller.isDefaultOrg }),
        },
        deadline.signal,
      );
      const check = {
        endpointId: id,
        checkedAt,
        result: report,
        attempts: 1 as const,
        firstError: null,
      };
      const { id: _id, endpoint_id: _endpointId, ...view } = viewOfRecorded(check, '');
      return view;
    } finally {
      deadline.clear();
    }
  }
}
