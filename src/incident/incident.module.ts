import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { IncidentController } from './incident.controller';
import { IncidentRegrouping } from './incident-regrouping.service';
import { IncidentStore } from './incident-store';
import { IncidentUpdates } from './incident-updates.service';
import { IncidentService } from './incident.service';
import { IncidentAdoption } from './incident-adoption';
import { IncidentRecorder } from './incident-recorder';
import { IncidentMetrics } from './incident.metrics';

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
