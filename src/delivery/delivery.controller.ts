import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrgId } from '../platform/access/caller';
import { IdParam } from '../platform/http/id-param.decorator';
import type { Page } from '../platform/http/page';
import { Route } from '../platform/http/route.decorator';
import { DeliveryListQuery, DeliveryQuery, DeliveryView } from './delivery.dto';
import { DeliveryService } from './delivery.service';

@ApiTags('Deliveries')
@Controller('api/v1')
export class DeliveryController {
  constructor(private readonly deliveries: DeliveryService) {}

  @Route('GET', 'alerts/:id/deliveries', {
    access: 'read',
    operationId: 'listDeliveries',
    summary: 'List the deliveries of an alert rule',
    description: 'The messages of one alert rule and their delivery state, newest first.',
    returns: { page: DeliveryView, description: 'One page of deliveries.' },
  })
  list(
    @OrgId() orgId: string,
    @IdParam('alert') alertId: string,
    @Query() query: DeliveryQuery,
  ): Promise<Page<DeliveryView>> {
    return this.deliveries.list(orgId, alertId, query);
  }

  @Route('GET', 'endpoints/:id/deliveries', {
    access: 'read',
    operationId: 'listEndpointDeliveries',
    summary: 'List the deliveries about an endpoint',
    description: 'The messages that an endpoint’s alert rules sent, including tests, newest first.',
    returns: { page: DeliveryView, description: 'One page of deliveries.' },
  })
  listOfEndpoint(
    @OrgId() orgId: string,
    @IdParam('endpoint') endpointId: string,
    @Query() query: DeliveryQuery,
  ): Promise<Page<DeliveryView>> {
    return this.deliveries.listOfEndpoint(orgId, endpointId, query);
  }

  @Route('GET', 'deliveries', {
    access: 'read',
    operationId: 'listFailedDeliveries',
    summary: 'List failed deliveries',
    description:
      'The messages of your organization that could not be delivered, newest first, without tests. A message that you redeliver no longer appears in the list.',
    returns: { page: DeliveryView, description: 'One page of deliveries.' },
  })
  listAll(@OrgId() orgId: string, @Query() query: DeliveryListQuery): Promise<Page<DeliveryView>> {
    return this.deliveries.listAll(orgId, query);
  }

  @Route('GET', 'deliveries/:id', {
    access: 'read',
    operationId: 'getDelivery',
    summary: 'Get a delivery',
    description: 'One message and its delivery state.',
    returns: { ok: DeliveryView, description: 'The delivery.' },
  })
  get(@OrgId() orgId: string, @IdParam('delivery') id: string): Promise<DeliveryView> {
    return this.deliveries.get(orgId, id);
  }

  @Route('POST', 'deliveries/:id/redeliver', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'redeliver',
    summary: 'Redeliver a message',
    description:
      'Sets a finished delivery back to `pending`. The original message is sent through the current config of the alert rule, regardless of the current state of the alert. If the message may have arrived before and the channel has no idempotency key, it is marked as a repeat. A delivery that is older than a day (webhooks: three days) gets a single attempt. 409 while the delivery is pending, for test messages, and if the alert rule was deleted.',
    returns: { created: DeliveryView, at: '/api/v1/deliveries', description: 'The delivery, which is pending again.' },
    problems: ['conflict'],
  })
  redeliver(@OrgId() orgId: string, @IdParam('delivery') id: string): Promise<DeliveryView> {
    return this.deliveries.redeliver(orgId, id);
  }
}
