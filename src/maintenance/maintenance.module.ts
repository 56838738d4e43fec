import { Module, type OnModuleInit } from '@nestjs/common';
import { EndpointModule } from '../endpoint/endpoint.module';
import { OrganizationPurge } from '../identity/organization/organization-events';
import { TransactionEvents } from '../platform/events/transaction-events';
import { MaintenanceRetention } from './maintenance-retention.job';
import { MaintenanceSweep } from './maintenance-sweep.job';
import { MaintenanceWindowController } from './maintenance-window.controller';
import { MaintenanceWindowService } from './maintenance-window.service';
import { OccurrencePlanner } from './occurrence-planner.job';
import { Occurrences, OccurrencesChanged } from './occurrences';
import { WindowStore } from './window-store';

/** Windows in which nobody is told. Which of them are in force for what is read by `endpoint/suppression`. */
@Module({
  imports: [EndpointModule],
  controllers: [MaintenanceWindowController],
  providers: [
    MaintenanceWindowService,
    WindowStore,
    Occurrences,
    OccurrencePlanner,
    MaintenanceSweep,
    MaintenanceRetention,
  ],
  exports: [MaintenanceWindowService],
})
export class MaintenanceModule implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly retention: MaintenanceRetention,
    private readonly sweep: MaintenanceSweep,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationPurge, (step, tx) => this.retention.removeSome(tx, step));
    this.events.on(OccurrencesChanged, async (_, tx) => tx.afterCommit(() => this.sweep.wake()));
  }
}
