import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { IncidentAdoption } from './incident-adoption';
import { IncidentController } from './incident.controller';
import { IncidentMetrics } from './incident.metrics';
import { IncidentRecorder } from './incident-recorder';
import { IncidentRegrouping } from './incident-regrouping.service';
import { IncidentStore } from './incident-store';
import { IncidentUpdates } from './incident-updates.service';
import { IncidentService } from './incident.service';

/** Endpoints that went down together, and what people said about it. A label: no alert, event or delivery depends on it. */
@Module({
  imports: [EndpointModule],
  controllers: [IncidentController],
  providers: [
    IncidentService,
    IncidentUpdates,
    IncidentRegrouping,
    IncidentStore,
    IncidentRecorder,
    IncidentAdoption,
    IncidentMetrics,
  ],
  exports: [IncidentService, IncidentStore, IncidentRecorder, IncidentAdoption],
})
export class IncidentModule {}
