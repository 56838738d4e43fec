import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CreateEndpointDto } from '../../../endpoint/endpoint.dto';
import { type Caller, CurrentCaller } from '../../../platform/access/caller';
import { AlsoChecked } from '../../../platform/http/body/also-checked';
import { ClientLeft } from '../../../platform/http/client-left';
import { Route } from '../../../platform/http/route.decorator';
import { AskedLocation } from './asked-location';
import { TrialView, TestEndpointService } from './test-endpoint.service';

@ApiTags('Checks')
@Controller('api/v1/endpoints/test')
export class TestEndpointController {
  constructor(private readonly tests: TestEndpointService) {}

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: { refused: 'Each request runs a check.' },
    operationId: 'testEndpoint',
    summary: 'Test before saving',
    description:
      'Takes what creating an endpoint takes, runs one check and answers with its verdict; with `?location=` and no `locations`, as if that were the only one. Nothing is stored but an entry in the audit log, and nobody is notified. It ends when the client leaves. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
    returns: { ok: TrialView, description: 'The verdict.' },
    problems: ['target_not_allowed', 'probe_offline', 'temporarily_unavailable', 'invalid_query'],
  })
  @AlsoChecked(TestEndpointService, (tests, fields: Partial<CreateEndpointDto>, { caller }) =>
    tests.findingsIn(caller, fields),
  )
  run(
    @CurrentCaller() caller: Caller,
    @Body() dto: CreateEndpointDto,
    @Query() { location }: AskedLocation,
    @ClientLeft() left: AbortSignal,
  ): Promise<TrialView> {
    return this.tests.run(caller, dto, { location, left });
  }
}
