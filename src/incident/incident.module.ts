import { Module, type OnModuleInit } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { OrganizationPurge } from '../identity/organization/organization-events';
import { TransactionEvents } from '../platform/events/transaction-events';
import { RetentionJob } from '../platform/jobs/retention.job';
import { WebsitePurge } from '../website/website-events';
import { IncidentAdoption } from './incident-adoption';
import { IncidentController } from './incident.controller';
import { IncidentMetrics } from './incident.metrics';
import { IncidentRecorder } from './incident-recorder';
import { INCIDENT_RETENTION, removeMembers, removeSomeIncidents } from './incident-retention';
import { IncidentRegrouping } from './incident-regrouping.service';
import { IncidentStore } from './incident-store';
import { IncidentUpdates } from './incident-updates.service';
import { IncidentService } from './incident.service';

/**
 * Groups endpoints that went down together, and manages users' updates. An incident is only a label: no alert, event,
 * or delivery depends on it.
 */
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
export class IncidentModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    retention: RetentionJob,
  ) {
    retention.add(INCIDENT_RETENTION);
  }

  onModuleInit(): void {
    this.events.on(WebsitePurge, (step, tx) => removeMembers(tx, step));
    this.events.on(OrganizationPurge, (step, tx) => removeSomeIncidents(tx, step));
  }
}
