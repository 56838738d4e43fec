import { Injectable } from '@nestjs/common';
import { DeclaredAlerts } from '../../alert/declared-alerts.service';
import { ContactService } from '../../contact/contact.service';
import { EndpointService } from '../../endpoint/endpoint.service';
import { MaintenanceWindowService } from '../../maintenance/maintenance-window.service';
import type { Tx } from '../../platform/database/database';
import { PublicPageService } from '../../status-page/settings/public-page.service';
import { WebsiteService } from '../../website/website.service';
import type { Plan } from '../plan/plan';
import { isNew, releasedOf, toOwn } from './steps';

/** Writes who declares what a plan has saved, a statement for each table. */
@Injectable()
export class Owners {
  constructor(
    private readonly contacts: ContactService,
    private readonly websites: WebsiteService,
    private readonly endpoints: EndpointService,
    private readonly alerts: DeclaredAlerts,
    private readonly pages: PublicPageService,
    private readonly windows: MaintenanceWindowService,
  ) {}

  async write(tx: Tx, orgId: string, owner: string, plan: Plan): Promise<void> {
    await this.contacts.own(tx, orgId, toOwn(plan.contacts), owner);
    await this.websites.own(tx, orgId, toOwn(plan.websites), owner);
    await this.endpoints.own(tx, orgId, toOwn(plan.endpoints), owner);
    await this.alerts.own(tx, orgId, toOwn(plan.alerts), owner);
    const unnamed = plan.endpoints.filter((endpoint) => isNew(endpoint) && !endpoint.hasAlerts);
    await this.alerts.ownOfNew(
      tx,
      orgId,
      unnamed.map(({ id }) => id),
      owner,
    );
    await this.pages.own(tx, orgId, toOwn(plan.pages), owner);
    await this.windows.own(tx, orgId, toOwn(plan.windows), owner);
  }

  /** What the document no longer declares has no owner from now on. */
  async release(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    await this.contacts.own(tx, orgId, releasedOf(plan, 'contact'), null);
    await this.websites.own(tx, orgId, releasedOf(plan, 'website'), null);
    await this.endpoints.own(tx, orgId, releasedOf(plan, 'endpoint'), null);
    await this.alerts.own(tx, orgId, releasedOf(plan, 'alert'), null);
    await this.pages.own(tx, orgId, releasedOf(plan, 'status_page'), null);
    await this.windows.own(tx, orgId, releasedOf(plan, 'maintenance_window'), null);
  }
}
