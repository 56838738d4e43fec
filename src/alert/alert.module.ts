import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChannelModule } from '../channel/channel.module';
import { DeliveryModule } from '../delivery/delivery.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { NetModule } from '../platform/net/net.module';
import { AlertAuditor } from './consistency/consistency.job';
import { AlertConfigs } from './alert-settings';
import { AlertEvaluator } from './incident/alert-evaluator';
import { AlertEventController } from './event/alert-event.controller';
import { AlertEvent } from './event/alert-event.entity';
import { AlertEventService } from './event/alert-event.service';
import { AlertLifecycle } from './incident/alert-lifecycle';
import { AlertSchemas } from './alert-openapi';
import { AlertController } from './alert.controller';
import { Alert } from './alert.entity';
import { AlertService } from './alert.service';
import { IncidentRecorder } from './incident/incident-recorder';
import { TestMessageService } from './test-alert.service';

@Module({
  imports: [TypeOrmModule.forFeature([Alert, AlertEvent]), ChannelModule, DeliveryModule, EndpointModule, NetModule],
  // The events' controller comes first: "/alerts/events" is no alert.
  controllers: [AlertEventController, AlertController],
  providers: [
    AlertService,
    AlertConfigs,
    AlertSchemas,
    AlertEvaluator,
    AlertLifecycle,
    AlertEventService,
    IncidentRecorder,
    TestMessageService,
    AlertAuditor,
  ],
  exports: [AlertEvaluator],
})
export class AlertModule {}
