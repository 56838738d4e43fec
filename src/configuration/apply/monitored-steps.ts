import { Injectable } from '@nestjs/common';
import { AlertService } from '../../alert/alert.service';
import { DeclaredAlerts } from '../../alert/declared-alerts.service';
import type { NewEndpoint } from '../../endpoint/endpoint.repository';
import { EndpointService } from '../../endpoint/endpoint.service';
import type { Caller } from '../../platform/access/caller';
import type { Tx } from '../../platform/database/database';
import { failpoint } from '../../platform/observability/failpoints';
import { WebsiteService } from '../../website/website.service';
import { grouped } from '../../platform/text/grouped';
import type { Plan, PlannedEndpoint } from '../plan/plan';
import { deletedOf, isNew, toCreate, toUpdate } from './steps';

/** Websites, endpoints and alerts of a plan, through their services. */
@Injectable()
export class MonitoredSteps {
  constructor(
    private readonly websites: WebsiteService,
    private readonly endpoints: EndpointService,
    private readonly alerts: AlertService,
    private readonly declared: DeclaredAlerts,
  ) {}

  /** Children before parents. A website is marked here; what is left of it goes after the commit. */
  async remove(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'alert')) await this.alerts.remove(orgId, id);
    await this.endpoints.removeSome(tx, orgId, deletedOf(plan, 'endpoint'));
    for (const id of deletedOf(plan, 'website')) await this.websites.markRemoved(orgId, id);
  }

  async save(tx: Tx, caller: Caller, plan: Plan): Promise<void> {
    const { orgId } = caller;
    await this.websites.addSome(tx, orgId, toCreate(plan.websites));
    await this.websites.updateSome(tx, orgId, toUpdate(plan.websites));
    await this.addEndpoints(tx, orgId, plan.endpoints.filter(isNew));
    await failpoint('apply.endpoints_made');
    await this.endpoints.changeSome(tx, caller, toUpdate(plan.endpoints));
    const made = plan.alerts.filter(isNew).flatMap(({ id, endpointId, dto }) => (dto ? [{ id, endpointId, dto }] : []));
    await this.declared.add(tx, caller, made);
    const left = await this.declared.change(tx, caller, toUpdate(plan.alerts));
    for (const { id, dto } of left) await this.alerts.update(caller, id, dto);
  }

  /** A few statements for each website. What they depend on may be in another one: that comes when all are there. */
  private async addEndpoints(tx: Tx, orgId: string, endpoints: readonly PlannedEndpoint[]): Promise<void> {
    if (endpoints.length === 0) return;
    const withDefaults = endpoints.some(({ hasAlerts }) => !hasAlerts);
    const creating = withDefaults ? await this.endpoints.announce(tx, orgId, {}) : null;
    for (const [websiteId, all] of grouped(endpoints, (endpoint) => endpoint.websiteId)) {
      const website = await this.websites.lock(tx, orgId, websiteId);
      for (const hasAlerts of [true, false]) {
        const rows = rowsOf(all.filter((endpoint) => endpoint.hasAlerts === hasAlerts));
        if (rows.length > 0)
          await this.endpoints.add(tx, website, rows, hasAlerts ? null : creating, { linked: false });
      }
    }
    await this.endpoints.link(tx, rowsOf(endpoints));
  }
}

const rowsOf = (endpoints: readonly PlannedEndpoint[]): NewEndpoint[] => endpoints.flatMap(({ row }) => row ?? []);
