import { Injectable } from '@nestjs/common';
import { ContactService } from '../../contact/contact.service';
import { MaintenanceWindowService } from '../../maintenance/maintenance-window.service';
import type { Caller } from '../../platform/access/caller';
import { PublicPageService } from '../../status-page/settings/public-page.service';
import { WebsitePageService } from '../../status-page/settings/website-page.service';
import type { Plan } from '../plan/plan';
import { deletedOf, isNew, toUpdate } from './steps';

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

  async saveContacts(caller: Caller, plan: Plan): Promise<void> {
    for (const { id, dto } of plan.contacts.filter(isNew)) if (dto) await this.contacts.create(caller, dto, id);
    for (const { id, dto } of toUpdate(plan.contacts)) await this.contacts.update(caller, id, dto);
  }

  /** When no alert uses them any more. */
  async removeContacts(caller: Caller, plan: Plan): Promise<void> {
    for (const id of deletedOf(plan, 'contact')) await this.contacts.remove(caller, id, {});
  }

  async savePagesAndWindows(caller: Caller, host: string | undefined, plan: Plan): Promise<void> {
    const { orgId } = caller;
    const author = { caller, host };
    for (const { id, page } of plan.websites) if (page) await this.ofWebsites.update(orgId, id, page);
    for (const { id, dto } of plan.pages.filter(isNew)) if (dto) await this.pages.create(orgId, author, dto, id);
    for (const { id, dto } of toUpdate(plan.pages)) await this.pages.update(orgId, author, id, dto);
    for (const { id, dto } of plan.windows.filter(isNew)) if (dto) await this.windows.create(orgId, dto, id);
    for (const { id, dto } of toUpdate(plan.windows)) await this.windows.update(orgId, id, dto);
  }
}
