import { Module } from '@nestjs/common';
import { ChannelModule } from '../channel/channel.module';
import { NetModule } from '../platform/net/net.module';
import { Failpoints } from '../platform/observability/failpoints';
import { DeliveryController } from './delivery.controller';
import { DeliveryMetrics } from './delivery.metrics';
import { NotificationRetention } from './delivery-retention.job';
import { DeliveryService } from './delivery.service';
import { AlertDestinations } from './destination';
import { NotificationOutbox } from './outbox';
import { StoredConfigs } from './sealed-config';
import { NotificationLedger } from './send/attempt-results';
import { NotificationClaim } from './send/claim';
import { NotificationService } from './send/delivery-loop';
import { NotificationSender } from './send/sender';

/** Tells people what alerts decided: the outbox, the plan of what leaves now, and the sending. */
@Module({
  imports: [ChannelModule, NetModule],
  controllers: [DeliveryController],
  providers: [
    NotificationOutbox,
    AlertDestinations,
    StoredConfigs,
    Failpoints,
    DeliveryMetrics,
    NotificationClaim,
    NotificationSender,
    NotificationLedger,
    NotificationService,
    DeliveryService,
    NotificationRetention,
  ],
  exports: [
    NotificationOutbox,
    AlertDestinations,
    StoredConfigs,
    DeliveryService,
    NotificationService,
    NotificationSender,
    NotificationLedger,
    DeliveryMetrics,
  ],
})
export class DeliveryModule {}
