import { Module, type OnModuleInit } from '@nestjs/common';
import { OrganizationDeleted } from '../identity/organization/organization-events';
import { IncidentChanged } from '../incident/incident-events';
import { TransactionEvents } from '../platform/events/transaction-events';
import { mayShow } from './page-incidents';
import { WebsitesDeleted } from '../website/website-events';
import { WebsiteModule } from '../website/website.module';
import { Announcements } from './announcements';
import { HostedPages } from './public/hosted-pages';
import { PageDomains } from './public/page-domains';
import { PublicIncidents } from './public-incidents';
import { PublicPages } from './public/public-pages';
import { PublicStatusController } from './public/public-status.controller';
import { RobotsController } from './public/robots.controller';
import { PublicStatusService } from './public/public-status.service';
import { PageContents } from './settings/page-contents';
import { PublicPageController } from './settings/public-page.controller';
import { PublicPageService } from './settings/public-page.service';
import { WebsitePageController } from './settings/website-page.controller';
import { WebsitePageService } from './settings/website-page.service';
import { StatusSnapshots } from './status-snapshot';

/** Public status pages, feeds, and badges. They are not public until a user publishes them. */
@Module({
  imports: [WebsiteModule],
  controllers: [WebsitePageController, PublicPageController, PublicStatusController, RobotsController],
  providers: [
    WebsitePageService,
    PublicPageService,
    PageContents,
    Announcements,
    PublicIncidents,
    StatusSnapshots,
    PublicPages,
    PublicStatusService,
    PageDomains,
    HostedPages,
  ],
  exports: [WebsitePageService, PublicPageService],
})
export class StatusPageModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly ofWebsites: WebsitePageService,
    private readonly pages: PublicPageService,
    private readonly publicPages: PublicPages,
  ) {}

  onModuleInit(): void {
    this.events.on(WebsitesDeleted, ({ websiteIds }, tx) => this.ofWebsites.forget(tx, websiteIds));
    this.events.on(OrganizationDeleted, ({ orgId }, tx) => this.pages.removeAll(orgId, tx));
    this.events.on(IncidentChanged, (changed, tx) => {
      if (mayShow(changed)) tx.afterCommit(() => this.publicPages.changed(changed.incident.orgId));
      return Promise.resolve();
    });
  }
}
