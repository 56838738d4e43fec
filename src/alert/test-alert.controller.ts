import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { DeliveryTestView, DeliveryView } from '../delivery/delivery.dto';
import { Access, type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { ClientLeft } from '../platform/http/client-left';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { RefusesIdempotencyKey } from '../platform/http/idempotency/idempotent.decorator';
import { LocatedAt } from '../platform/http/location.interceptor';
import { PrefixedIdPipe } from '../platform/ids/prefixed-id.pipe';
import { BodyProblems, Problems } from '../platform/problem/problems.decorator';
import { CreateAlertDto } from './alert.dto';
import { AlertService } from './alert.service';
import { TestAlertService } from './test-alert.service';
import { TestNewAlertService } from './test-new-alert.service';

const ALERT_ID = { name: 'id', example: 'al_01jd3k6q7be5y9x4v2m8n0r1st' };

@ApiTags('Deliveries')
@Controller('api/v1/alerts')
export class TestAlertController {
  constructor(
    private readonly tests: TestAlertService,
    private readonly newTests: TestNewAlertService,
  ) {}

  @Post('test')
  @Access('write')
  @RefusesIdempotencyKey('Each request sends a test message.')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testNewAlert',
    summary: 'Send a test message before saving',
    description:
      'Takes what creating an alert takes, sends one message marked as a test through its channel now and answers after the attempt, within 15 s. Nothing is stored but an entry in the audit log; the message is not retried. At most 10 a minute per destination. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
  })
  @ApiOkResponse({ type: DeliveryTestView, description: 'What became of the message.' })
  @BodyProblems('not_found', 'target_not_allowed')
  @AlsoChecked(AlertService, (alerts, fields: Partial<CreateAlertDto>, { caller }) =>
    alerts.findingsInNew(caller, fields),
  )
  testNew(
    @CurrentCaller() caller: Caller,
    @Body() dto: CreateAlertDto,
    @ClientLeft() left: AbortSignal,
  ): Promise<DeliveryTestView> {
    return this.newTests.send(caller, dto, left);
  }

  @Post(':id/test')
  @Access('write')
  @LocatedAt('/api/v1/deliveries')
  @RefusesIdempotencyKey('Each request sends a test message.')
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
