import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CheckerModule } from '../checker/checker.module';
import { IcmpHealth } from './icmp-health';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { NetModule } from '../platform/net/net.module';
import { BeforeTrigger } from '../engine/before-trigger';
import { EngineMetrics } from '../engine/engine.metrics';
import { MonitoringMetrics } from './monitoring.metrics';
import { ResultSink } from '../engine/result-sink';
import { MonitoringService } from './monitoring.service';
import { Canary } from './canary';
import { InstanceRegistry } from './instance-registry';
import { OperatorEvents } from './operator-events';
import { OperatorOpenApi } from './operator-openapi';
import { CheckDispatcher } from '../engine/dispatch/check-dispatcher';
import { CheckPlaces } from '../engine/dispatch/check-places';
import { ClockJumpRecovery } from './source/scheduled/clock-jump-recovery';
import { Overload } from '../engine/dispatch/overload';
import { SchedulerHealth } from './source/scheduled/scheduler-health';
import { SlotClaimer } from './source/scheduled/slot-claimer';
import { CheckRunner } from '../engine/run/check-runner';
import { CheckerBugs } from '../engine/run/checker-bugs';
import { AlertsBeforeTrigger } from './before-trigger/alerts-before-trigger';
import { ParentChecks } from './before-trigger/parent-checks';
import { ParentsFirst } from './before-trigger/parents-first';
import { Connectivity } from '../engine/run/connectivity';
import { NearTriggerLookup } from './before-trigger/near-trigger';
import { NetworkLookup } from '../engine/run/network-state';
import { StallDetector } from '../engine/run/stall-detector';
import { BatchTransaction } from './record/batch-transaction';
import { BatchWriter } from './record/batch-writer';
import { CheckRecorder } from './record/check-recorder';
import { EndpointStateStore } from './record/endpoint-state-store';
import { MaintenanceMarks } from './record/maintenance-marks';
import { CheckNowController } from './source/on-demand/check-now.controller';
import { CheckNowService } from './source/on-demand/check-now.service';
import { OnDemandChecks } from './source/on-demand/on-demand-checks';
import { TestEndpointController } from './source/on-demand/test-endpoint.controller';
import { TestEndpointService } from './source/on-demand/test-endpoint.service';

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
