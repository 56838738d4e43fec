import { Injectable } from '@nestjs/common';
import { AlertService } from '../../alert/alert.service';
import { DeclaredAlerts } from '../../alert/declared-alerts.service';
import { ContactService } from '../../contact/contact.service';
import type { NewEndpoint } from '../../endpoint/endpoint.repository';
import { EndpointService } from '../../endpoint/endpoint.service';
import { MaintenanceWindowService } from '../../maintenance/maintenance-window.service';
import type { Caller } from '../../platform/access/caller';
import type { Tx } from '../../platform/database/database';
import { DatabaseServer } from '../../platform/database/database-server';
import { failpoint } from '../../platform/observability/failpoints';
import { problems } from '../../platform/problem/problem';
import { ProbeService } from '../../probe/probe.service';
import { grouped } from '../../platform/text/grouped';
import { PublicPageService } from '../../status-page/settings/public-page.service';
import { WebsitePageService } from '../../status-page/settings/website-page.service';
import { WebsiteService } from '../../website/website.service';
import {
  type DeclaredResource,
  deletedOf,
  isNew,
  type Plan,
  type Planned,
  type PlannedEndpoint,
  releasedOf,
  toCreate,
  toOwn,
  toUpdate,
} from '../plan/plan';

/** A service that sets the owner of its rows in one statement. */
interface Owned {
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void>;
}

/** Sets the owner of the saved resources. Resources that the document no longer declares lose their owner. */
async function writeOwner(
  service: Owned,
  [tx, orgId, plan]: [Tx, string, Plan],
  resource: DeclaredResource,
  list: readonly Planned<unknown>[],
): Promise<void> {
  if (plan.owner === null) return;
  await service.own(tx, orgId, toOwn(list), plan.owner);
  await service.own(tx, orgId, releasedOf(plan, resource), null);
}

/**
 * The maximum number of alerts that an apply on the embedded database changes one by one. Each takes 8 ms, during which
 * all other requests wait.
 */
const MOST_IN_INCIDENTS = 300;

/** Saves and removes a plan's websites, endpoints, and alerts, through their services. */
@Injectable()
export class MonitoredSteps {
  constructor(
    private readonly websites: WebsiteService,
    private readonly endpoints: EndpointService,
    private readonly alerts: AlertService,
    private readonly declared: DeclaredAlerts,
    private readonly server: DatabaseServer,
  ) {}

  /** Removes children before parents. Websites are only marked for deletion. Call `purge` after the commit. */
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
    if (this.server.isEmbedded && left.length > MOST_IN_INCIDENTS) throw problems.conflict(tooMany(left.length));
    for (const { id, dto } of left) await this.alerts.update(caller, id, dto);
  }

  async own(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    await writeOwner(this.websites, [tx, orgId, plan], 'website', plan.websites);
    await writeOwner(this.endpoints, [tx, orgId, plan], 'endpoint', plan.endpoints);
    await writeOwner(this.declared, [tx, orgId, plan], 'alert', plan.alerts);
    const withDefaults = plan.endpoints.filter((endpoint) => isNew(endpoint) && !endpoint.hasAlerts);
    const ids = withDefaults.map(({ id }) => id);
    if (plan.owner !== null) await this.declared.ownOfNew(tx, orgId, ids, plan.owner);
  }

  /** Removes the rest of the marked websites. */
  async purge(orgId: string, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'website')) await this.websites.removeMarked(orgId, id);
  }

  /**
   * Adds endpoints with a few statements for each website. Dependencies may be in another website, so they are written
   * once all endpoints exist.
   */
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

const tooMany = (alerts: number): string =>
  `The document changes ${alerts} alerts that have an open incident or a pending message, and the embedded database changes at most ${MOST_IN_INCIDENTS} of them at a time, because all other writes have to wait. Split the document, or use PostgreSQL.`;

const rowsOf = (endpoints: readonly PlannedEndpoint[]): NewEndpoint[] => endpoints.flatMap(({ row }) => row ?? []);

/** Saves and removes a plan's contacts, probes, status pages, and maintenance windows, through their services. */
@Injectable()
export class OtherSteps {
  constructor(
    private readonly contacts: ContactService,
    private readonly ofWebsites: WebsitePageService,
    private readonly pages: PublicPageService,
    private readonly windows: MaintenanceWindowService,
    private readonly probes: ProbeService,
  ) {}

  /** Call this before the endpoints that use them are saved. */
  saveProbes(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    return this.probes.save(tx, orgId, toCreate(plan.probes), toUpdate(plan.probes));
  }

  /** Call this once no endpoint uses them anymore. */
  async removeProbes(orgId: string, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'probe')) await this.probes.remove(orgId, id);
  }

  /** Call this first, so that their slugs, domains, and quotas are free for new ones. */
  async removePagesAndWindows(orgId: string, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'status_page')) await this.pages.remove(orgId, id);
    for (const id of deletedOf(plan, 'maintenance_window')) await this.windows.remove(orgId, id);
  }

  async saveContacts(tx: Tx, caller: Caller, plan: Plan): Promise<void> {
    await this.contacts.createSome(tx, caller, toCreate(plan.contacts));
    await this.contacts.updateSome(tx, caller, toUpdate(plan.contacts));
  }

  /** Call this once no alert uses them anymore. */
  async removeContacts(caller: Caller, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'contact')) await this.contacts.remove(caller, id, {});
  }

  async savePagesAndWindows(tx: Tx, caller: Caller, host: string | undefined, plan: Plan): Promise<void> {
    const { orgId } = caller;
    const author = { caller, host };
    const ofWebsites = plan.websites.flatMap(({ id, page }) => (page ? [{ websiteId: id, dto: page }] : []));
    await this.ofWebsites.updateSome(tx, orgId, ofWebsites);
    await this.pages.createSome(tx, orgId, author, toCreate(plan.pages));
    await this.pages.updateSome(tx, orgId, author, toUpdate(plan.pages));
    await this.windows.createSome(tx, orgId, toCreate(plan.windows));
    await this.windows.updateSome(tx, orgId, toUpdate(plan.windows));
  }

  async ownContactsAndProbes(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    await writeOwner(this.contacts, [tx, orgId, plan], 'contact', plan.contacts);
    await writeOwner(this.probes, [tx, orgId, plan], 'probe', plan.probes);
  }

  async ownPagesAndWindows(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    await writeOwner(this.pages, [tx, orgId, plan], 'status_page', plan.pages);
    await writeOwner(this.windows, [tx, orgId, plan], 'maintenance_window', plan.windows);
  }
}
