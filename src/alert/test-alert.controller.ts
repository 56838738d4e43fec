import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeliveryTestView, DeliveryView } from '../delivery/delivery.dto';
import { type Caller, CurrentCaller, OrgId } from '../platform/access/caller';
import { ClientLeft } from '../platform/http/client-left';
import { AlsoChecked } from '../platform/http/body/also-checked';
import { IdParam } from '../platform/http/id-param.decorator';
import { Route } from '../platform/http/route.decorator';
import { CreateAlertDto } from './alert.dto';
import { AlertService } from './alert.service';
import { TestAlertService } from './test-alert.service';
import { TestNewAlertService } from './test-new-alert.service';

@ApiTags('Deliveries')
@Controller('api/v1/alerts')
export class TestAlertController {
  constructor(
    private readonly tests: TestAlertService,
    private readonly newTests: TestNewAlertService,
  ) {}

  @Route('POST', 'test', {
    access: 'write',
    idempotencyKey: { refused: 'Each request sends a test message.' },
    operationId: 'testNewAlert',
    summary: 'Send a test message before saving',
    description:
      'Takes the same fields as creating an alert rule. Sends one message, marked as a test, through the channel and responds after the attempt, within 15 s. Apart from an entry in the audit log, nothing is stored. The message is not retried. The limit is 10 test messages per minute for each destination. On-demand checks, endpoint tests, and test messages share a limit per organization: at most 8 at the same time, and bursts of up to 20, then one per second.',
    returns: { ok: DeliveryTestView, description: 'The result of the attempt.' },
    problems: ['not_found', 'target_not_allowed'],
  })
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

  @Route('POST', ':id/test', {
    access: 'write',
    idempotencyKey: { refused: 'Each request sends a test message.' },
    operationId: 'testAlert',
    summary: 'Send a test message',
    description:
      'Sends one message, marked as a test, through the channel of the alert rule and responds after the attempt, within 15 s. The message is not retried: `state` is `delivered` or `failed`, and `error` contains the reason. The limit is 10 test messages per minute for each alert rule. On-demand checks, endpoint tests, and test messages share a limit per organization: at most 8 at the same time, and bursts of up to 20, then one per second.',
    returns: { created: DeliveryView, at: '/api/v1/deliveries', description: 'The delivery after its only attempt.' },
  })
  test(@OrgId() orgId: string, @IdParam('alert') alertId: string): Promise<DeliveryView> {
    return this.tests.send(orgId, alertId);
  }
}
