import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChannelModule } from '../channel/channel.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { NetModule } from '../platform/net/net.module';
import { Failpoints } from '../platform/observability/failpoints';
import { AlertAuditor } from './alert-auditor';
import { AlertConfigs } from './alert-configs';
import { AlertDestinations } from './alert-destinations';
import { AlertEvaluator } from './alert-evaluator';
import { AlertEventController } from './alert-event.controller';
import { AlertEvent } from './alert-event.entity';
import { AlertEventService } from './alert-event.service';
import { AlertLifecycle } from './alert-lifecycle';
import { AlertSchemas } from './alert-schemas';
import { AlertController } from './alert.controller';
import { Alert } from './alert.entity';
import { AlertService } from './alert.service';
import { DeliveryClock } from './delivery-clock';
import { DeliveryController } from './delivery.controller';
import { DeliveryMetrics } from './delivery.metrics';
import { DeliveryService } from './delivery.service';
import { Heartbeat } from './heartbeat';
import { IncidentRecorder } from './incident-recorder';
import { NotificationClaim } from './notification-claim';
import { NotificationLedger } from './notification-ledger';
import { NotificationOutbox } from './notification-outbox';
import { NotificationRetention } from './notification-retention';
import { NotificationSender } from './notification-sender';
import { NotificationService } from './notification.service';
import { StoredConfigs } from './stored-config';
import { TestMessageService } from './test-message.service';

@Module({
  imports: [TypeOrmModule.forFeature([Alert, AlertEvent]), ChannelModule, EndpointModule, NetModule],
  // The events' controller comes first: "/alerts/events" is no alert.
  controllers: [AlertEventController, AlertController, DeliveryController],
  providers: [
    AlertService,
    AlertConfigs,
    AlertSchemas,
    AlertEvaluator,
    AlertLifecycle,
    AlertEventService,
    IncidentRecorder,
    AlertDestinations,
    StoredConfigs,
    NotificationOutbox,
    DeliveryClock,
    Failpoints,
    DeliveryMetrics,
    NotificationClaim,
    NotificationSender,
    NotificationLedger,
    NotificationService,
    DeliveryService,
    TestMessageService,
    AlertAuditor,
    Heartbeat,
    NotificationRetention,
  ],
  exports: [Heartbeat, AlertEvaluator],
})
export class AlertModule {}
