import { Module } from '@nestjs/common';
import { ChannelModule } from '../channel/channel.module';
import { RetentionJob } from '../platform/jobs/retention.job';
import { NetModule } from '../platform/net/net.module';
import { Failpoints } from '../platform/observability/failpoints';
import { DeliveryController } from './delivery.controller';
import { DeliveryMetrics } from './delivery.metrics';
import { DELIVERY_RETENTION } from './delivery-retention';
import { DeliveryService } from './delivery.service';
import { Outbox } from './outbox';
import { ACCOUNT_MAIL_RETENTION, AccountMailJob } from './account-mail.job';
import { ChannelOpenApi } from './config/channel-openapi';
import { ChannelSettings } from './config/channel-settings';
import { SealedConfigs } from './config/sealed-config';
import { AttemptReader } from './send/attempt-notification';
import { AttemptResults } from './send/attempt-results';
import { DeliveryClaim } from './send/claim';
import { DeliveryLoop } from './send/delivery-loop';
import { MessageLinks } from './send/message-links';
import { DeliverySender } from './send/sender';
import { TestDeliveries } from './send/test-deliveries';

/** Delivers notifications. Contains the outbox, the plan that decides what to send now, and the sender. */
@Module({
  imports: [ChannelModule, NetModule],
  controllers: [DeliveryController],
  providers: [
    Outbox,
    SealedConfigs,
    ChannelSettings,
    ChannelOpenApi,
    Failpoints,
    DeliveryMetrics,
    DeliveryClaim,
    DeliverySender,
    MessageLinks,
    TestDeliveries,
    AttemptReader,
    AttemptResults,
    DeliveryLoop,
    DeliveryService,
    AccountMailJob,
  ],
  exports: [Outbox, SealedConfigs, ChannelSettings, ChannelOpenApi, TestDeliveries],
})
export class DeliveryModule {
  constructor(retention: RetentionJob) {
    retention.add(DELIVERY_RETENTION);
    retention.add(ACCOUNT_MAIL_RETENTION);
  }
}
