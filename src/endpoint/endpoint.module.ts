import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CheckerModule } from '../checker/checker.module';
import { TransactionEvents } from '../platform/events/transaction-events';
import { OrganizationPurge } from '../identity/organization/organization-events';
import { NetModule } from '../platform/net/net.module';
import { WebsitePurge, WebsiteStarted, WebsiteStopped } from '../website/website-events';
import { WebsiteModule } from '../website/website.module';
import { CheckDefinitions } from './check-definition';
import { EndpointRepository } from './endpoint.repository';
import { EndpointPurge } from './endpoint-purge';
import { EndpointSettingsResolver } from './endpoint-settings';
import { EndpointSchedule } from './endpoint-schedule';
import { EndpointOpenApi } from './endpoint-openapi';
import { EndpointsStopped } from './endpoint-events';
import { EndpointController } from './endpoint.controller';
import { Endpoint } from './endpoint.entity';
import { EndpointService } from './endpoint.service';

@Module({
  imports: [TypeOrmModule.forFeature([Endpoint]), WebsiteModule, CheckerModule, NetModule],
  controllers: [EndpointController],
  providers: [
    EndpointService,
    EndpointRepository,
    EndpointPurge,
    EndpointSettingsResolver,
    EndpointSchedule,
    CheckDefinitions,
    EndpointOpenApi,
  ],
  exports: [EndpointService, EndpointSchedule, CheckDefinitions, EndpointSettingsResolver],
})
export class EndpointModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly endpoints: EndpointService,
    private readonly purge: EndpointPurge,
  ) {}

  onModuleInit(): void {
    this.events.on(WebsiteStarted, ({ websiteId }, tx) => this.endpoints.followWebsite(tx, websiteId, true));
    this.events.on(WebsiteStopped, async ({ orgId, websiteId }, tx) => {
      const endpointIds = await this.endpoints.lockOfWebsite(tx, websiteId);
      await this.endpoints.followWebsite(tx, websiteId, false);
      if (endpointIds.length > 0) await this.events.emit(new EndpointsStopped(orgId, endpointIds, 'disabled'), tx);
    });
    this.events.on(OrganizationPurge, (step, tx) => this.purge.stopSome(tx, step));
    this.events.on(WebsitePurge, (step, tx) => this.purge.removeSome(tx, step));
  }
}
