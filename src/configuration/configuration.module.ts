import { Module } from '@nestjs/common';
import { AlertModule } from '../alert/alert.module';
import { ContactModule } from '../contact/contact.module';
import { DeliveryModule } from '../delivery/delivery.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { MaintenanceModule } from '../maintenance/maintenance.module';
import { ProbeModule } from '../probe/probe.module';
import { StatusPageModule } from '../status-page/status-page.module';
import { WebsiteModule } from '../website/website.module';
import { ApplyLocks } from './apply/apply-locks';
import { ApplyService } from './apply/apply.service';
import { MonitoredSteps, OtherSteps } from './apply/steps';
import { ConfigurationController } from './configuration.controller';
import { ConfigurationService } from './configuration.service';
import { ConvertController } from './convert/convert.controller';
import { ConvertService } from './convert/convert.service';
import { ExportController } from './export/export.controller';
import { ExportService } from './export/export.service';
import { ExportedConfigs } from './export/declarations';
import { AllChanges } from './plan/changes/all-changes';
import { AlertChanges } from './plan/changes/alert-changes';
import { ContactChanges } from './plan/changes/contact-changes';
import { EndpointChanges } from './plan/changes/endpoint-changes';
import { PageChanges } from './plan/changes/page-changes';
import { WebsiteChanges } from './plan/changes/website-changes';
import { WindowChanges } from './plan/changes/window-changes';
import { PlanTurns } from './plan/plan-turns';
import { PlannedLimits } from './plan/planned-limits';
import { Planner } from './plan/planner';
import { SecretGuesses } from './plan/secret-guesses';

/** Configuration as code: plans, applies, and exports documents, and converts files from other programs. */
@Module({
  imports: [
    WebsiteModule,
    EndpointModule,
    DeliveryModule,
    ContactModule,
    AlertModule,
    MaintenanceModule,
    StatusPageModule,
    ProbeModule,
  ],
  controllers: [ExportController, ConvertController, ConfigurationController],
  providers: [
    ConvertService,
    ConfigurationService,
    ExportService,
    ExportedConfigs,
    Planner,
    SecretGuesses,
    PlannedLimits,
    PlanTurns,
    AllChanges,
    ContactChanges,
    WebsiteChanges,
    EndpointChanges,
    AlertChanges,
    PageChanges,
    WindowChanges,
    ApplyService,
    ApplyLocks,
    MonitoredSteps,
    OtherSteps,
  ],
})
export class ConfigurationModule {}
