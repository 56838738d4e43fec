import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { IncidentAdoption } from './incident-adoption';
import { IncidentRecorder } from './incident-recorder';
import { IncidentMetrics } from './incident.metrics';

/** Endpoints that went down together, and what people said about it. A label: no alert, event or delivery depends on it. */
@Module({
  imports: [EndpointModule],
  providers: [IncidentRecorder, IncidentAdoption, IncidentMetrics],
  exports: [IncidentRecorder, IncidentAdoption],
})
export class IncidentModule {}
