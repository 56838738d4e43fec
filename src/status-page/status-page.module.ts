import { Module, type OnModuleInit } from '@nestjs/common';
import { HistoryModule } from '../history/history.module';
import { TransactionEvents } from '../platform/events/transaction-events';
import { WebsitesDeleted } from '../website/website-events';
import { WebsiteModule } from '../website/website.module';
import { PublicPages } from './public-pages';
import { PublicStatusController } from './public-status.controller';
import { PublicStatusService } from './public-status.service';
import { StatusPageController } from './status-page.controller';
import { StatusPageService } from './status-page.service';
import { StatusSnapshots } from './status-snapshot';

/** Public status pages and badges, off by default for each website. */
@Module({
  imports: [WebsiteModule, HistoryModule],
  controllers: [StatusPageController, PublicStatusController],
  providers: [StatusPageService, StatusSnapshots, PublicPages, PublicStatusService],
})
export class StatusPageModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly pages: StatusPageService,
  ) {}

  onModuleInit(): void {
    this.events.on(WebsitesDeleted, ({ websiteIds }, tx) => this.pages.forget(tx, websiteIds));
  }
}
