import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CheckerModule } from '../checker/checker.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { NetModule } from '../platform/net/net.module';
import { CheckDispatcher } from './schedule/check-dispatcher';
import { CheckNowController } from './on-demand/check-now.controller';
import { CheckNowService } from './on-demand/check-now.service';
import { CheckRecorder } from './record/check-recorder';
import { CheckRunner } from './run/check-runner';
import { ClockJumpRecovery } from './schedule/clock-jump-recovery';
import { NearTriggerLookup } from './run/near-trigger';
import { Connectivity } from './run/connectivity';
import { EndpointStateStore } from './record/endpoint-state-store';
import { SchedulerHealth } from './schedule/scheduler-health';
import { SlotClaimer } from './schedule/slot-claimer';
import { InstanceRegistry } from './instance-registry';
import { MonitoringMetrics } from './monitoring.metrics';
import { MonitoringService } from './monitoring.service';
import { TestEndpointController } from './on-demand/test-endpoint.controller';
import { TestEndpointService } from './on-demand/test-endpoint.service';
import { StallDetector } from './run/stall-detector';

@Module({
  imports: [EndpointModule, CheckerModule, AlertModule, HistoryModule, NetModule],
  controllers: [CheckNowController, TestEndpointController],
  providers: [
    MonitoringService,
    ClockJumpRecovery,
    SchedulerHealth,
    SlotClaimer,
    InstanceRegistry,
    CheckDispatcher,
    CheckRunner,
    CheckRecorder,
    EndpointStateStore,
    NearTriggerLookup,
    Connectivity,
    StallDetector,
    CheckNowService,
    TestEndpointService,
    MonitoringMetrics,
  ],
})
export class MonitoringModule {}
