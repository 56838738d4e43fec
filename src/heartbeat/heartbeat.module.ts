import { Module, type OnModuleInit } from '@nestjs/common';
import { HeartbeatsChanged } from '../endpoint/endpoint-events';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { MonitoringModule } from '../monitoring/monitoring.module';
import { TransactionEvents } from '../platform/events/transaction-events';
import { HeartbeatCreation } from './heartbeat-creation';
import { HeartbeatExpectation } from './heartbeat-expectation';
import { HeartbeatController } from './heartbeat.controller';
import { HeartbeatService } from './heartbeat.service';
import { HeartbeatSweep } from './heartbeat-sweep.job';
import { HeartbeatChecker } from './heartbeat.checker';
import { IngestPresence } from './ingest-presence';
import { PingMiddleware } from './ping.middleware';
import { PingService } from './ping.service';
import { VerdictRecorder } from './verdict-recorder';

@Module({
  imports: [EndpointModule, HistoryModule, MonitoringModule],
  controllers: [HeartbeatController],
  providers: [
    HeartbeatService,
    HeartbeatChecker,
    HeartbeatExpectation,
    HeartbeatSweep,
    IngestPresence,
    VerdictRecorder,
    PingService,
    HeartbeatCreation,
    PingMiddleware,
  ],
})
export class HeartbeatModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly expectation: HeartbeatExpectation,
  ) {}

  onModuleInit(): void {
    this.events.on(HeartbeatsChanged, ({ endpointIds }, tx) => this.expectation.beginAgain(tx, endpointIds));
  }
}
