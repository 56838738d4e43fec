import { Injectable } from '@nestjs/common';
import { ContactService } from '../../contact/contact.service';
import { MaintenanceWindowService } from '../../maintenance/maintenance-window.service';
import type { Caller } from '../../platform/access/caller';
import type { Tx } from '../../platform/database/database';
import { PublicPageService } from '../../status-page/settings/public-page.service';
import { WebsitePageService } from '../../status-page/settings/website-page.service';
import type { Plan } from '../plan/plan';
import { deletedOf, toCreate, toUpdate } from './steps';

/** Contacts, status pages and maintenance windows of a plan, through their services. */
@Injectable()
export class OtherSteps {
  constructor(
    private readonly contacts: ContactService,
    private readonly ofWebsites: WebsitePageService,
    private readonly pages: PublicPageService,
    private readonly windows: MaintenanceWindowService,
  ) {}

  /** Their addresses and places are free for what comes. */
  async removePagesAndWindows(orgId: string, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'status_page')) await this.pages.remove(orgId, id);
    for (const id of deletedOf(plan, 'maintenance_window')) await this.windows.remove(orgId, id);
  }

  async saveContacts(tx: Tx, caller: Caller, plan: Plan): Promise<void> {
    await this.contacts.createSome(tx, caller, toCreate(plan.contacts));
    await this.contacts.updateSome(tx, caller, toUpdate(plan.contacts));
  }

  /** When no alert uses them any more. */
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
}
