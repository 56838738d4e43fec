import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Access, OrgId } from '../platform/access/caller';
import { Idempotent } from '../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../platform/http/location.interceptor';
import type { Page } from '../platform/http/page';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { Problems } from '../platform/problem/problems.decorator';
import { DeliveryListQuery, DeliveryQuery, DeliveryView } from './delivery.dto';
import { DeliveryService } from './delivery.service';

const ALERT_ID = { name: 'id', example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' };
const DELIVERY_ID = { name: 'id', example: 'dl_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Deliveries')
@Controller('api/v1')
export class DeliveryController {
  constructor(private readonly deliveries: DeliveryService) {}

  @Get('alerts/:id/deliveries')
  @Access('read')
  @ApiParam(ALERT_ID)
  @ApiOperation({
    operationId: 'listDeliveries',
    summary: 'List deliveries of an alert',
    description: 'The messages of one alert and what became of them, newest first.',
  })
  @ApiOkResponse({ type: DeliveryView, isArray: true, description: 'One page of deliveries.' })
  @Problems('invalid_query', 'invalid_cursor', 'not_found')
  list(
    @OrgId() orgId: string,
    @Param('id', new PrefixedIdPipe('alert')) alertId: string,
    @Query() query: DeliveryQuery,
  ): Promise<Page<DeliveryView>> {
    return this.deliveries.list(orgId, alertId, query);
  }

  @Get('deliveries')
  @Access('read')
  @ApiOperation({
    operationId: 'listFailedDeliveries',
    summary: 'List deliveries that were given up',
    description:
      'The messages of your organization that reached nobody, newest first, without tests. One that is delivered again leaves the list.',
  })
  @ApiOkResponse({ type: DeliveryView, isArray: true, description: 'One page of deliveries.' })
  @Problems('invalid_query', 'invalid_cursor')
  listAll(@OrgId() orgId: string, @Query() query: DeliveryListQuery): Promise<Page<DeliveryView>> {
    return this.deliveries.listAll(orgId, query);
  }

  @Get('deliveries/:id')
  @Access('read')
  @ApiParam(DELIVERY_ID)
  @ApiOperation({
    operationId: 'getDelivery',
    summary: 'Get a delivery',
    description: 'One message and what became of it.',
  })
  @ApiOkResponse({ type: DeliveryView, description: 'The delivery.' })
  @Problems('not_found')
  get(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('delivery')) id: string): Promise<DeliveryView> {
    return this.deliveries.get(orgId, id);
  }

  @Post('deliveries/:id/redeliver')
  @Access('write')
  @LocatedAt('/api/v1/deliveries')
  @Idempotent()
  @ApiParam(DELIVERY_ID)
  @ApiOperation({
    operationId: 'redeliver',
    summary: 'Deliver a message again',
    description:
      'Puts a finished delivery back to `pending`: it is sent as it was written, through the alert’s present config, whatever the alert’s state is by now. What may have arrived before is marked as a repeat where the channel has no key. One older than a day (a webhook’s: three days) gets a single attempt. 409 while it is pending, for test messages, and when the alert is gone.',
  })
  @ApiCreatedResponse({ type: DeliveryView, description: 'The delivery, pending again.' })
  @Problems('not_found', 'conflict')
  redeliver(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('delivery')) id: string): Promise<DeliveryView> {
    return this.deliveries.redeliver(orgId, id);
  }
}
