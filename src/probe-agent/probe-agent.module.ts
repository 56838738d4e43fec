import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { CheckerModule } from '../checker/checker.module';
import { BeforeTrigger } from '../engine/before-trigger';
import { ENGINE } from '../engine/engine.providers';
import { ResultSink } from '../engine/result-sink';
import { NetworkLookup } from '../engine/run/network-state';
import type { Config } from '../platform/config/config';
import { ConfigModule } from '../platform/config/config.module';
import { ServerAccess } from '../platform/config/probe-config';
import { BackgroundJobs } from '../platform/jobs/background-job';
import { MemoryTrimJob } from '../platform/jobs/memory-trim.job';
import { NetModule } from '../platform/net/net.module';
import { EventLoopLag } from '../platform/observability/event-loop-lag';
import { EventLoopMetrics } from '../platform/observability/event-loop-metrics';
import { Health } from '../platform/observability/health';
import { Metrics } from '../platform/observability/metrics';
import { WatchdogPing } from '../platform/observability/watchdog-ping';
import { TimeModule } from '../platform/time/time.module';
import { Asks } from './asks';
import { PollLoop } from './poll-loop';
import { PollRequests } from './poll-requests';
import { ProbeHttp } from './probe-http';
import { ProbeNetwork } from './probe-network';
import { ProbeAgentMetrics } from './probe-agent.metrics';
import { ProbeAgentService } from './probe-agent.service';
import { ResultBuffer } from './results/result-buffer';
import { ResultSender } from './results/result-sender';
import { ProbeSession } from './server/probe-session';
import { ServerClock } from './server/server-clock';
import { ServerConnection } from './server/server-connection';
import { Assignments } from './slots/assignments';
import { ConfirmAtStreak } from './slots/confirm-at-streak';
import { DefinitionReader } from './slots/definition-reader';
import { SlotSource } from './slots/slot-source';
import { Work } from './work';

/** The parts of the observability and jobs modules that every process needs, without a database or routes. */
@Global()
@Module({
  providers: [Health, Metrics, WatchdogPing, EventLoopLag, EventLoopMetrics, BackgroundJobs, MemoryTrimJob],
  exports: [Health, Metrics, WatchdogPing, EventLoopLag, BackgroundJobs],
})
class ProbePlatformModule {}

/** The whole program with `ROLE=probe`. */
@Module({})
export class ProbeAgentModule {
  static forRoot(config: Config, access: ServerAccess): DynamicModule {
    return {
      module: ProbeAgentModule,
      imports: [
        ConfigModule.forRoot(config),
        ScheduleModule.forRoot(),
        TimeModule,
        NetModule,
        ProbePlatformModule,
        CheckerModule,
      ],
      providers: [
        ...ENGINE,
        { provide: NetworkLookup, useClass: ProbeNetwork },
        { provide: BeforeTrigger, useClass: ConfirmAtStreak },
        { provide: ResultSink, useExisting: ResultBuffer },
        // server: the connection to the service
        { provide: ServerAccess, useValue: access },
        ProbeSession,
        ServerClock,
        ServerConnection,
        // slots: which checks are due when
        DefinitionReader,
        Assignments,
        SlotSource,
        // results: held until the service has them
        ResultBuffer,
        ResultSender,
        Asks,
        Work,
        PollRequests,
        PollLoop,
        ProbeAgentMetrics,
        ProbeHttp,
        ProbeAgentService,
      ],
    };
  }
}
