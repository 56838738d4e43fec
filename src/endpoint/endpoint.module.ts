import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CheckerModule } from '../checker/checker.module';
import { TransactionEvents } from '../platform/events/transaction-events';
import { OrganizationPurge } from '../identity/organization/organization-events';
import { RetentionJob } from '../platform/jobs/retention.job';
import { NetModule } from '../platform/net/net.module';
import { ProbeModule } from '../probe/probe.module';
import { WebsitePurge, WebsiteStarted, WebsiteStopped } from '../website/website-events';
import { WebsiteModule } from '../website/website.module';
import { DeletedEndpointController } from './bin/deleted-endpoint.controller';
import { DELETED_ENDPOINT_RETENTION } from './bin/deleted-endpoint-rows';
import { DeletedEndpointService } from './bin/deleted-endpoint.service';
import { CheckDefinitions } from './check-definitions';
import { EndpointRepository } from './endpoint.repository';
import { EndpointPurge } from './endpoint-purge';
import { EndpointSettingsResolver } from './settings/endpoint-settings';
import { TypeSettings } from './settings/type-settings';
import { EndpointSchedule } from './endpoint-schedule';
import { EndpointOpenApi } from './endpoint-openapi';
import { EndpointController } from './endpoint.controller';
import { Endpoint } from './endpoint.entity';
import { EndpointService } from './endpoint.service';
import { MaintenanceCoverage } from './suppression/maintenance-coverage';
import { MaintenanceNowLookup } from './suppression/maintenance-now';
import { EndpointSearchController } from './search/endpoint-search.controller';
import { EndpointSearchService } from './search/endpoint-search.service';
import { SitemapController } from './sitemap/sitemap.controller';
import { SitemapService } from './sitemap/sitemap.service';
import { WebsiteSetupController } from './website-setup.controller';
import { WebsiteSetupService } from './website-setup.service';

@Module({
  imports: [TypeOrmModule.forFeature([Endpoint]), WebsiteModule, CheckerModule, NetModule, ProbeModule],
  controllers: [
    WebsiteSetupController,
    EndpointSearchController,
    SitemapController,
    DeletedEndpointController,
    EndpointController,
  ],
  providers: [
    EndpointService,
    DeletedEndpointService,
    EndpointRepository,
    EndpointSearchService,
    SitemapService,
    EndpointPurge,
    EndpointSettingsResolver,
    TypeSettings,
    EndpointSchedule,
    CheckDefinitions,
    EndpointOpenApi,
    WebsiteSetupService,
    MaintenanceCoverage,
    MaintenanceNowLookup,
  ],
  exports: [
    EndpointService,
    EndpointSchedule,
    CheckDefinitions,
    EndpointSettingsResolver,
    MaintenanceCoverage,
    MaintenanceNowLookup,
  ],
})
export class EndpointModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly endpoints: EndpointService,
    private readonly purge: EndpointPurge,
    retention: RetentionJob,
  ) {
    retention.add(DELETED_ENDPOINT_RETENTION);
  }

  onModuleInit(): void {
    this.events.on(WebsiteStarted, ({ websiteId }, tx) => this.endpoints.startOfWebsite(tx, websiteId));
    this.events.on(WebsiteStopped, ({ orgId, websiteId }, tx) => this.endpoints.stopOfWebsite(tx, orgId, websiteId));
    this.events.on(OrganizationPurge, (step, tx) => this.purge.stopSome(tx, step));
    this.events.on(WebsitePurge, (step, tx) => this.purge.removeSome(tx, step));
  }
}
