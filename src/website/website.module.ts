import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrganizationDeleted, OrganizationPurge } from '../identity/organization/organization-events';
import { TransactionEvents } from '../platform/events/transaction-events';
import { WebsitePurgeJob } from './website-purge.job';
import { WebsiteController } from './website.controller';
import { Website } from './website.entity';
import { WebsiteService } from './website.service';

@Module({
  imports: [TypeOrmModule.forFeature([Website])],
  controllers: [WebsiteController],
  providers: [WebsiteService, WebsitePurgeJob],
  exports: [WebsiteService],
})
export class WebsiteModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly websites: WebsiteService,
    private readonly purge: WebsitePurgeJob,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationDeleted, ({ orgId }, tx) => this.websites.markAll(orgId, tx));
    this.events.on(OrganizationPurge, (step, tx) => this.purge.purgeOf(tx, step));
  }
}
