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
    summary: 'List deliveries of an alert',
    description: 'The messages of one alert and what became of them, newest first.',
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
    summary: 'List deliveries about an endpoint',
    description: 'The messages of all alerts that an endpoint has, tests included, newest first.',
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
    summary: 'List deliveries that were given up',
    description:
      'The messages of your organization that reached nobody, newest first, without tests. One that is delivered again leaves the list.',
    returns: { page: DeliveryView, description: 'One page of deliveries.' },
  })
  listAll(@OrgId() orgId: string, @Query() query: DeliveryListQuery): Promise<Page<DeliveryView>> {
    return this.deliveries.listAll(orgId, query);
  }

  @Route('GET', 'deliveries/:id', {
    access: 'read',
    operationId: 'getDelivery',
    summary: 'Get a delivery',
    description: 'One message and what became of it.',
    returns: { ok: DeliveryView, description: 'The delivery.' },
  })
  get(@OrgId() orgId: string, @IdParam('delivery') id: string): Promise<DeliveryView> {
    return this.deliveries.get(orgId, id);
  }

  @Route('POST', 'deliveries/:id/redeliver', {
    access: 'write',
    idempotencyKey: 'honoured',
    operationId: 'redeliver',
    summary: 'Deliver a message again',
    description:
      'Puts a finished delivery back to `pending`: it is sent as it was written, through the alert’s present config, whatever the alert’s state is by now. What may have arrived before is marked as a repeat where the channel has no key. One older than a day (a webhook’s: three days) gets a single attempt. 409 while it is pending, for test messages, and when the alert is gone.',
    returns: { created: DeliveryView, at: '/api/v1/deliveries', description: 'The delivery, pending again.' },
    problems: ['conflict'],
  })
  redeliver(@OrgId() orgId: string, @IdParam('delivery') id: string): Promise<DeliveryView> {
    return this.deliveries.redeliver(orgId, id);
  }
}
