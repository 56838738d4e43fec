import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { WebsiteModule } from '../website/website.module';
import { CheckListService } from './check-list.service';
import { CheckReader } from './check-reader';
import { HistoryController } from './history.controller';
import { HistoryEvents } from './history-events';
import { HistoryMetrics } from './history.metrics';
import { HistoryRetention } from './history-retention';
import { HistoryWriter } from './history-writer';
import { LatencyService } from './latency.service';
import { OutageReader } from './outage-reader';
import { OverviewController } from './overview.controller';
import { OverviewService } from './overview.service';
import { Partitions } from './partitions';
import { Rollup } from './rollup';
import { RollupSteps } from './rollup-steps';
import { TallyReader } from './tally-reader';
import { UptimeService } from './uptime.service';

/** What was seen: single checks, hourly and daily figures, outages; written by the recorder, read by these routes. */
@Module({
  imports: [EndpointModule, WebsiteModule],
  controllers: [HistoryController, OverviewController],
  providers: [
    Partitions,
    HistoryWriter,
    HistoryEvents,
    HistoryMetrics,
    RollupSteps,
    Rollup,
    HistoryRetention,
    TallyReader,
    OutageReader,
    CheckReader,
    CheckListService,
    UptimeService,
    LatencyService,
    OverviewService,
  ],
  exports: [Partitions, HistoryWriter, HistoryRetention, UptimeService, OverviewService],
})
export class HistoryModule {}
