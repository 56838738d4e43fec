import { Module, type OnModuleInit } from '@nestjs/common';
import { EndpointsStopped, HeartbeatsChanged, StatusEnded, SuppressionEnded } from '../endpoint/endpoint-events';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { MonitoringModule } from '../monitoring/monitoring.module';
import { TransactionEvents } from '../platform/events/transaction-events';
import { OpenApiParts } from '../platform/openapi/openapi-parts';
import { HeartbeatCreation } from './heartbeat-creation';
import { HeartbeatExpectation } from './heartbeat-expectation';
import { HeartbeatMetrics } from './heartbeat.metrics';
import { HeartbeatController } from './heartbeat.controller';
import { HeartbeatService } from './heartbeat.service';
import { HeartbeatSweep } from './heartbeat-sweep.job';
import { HeartbeatChecker } from './heartbeat.checker';
import { IngestPresence } from './ingest-presence';
import { withPings } from './ping-openapi';
import { PingMiddleware } from './ping.middleware';
import { PingService } from './ping.service';
import { VerdictRecorder } from './verdict-recorder';
import { VerdictRepeat } from './verdict-repeat';

@Module({
  imports: [EndpointModule, HistoryModule, MonitoringModule],
  controllers: [HeartbeatController],
  providers: [
    HeartbeatService,
    HeartbeatChecker,
    HeartbeatExpectation,
    HeartbeatSweep,
    HeartbeatMetrics,
    IngestPresence,
    VerdictRecorder,
    VerdictRepeat,
    PingService,
    HeartbeatCreation,
    PingMiddleware,
  ],
})
export class HeartbeatModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly expectation: HeartbeatExpectation,
    private readonly repeat: VerdictRepeat,
    private readonly document: OpenApiParts,
  ) {}

  onModuleInit(): void {
    this.document.add([], withPings);
    this.events.on(HeartbeatsChanged, ({ endpointIds }, tx) => this.expectation.beginAgain(tx, endpointIds));
    this.events.on(SuppressionEnded, ({ of }, tx) => this.repeat.of(tx, of));
    // A parent that is no longer monitored suppresses nothing.
    this.events.on(StatusEnded, ({ endpointIds }, tx) => this.repeat.of(tx, { parentIds: endpointIds }));
    this.events.on(EndpointsStopped, async ({ endpointIds, reason }, tx) => {
      if (reason === 'deleted') await this.repeat.of(tx, { parentIds: endpointIds });
    });
  }
}
