import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChannelModule } from '../channel/channel.module';
import { ContactModule } from '../contact/contact.module';
import { DeliveryModule } from '../delivery/delivery.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { IncidentModule } from '../incident/incident.module';
import { RetentionJob } from '../platform/jobs/retention.job';
import { NetModule } from '../platform/net/net.module';
import { ProbeModule } from '../probe/probe.module';
import { AlertOpenApi } from './alert-openapi';
import { AlertSettings } from './alert-settings';
import { AcknowledgeLinkController } from './acknowledgement/acknowledge-link.controller';
import { AcknowledgeLinkService } from './acknowledgement/acknowledge-link.service';
import { AcknowledgementController } from './acknowledgement/acknowledgement.controller';
import { AcknowledgementJob } from './acknowledgement/acknowledgement.job';
import { IncidentAcknowledgementController } from './acknowledgement/incident-acknowledgement.controller';
import { IncidentAcknowledgementService } from './acknowledgement/incident-acknowledgement.service';
import { AcknowledgementService } from './acknowledgement/acknowledgement.service';
import { AlertController } from './alert.controller';
import { Alert } from './alert.entity';
import { AlertMetrics } from './alert.metrics';
import { AlertService } from './alert.service';
import { ConsistencyFindings } from './consistency/consistency-findings';
import { ConsistencyJob } from './consistency/consistency.job';
import { ConsistencyRepairs } from './consistency/consistency-repairs';
import { MissingDestinations } from './consistency/missing-destinations';
import { ContactAlertsController } from './contact/contact-alerts.controller';
import { ContactAlertsService } from './contact/contact-alerts.service';
import { DeclaredAlerts } from './declared-alerts.service';
import { DeletedAlerts } from './deleted-alerts';
import { DefaultAlerts } from './contact/default-alerts';
import { AlertEventController } from './event/alert-event.controller';
import { AlertEvent } from './event/alert-event.entity';
import { AlertEventService } from './event/alert-event.service';
import { EVENT_RETENTION } from './event/event-retention';
import { AlertEvaluator } from './episode/alert-evaluator';
import { AlertLifecycle } from './episode/alert-lifecycle';
import { EpisodeRecorder } from './episode/episode-recorder';
import { ExpiryDecisions } from './expiry/expiry-decisions';
import { ExpiryJob } from './expiry/expiry.job';
import { ReminderJob } from './reminder/reminder.job';
import { IncidentTimelineController } from './timeline/incident-timeline.controller';
import { IncidentTimelineService } from './timeline/incident-timeline.service';
import { TestAlertController } from './test-alert.controller';
import { TestAlertService } from './test-alert.service';
import { TestNewAlertService } from './test-new-alert.service';

/**
 * Alert rules, the episodes that they open and close, and the events for both. `DeliveryModule` delivers their
 * notifications.
 */
@Module({
  imports: [
    TypeOrmModule.forFeature([Alert, AlertEvent]),
    ChannelModule,
    ContactModule,
    DeliveryModule,
    EndpointModule,
    IncidentModule,
    NetModule,
    ProbeModule,
  ],
  // These come before AlertController, whose `:id` would match "events".
  controllers: [
    AlertEventController,
    AlertController,
    TestAlertController,
    ContactAlertsController,
    AcknowledgementController,
    IncidentAcknowledgementController,
    IncidentTimelineController,
    AcknowledgeLinkController,
  ],
  providers: [
    AlertService,
    AlertSettings,
    DeclaredAlerts,
    DefaultAlerts,
    DeletedAlerts,
    ContactAlertsService,
    AlertOpenApi,
    AcknowledgementService,
    IncidentAcknowledgementService,
    IncidentTimelineService,
    AcknowledgeLinkService,
    AcknowledgementJob,
    AlertMetrics,
    AlertEvaluator,
    AlertLifecycle,
    AlertEventService,
    EpisodeRecorder,
    ReminderJob,
    ExpiryDecisions,
    ExpiryJob,
    TestAlertService,
    TestNewAlertService,
    MissingDestinations,
    ConsistencyRepairs,
    ConsistencyFindings,
    ConsistencyJob,
  ],
  exports: [AlertEvaluator, AlertService, DeclaredAlerts],
})
export class AlertModule {
  constructor(retention: RetentionJob) {
    retention.add(EVENT_RETENTION);
  }
}
