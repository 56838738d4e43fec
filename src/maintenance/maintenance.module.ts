import { Module, type OnModuleInit } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { OrganizationPurge } from '../identity/organization/organization-events';
import { TransactionEvents } from '../platform/events/transaction-events';
import { RetentionJob } from '../platform/jobs/retention.job';
import { MAINTENANCE_RETENTION, removeSomeWindows } from './maintenance-retention';
import { MaintenanceSweep } from './maintenance-sweep.job';
import { MaintenanceWindowController } from './maintenance-window.controller';
import { MaintenanceWindowService } from './maintenance-window.service';
import { OccurrencePlanner } from './occurrence-planner.job';
import { Occurrences, OccurrencesChanged } from './occurrences';
import { WindowStore } from './window-store';

/** Windows in which notifications are muted. `endpoint/suppression` reads which of them are active. */
@Module({
  imports: [EndpointModule],
  controllers: [MaintenanceWindowController],
  providers: [MaintenanceWindowService, WindowStore, Occurrences, OccurrencePlanner, MaintenanceSweep],
  exports: [MaintenanceWindowService],
})
export class MaintenanceModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly sweep: MaintenanceSweep,
    retention: RetentionJob,
  ) {
    retention.add(MAINTENANCE_RETENTION);
  }

  onModuleInit(): void {
    this.events.on(OrganizationPurge, (step, tx) => removeSomeWindows(tx, step));
    this.events.on(OccurrencesChanged, async (_, tx) => tx.afterCommit(() => this.sweep.wake()));
  }
}
