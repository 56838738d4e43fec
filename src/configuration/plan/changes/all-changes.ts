import { Injectable } from '@nestjs/common';
import type { Contact } from '../../../contact/contact.entity';
import type { Turns } from '../../../platform/time/turns';
import type { Matches } from '../matches';
import type { Plan } from '../plan';
import { AlertChanges } from './alert-changes';
import { ContactChanges } from './contact-changes';
import { EndpointChanges } from './endpoint-changes';
import { PageChanges } from './page-changes';
import type { Planning } from './planning';
import { WebsiteChanges } from './website-changes';
import { WindowChanges } from './window-changes';

type Changes = Pick<Plan, 'contacts' | 'websites' | 'endpoints' | 'alerts' | 'pages' | 'windows'>;

@Injectable()
export class AllChanges {
  constructor(
    private readonly contacts: ContactChanges,
    private readonly websites: WebsiteChanges,
    private readonly endpoints: EndpointChanges,
    private readonly alerts: AlertChanges,
    private readonly pages: PageChanges,
    private readonly windows: WindowChanges,
  ) {}

  /** Plans all changes. `rows` contains the contacts by UUID, and is updated to their planned state. */
  async plan(planning: Planning, matches: Matches, rows: Map<string, Contact>, turns: Turns): Promise<Changes> {
    return {
      contacts: await turns.all(this.contacts.plan(planning, matches.contacts, rows)),
      websites: await turns.all(this.websites.plan(planning, matches.websites)),
      endpoints: await turns.all(this.endpoints.plan(planning, matches.endpoints)),
      alerts: await turns.all(this.alerts.plan(planning, matches.alerts, rows)),
      pages: await turns.all(this.pages.plan(planning, matches.pages)),
      windows: await turns.all(this.windows.plan(planning, matches.windows)),
    };
  }
}
