import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OrganizationDeleted } from '../identity/organization/organization.service';
import { TransactionEvents } from '../platform/events/transaction-events';
import { WebsiteController } from './website.controller';
import { Website } from './website.entity';
import { WebsiteService } from './website.service';

@Module({
  imports: [TypeOrmModule.forFeature([Website])],
  controllers: [WebsiteController],
  providers: [WebsiteService],
  exports: [WebsiteService],
})
export class WebsiteModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly websites: WebsiteService,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationDeleted, ({ orgId }, tx) => this.websites.removeAll(orgId, tx));
  }
}
