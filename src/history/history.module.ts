import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { ProbeModule } from '../probe/probe.module';
import { WebsiteModule } from '../website/website.module';
import { CheckListService } from './read/check-list.service';
import { CheckReader } from './read/check-reader';
import { HistoryController } from './history.controller';
import { HistoryEvents } from './history-events';
import { HistoryLocations } from './read/history-location';
import { HistoryMetrics } from './history.metrics';
import { HistoryRetention } from './retention/history-retention';
import { HistoryBacklog } from './write/history-backlog';
import { HistoryWriter } from './write/history-writer';
import { LatencyService } from './read/latency.service';
import { OutageReader } from './read/outage-reader';
import { OverviewController } from './overview/overview.controller';
import { OverviewService } from './overview/overview.service';
import { EndpointMetricsController } from './prometheus/endpoint-metrics.controller';
import { EndpointMetricsService } from './prometheus/endpoint-metrics.service';
import { Partitions } from './write/partitions';
import { HistoryRetentionJob } from './retention/retention.job';
import { RollupJob } from './rollup/rollup.job';
import { RollupSteps } from './rollup/rollup-steps';
import { PlannedTimeReader } from './read/planned-time';
import { StatsReader } from './read/stats-reader';
import { UptimeService } from './read/uptime.service';
import { WebsiteHistoryController } from './website/website-history.controller';
import { WebsiteHistoryService } from './website/website-history.service';

/**
 * The measured data: individual checks, hourly and daily stats, and outages. The recorder writes this data, and these
 * routes read it.
 */
@Module({
  imports: [EndpointModule, WebsiteModule, ProbeModule],
  controllers: [HistoryController, WebsiteHistoryController, OverviewController, EndpointMetricsController],
  providers: [
    Partitions,
    HistoryWriter,
    HistoryBacklog,
    HistoryEvents,
    HistoryMetrics,
    RollupSteps,
    RollupJob,
    HistoryRetention,
    HistoryRetentionJob,
    HistoryLocations,
    StatsReader,
    OutageReader,
    PlannedTimeReader,
    CheckReader,
    CheckListService,
    UptimeService,
    LatencyService,
    WebsiteHistoryService,
    OverviewService,
    EndpointMetricsService,
  ],
  exports: [
    Partitions,
    HistoryWriter,
    HistoryBacklog,
    HistoryRetention,
    HistoryLocations,
    UptimeService,
    OverviewService,
  ],
})
export class HistoryModule {}
