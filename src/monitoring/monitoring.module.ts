import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { CheckerModule } from '../checker/checker.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { HistoryModule } from '../history/history.module';
import { NetModule } from '../platform/net/net.module';
import { CheckDispatcher } from './check-dispatcher';
import { CheckOnDemandController } from './check-on-demand.controller';
import { CheckOnDemandService } from './check-on-demand.service';
import { CheckRecorder } from './check-recorder';
import { CheckRunner } from './check-runner';
import { ClockRepair } from './clock-repair';
import { Confirmations } from './confirmations';
import { Connectivity } from './connectivity';
import { EndpointStateStore } from './endpoint-state-store';
import { EngineClock } from './engine-clock';
import { IcmpReport } from './icmp-report';
import { InstanceRegistry } from './instance-registry';
import { MonitoringMetrics } from './monitoring.metrics';
import { MonitoringService } from './monitoring.service';
import { Retention } from './retention';
import { StallGuard } from './stall-guard';

@Module({
  imports: [EndpointModule, CheckerModule, AlertModule, HistoryModule, NetModule],
  controllers: [CheckOnDemandController],
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
    Retention,
    IcmpReport,
    CheckOnDemandService,
    MonitoringMetrics,
  ],
})
export class MonitoringModule {}
