import { Controller, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { DeliveryView } from '../delivery/delivery.dto';
import { Access, OrgId } from '../platform/access/caller';
import { LocatedAt } from '../platform/http/location.interceptor';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { Problems } from '../platform/problem/problems.decorator';
import { TestAlertService } from './test-alert.service';

const ALERT_ID = { name: 'id', example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Deliveries')
@Controller('api/v1/alerts')
export class TestAlertController {
  constructor(private readonly tests: TestAlertService) {}

  @Post(':id/test')
  @Access('write')
  @LocatedAt('/api/v1/deliveries')
  @ApiParam(ALERT_ID)
  @ApiOperation({
    operationId: 'testAlert',
    summary: 'Send a test message',
    description:
      'Sends one message marked as a test through the alert’s channel now and answers after the attempt, within 15 s. It is not retried: `state` is `delivered` or `failed`, `error` says why. At most 10 a minute per alert. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
  })
  @ApiCreatedResponse({ type: DeliveryView, description: 'The delivery after its one attempt.' })
  @Problems('not_found')
  test(@OrgId() orgId: string, @Param('id', new PrefixedIdPipe('alert')) alertId: string): Promise<DeliveryView> {
    return this.tests.send(orgId, alertId);
  }
}
