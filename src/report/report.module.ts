import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { RetentionJob } from '../platform/jobs/retention.job';
import { WebsiteModule } from '../website/website.module';
import { REPORT_LINK_RETENTION } from './link/report-link-retention';
import { ReportLinkController } from './link/report-link.controller';
import { ReportLinkService } from './link/report-link.service';
import { SharedReportController } from './shared/shared-report.controller';
import { SharedReports } from './shared/shared-reports';
import { ReportController } from './uptime/report.controller';
import { ReportReader } from './uptime/report-reader';
import { ReportService } from './uptime/report.service';

/** Reports of uptime, and links through which anyone can read one. */
@Module({
  imports: [EndpointModule, WebsiteModule],
  controllers: [ReportController, ReportLinkController, SharedReportController],
  providers: [ReportReader, ReportService, ReportLinkService, SharedReports],
})
export class ReportModule {
  constructor(retention: RetentionJob) {
    retention.add(REPORT_LINK_RETENTION);
  }
}
