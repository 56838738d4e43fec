import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CheckerModule } from '../checker/checker.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { NetModule } from '../platform/net/net.module';
import { CheckDispatcher } from './schedule/check-dispatcher';
import { CheckOnDemandController } from './on-demand/check-now.controller';
import { CheckOnDemandService } from './on-demand/check-now.service';
import { CheckRecorder } from './record/check-recorder';
import { CheckRunner } from './run/check-runner';
import { ClockRepair } from './schedule/clock-jump-recovery';
import { Confirmations } from './run/near-trigger';
import { Connectivity } from './run/connectivity';
import { EndpointStateStore } from './record/endpoint-state-store';
import { EngineClock } from './schedule/scheduler-health';
import { InstanceRegistry } from './instance-registry';
import { MonitoringMetrics } from './monitoring.metrics';
import { MonitoringService } from './monitoring.service';
import { TrialController } from './on-demand/test-endpoint.controller';
import { TrialService } from './on-demand/test-endpoint.service';
import { StallGuard } from './run/stall-detector';

@Module({
  imports: [EndpointModule, CheckerModule, AlertModule, HistoryModule, NetModule],
  controllers: [CheckOnDemandController, TrialController],
  providers: [
    MonitoringService,
    ClockRepair,
    EngineClock,
    InstanceRegistry,
    CheckDispatcher,
    CheckRunner,
    CheckRecorder,
    EndpointStateStore,
    Confirmations,
    Connectivity,
    StallGuard,
    CheckOnDemandService,
    TrialService,
    MonitoringMetrics,
  ],
})
export class MonitoringModule {}
