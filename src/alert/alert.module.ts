import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ChannelModule } from '../channel/channel.module';
import { DeliveryModule } from '../delivery/delivery.module';
import { EndpointModule } from '../endpoint/endpoint.module';
import { NetModule } from '../platform/net/net.module';
import { ConsistencyJob } from './consistency/consistency.job';
import { AlertSettings } from './alert-settings';
import { AlertEvaluator } from './incident/alert-evaluator';
import { AlertEventController } from './event/alert-event.controller';
import { AlertEvent } from './event/alert-event.entity';
import { AlertEventService } from './event/alert-event.service';
import { AlertLifecycle } from './incident/alert-lifecycle';
import { AlertOpenApi } from './alert-openapi';
import { AlertController } from './alert.controller';
import { Alert } from './alert.entity';
import { AlertService } from './alert.service';
import { IncidentRecorder } from './incident/incident-recorder';
import { TestAlertController } from './test-alert.controller';
import { TestAlertService } from './test-alert.service';

@Module({
  imports: [TypeOrmModule.forFeature([Alert, AlertEvent]), ChannelModule, DeliveryModule, EndpointModule, NetModule],
  // The events' controller comes first: "/alerts/events" is no alert.
  controllers: [AlertEventController, AlertController, TestAlertController],
  providers: [
    AlertService,
    AlertSettings,
    AlertOpenApi,
    AlertEvaluator,
    AlertLifecycle,
    AlertEventService,
    IncidentRecorder,
    TestAlertService,
    ConsistencyJob,
  ],
  exports: [AlertEvaluator],
})
export class AlertModule {}
