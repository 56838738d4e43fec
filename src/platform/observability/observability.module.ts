import { Global, Module } from '@nestjs/common';
import { NetModule } from '../net/net.module';
import { DatabaseHealth } from './database-health';
import { EventLoopLag } from './event-loop-lag';
import { EventLoopMetrics } from './event-loop-metrics';
import { Health } from './health';
import { HealthController } from './health.controller';
import { WatchdogPing } from './watchdog-ping';
import { Metrics } from './metrics';

/** Provides health, metrics, and the watchdog ping, with which operators and their tools monitor the process. */
@Global()
@Module({
  imports: [NetModule],
  controllers: [HealthController],
  providers: [Health, DatabaseHealth, Metrics, WatchdogPing, EventLoopLag, EventLoopMetrics],
  exports: [Health, Metrics, WatchdogPing, EventLoopLag],
})
export class ObservabilityModule {}
