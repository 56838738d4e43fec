import { Module } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { IncidentController } from './incident.controller';
import { IncidentRegrouping } from './incident-regrouping.service';
import { IncidentStore } from './incident-store';
import { IncidentUpdates } from './incident-updates.service';
import { IncidentService } from './incident.service';

/** Endpoints that went down together, and what people said about it. A label: no alert, event or delivery depends on it. */
@Module({
  imports: [EndpointModule],
  controllers: [IncidentController],
  providers: [IncidentService, IncidentUpdates, IncidentRegrouping, IncidentStore],
  exports: [IncidentService, IncidentStore],
})
export class IncidentModule {}
