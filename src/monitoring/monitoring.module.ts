import { Global, Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CheckerModule } from '../checker/checker.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { BeforeTrigger } from '../engine/before-trigger';
import { ENGINE } from '../engine/engine.providers';
import { ResultSink } from '../engine/result-sink';
import { Connectivity } from '../engine/run/connectivity';
import { HistoryModule } from '../history/history.module';
import { RetentionJob } from '../platform/jobs/retention.job';
import { NetModule } from '../platform/net/net.module';
import { ProbeModule } from '../probe/probe.module';
import { AlertsBeforeTrigger } from './before-trigger/alerts-before-trigger';
import { NearTriggerLookup } from './before-trigger/near-trigger';
import { ParentChecks } from './before-trigger/parent-checks';
import { ParentsFirst } from './before-trigger/parents-first';
import { ProbeFailures } from './before-trigger/probe-failures';
import { Canary } from './canary';
import { IcmpHealth } from './icmp-health';
import { InstanceRegistry } from './instance-registry';
import { MonitoringMetrics } from './monitoring.metrics';
import { MonitoringService } from './monitoring.service';
import { OperatorEvents } from './operator-events';
import { OperatorOpenApi } from './operator-openapi';
import { BatchTransaction } from './record/batch-transaction';
import { BatchWriter } from './record/batch-writer';
import { CheckRecorder } from './record/check-recorder';
import { EndpointStateStore } from './record/endpoint-state-store';
import { LocationAsks } from './record/location-asks';
import { LocationSweep } from './record/location-sweep';
import { ProbeAsks } from './probes/ask/probe-asks';
import { ProbeChecks } from './probes/ask/probe-checks';
import { WaitingPolls } from './probes/ask/waiting-polls';
import { AssignedEndpoints } from './probes/intake/assigned-endpoints';
import { IntakeService } from './probes/intake/intake.service';
import { ProbeResults } from './probes/intake/probe-results';
import { Assignments } from './probes/poll/assignments';
import { PollCursors } from './probes/poll/poll-cursors';
import { PollService } from './probes/poll/poll.service';
import { ProbeNumberingJob } from './probes/poll/probe-numbering.job';
import { ProbeSessions } from './probes/poll/probe-sessions';
import { PROBE_RETENTION, ProbePresenceJob } from './probes/presence/probe-presence.job';
import { ProbeChecker } from './probes/presence/probe.checker';
import { ProtocolController } from './probes/protocol.controller';
import { ProbeMetrics } from './probes/probe.metrics';
import { ReplyTimes } from './probes/reply-times';
import { CheckNowController } from './source/on-demand/check-now.controller';
import { CheckNowService } from './source/on-demand/check-now.service';
import { OnDemandChecks } from './source/on-demand/on-demand-checks';
import { ShownRecords } from './source/on-demand/shown-records';
import { TestEndpointController } from './source/on-demand/test-endpoint.controller';
import { TestEndpointService } from './source/on-demand/test-endpoint.service';
import { ClockJumpRecovery } from './source/scheduled/clock-jump-recovery';
import { SchedulerHealth } from './source/scheduled/scheduler-health';
import { SlotClaimer } from './source/scheduled/slot-claimer';
import { PassiveResultRecorder } from './source/passive/passive-result-recorder';
import { PassiveResults } from './source/passive/passive-results';

/** Global, because an extension's module may inject `PassiveResults`. */
@Global()
@Module({
  imports: [EndpointModule, CheckerModule, AlertModule, HistoryModule, NetModule, ProbeModule],
  controllers: [CheckNowController, TestEndpointController, ProtocolController],
  providers: [
    ...ENGINE,
    MonitoringService,
    MonitoringMetrics,
    InstanceRegistry,
    Canary,
    OperatorEvents,
    OperatorOpenApi,
    IcmpHealth,
    // source: why a check runs
    SchedulerHealth,
    SlotClaimer,
    ClockJumpRecovery,
    OnDemandChecks,
    ShownRecords,
    CheckNowService,
    TestEndpointService,
    { provide: PassiveResults, useClass: PassiveResultRecorder },
    // before trigger: what happens before a failed check is recorded
    { provide: BeforeTrigger, useClass: AlertsBeforeTrigger },
    NearTriggerLookup,
    ParentsFirst,
    ParentChecks,
    ProbeFailures,
    // record: writes results to history, streaks, and alerts
    { provide: ResultSink, useExisting: CheckRecorder },
    CheckRecorder,
    BatchWriter,
    BatchTransaction,
    EndpointStateStore,
    LocationAsks,
    LocationSweep,
    // probes: checks that run on probes
    ProbeSessions,
    PollCursors,
    PollService,
    Assignments,
    ProbeNumberingJob,
    AssignedEndpoints,
    IntakeService,
    ProbeResults,
    ReplyTimes,
    ProbeAsks,
    WaitingPolls,
    ProbeChecks,
    ProbePresenceJob,
    ProbeChecker,
    ProbeMetrics,
  ],
  exports: [CheckRecorder, Connectivity, PassiveResults],
})
export class MonitoringModule {
  constructor(retention: RetentionJob) {
    retention.add(PROBE_RETENTION);
  }
}
