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
      'Takes what creating an alert takes, sends one message marked as a test through its channel now and answers after the attempt, within 15 s. Nothing is stored but an entry in the audit log; the message is not retried. At most 10 a minute per destination. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
    returns: { ok: DeliveryTestView, description: 'What became of the message.' },
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
      'Sends one message marked as a test through the alert’s channel now and answers after the attempt, within 15 s. It is not retried: `state` is `delivered` or `failed`, `error` says why. At most 10 a minute per alert. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
    returns: { created: DeliveryView, at: '/api/v1/deliveries', description: 'The delivery after its one attempt.' },
  })
  test(@OrgId() orgId: string, @IdParam('alert') alertId: string): Promise<DeliveryView> {
    return this.tests.send(orgId, alertId);
  }
}
