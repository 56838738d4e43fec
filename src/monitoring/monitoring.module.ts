import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CheckerModule } from '../checker/checker.module';
import { IcmpHealth } from './icmp-health';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { NetModule } from '../platform/net/net.module';
import { BeforeTrigger } from './before-trigger';
import { EngineMetrics } from './engine.metrics';
import { MonitoringMetrics } from './monitoring.metrics';
import { ResultSink } from './result-sink';
import { MonitoringService } from './monitoring.service';
import { Canary } from './canary';
import { InstanceRegistry } from './instance-registry';
import { OperatorEvents } from './operator-events';
import { OperatorOpenApi } from './operator-openapi';
import { CheckDispatcher } from './schedule/check-dispatcher';
import { CheckPlaces } from './schedule/check-places';
import { ClockJumpRecovery } from './schedule/clock-jump-recovery';
import { Overload } from './schedule/overload';
import { SchedulerHealth } from './schedule/scheduler-health';
import { SlotClaimer } from './schedule/slot-claimer';
import { CheckRunner } from './run/check-runner';
import { CheckerBugs } from './run/checker-bugs';
import { AlertsBeforeTrigger } from './run/alerts-before-trigger';
import { ParentChecks } from './run/parent-checks';
import { ParentsFirst } from './run/parents-first';
import { Connectivity } from './run/connectivity';
import { NearTriggerLookup } from './run/near-trigger';
import { NetworkLookup } from './run/network-state';
import { StallDetector } from './run/stall-detector';
import { BatchTransaction } from './record/batch-transaction';
import { BatchWriter } from './record/batch-writer';
import { CheckRecorder } from './record/check-recorder';
import { EndpointStateStore } from './record/endpoint-state-store';
import { MaintenanceMarks } from './record/maintenance-marks';
import { CheckNowController } from './on-demand/check-now.controller';
import { CheckNowService } from './on-demand/check-now.service';
import { OnDemandChecks } from './on-demand/on-demand-checks';
import { TestEndpointController } from './on-demand/test-endpoint.controller';
import { TestEndpointService } from './on-demand/test-endpoint.service';

@Module({
  imports: [EndpointModule, CheckerModule, AlertModule, HistoryModule, NetModule],
  controllers: [CheckNowController, TestEndpointController],
  providers: [
    MonitoringService,
    MonitoringMetrics,
    EngineMetrics,
    InstanceRegistry,
    Canary,
    OperatorEvents,
    OperatorOpenApi,
    // schedule: which check begins when
    SchedulerHealth,
    Overload,
    SlotClaimer,
    CheckPlaces,
    CheckDispatcher,
    ClockJumpRecovery,
    // run: one check, and whether its failure is the target's
    CheckRunner,
    CheckerBugs,
    StallDetector,
    { provide: BeforeTrigger, useClass: AlertsBeforeTrigger },
    NearTriggerLookup,
    ParentsFirst,
    ParentChecks,
    NetworkLookup,
    Connectivity,
    IcmpHealth,
    // record: results into history, streaks and alerts
    CheckRecorder,
    { provide: ResultSink, useExisting: CheckRecorder },
    BatchWriter,
    BatchTransaction,
    MaintenanceMarks,
    EndpointStateStore,
    // on demand: a client asks for a check
    OnDemandChecks,
    CheckNowService,
    TestEndpointService,
  ],
})
export class MonitoringModule {}
