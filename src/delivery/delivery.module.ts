import { Module } from '@nestjs/common';
import { ChannelModule } from '../channel/channel.module';
import { NetModule } from '../platform/net/net.module';
import { Failpoints } from '../platform/observability/failpoints';
import { DeliveryController } from './delivery.controller';
import { DeliveryMetrics } from './delivery.metrics';
import { DeliveryRetention } from './delivery-retention.job';
import { DeliveryService } from './delivery.service';
import { AlertDestinations } from './destination';
import { Outbox } from './outbox';
import { SealedConfigs } from './sealed-config';
import { AttemptResults } from './send/attempt-results';
import { DeliveryClaim } from './send/claim';
import { DeliveryLoop } from './send/delivery-loop';
import { DeliverySender } from './send/sender';

/** Tells people what alerts decided: the outbox, the plan of what leaves now, and the sending. */
@Module({
  imports: [ChannelModule, NetModule],
  controllers: [DeliveryController],
  providers: [
    Outbox,
    AlertDestinations,
    SealedConfigs,
    Failpoints,
    DeliveryMetrics,
    DeliveryClaim,
    DeliverySender,
    AttemptResults,
    DeliveryLoop,
    DeliveryService,
    DeliveryRetention,
  ],
  exports: [
    Outbox,
    AlertDestinations,
    SealedConfigs,
    DeliveryService,
    DeliveryLoop,
    DeliverySender,
    AttemptResults,
    DeliveryMetrics,
  ],
})
export class DeliveryModule {}
