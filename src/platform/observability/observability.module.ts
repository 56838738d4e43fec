import { Global, Module } from '@nestjs/common';
import { NetModule } from '../net/net.module';
import { EventLoopLag } from './event-loop-lag';
import { EventLoopMetrics } from './event-loop-metrics';
import { Health } from './health';
import { HealthController } from './health.controller';
import { Heartbeat } from './heartbeat';
import { Metrics } from './metrics';

/** Health, metrics and heartbeat: what operators and their tools see of the process. */
@Global()
@Module({
  imports: [NetModule],
  controllers: [HealthController],
  providers: [Health, Metrics, Heartbeat, EventLoopLag, EventLoopMetrics],
  exports: [Health, Metrics, Heartbeat, EventLoopLag],
})
export class ObservabilityModule {}
