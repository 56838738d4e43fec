import { Global, Module } from '@nestjs/common';
import { Health } from './health';
import { HealthController } from './health.controller';
import { Metrics } from './metrics';

@Global()
@Module({ controllers: [HealthController], providers: [Health, Metrics], exports: [Health, Metrics] })
export class ObservabilityModule {}
