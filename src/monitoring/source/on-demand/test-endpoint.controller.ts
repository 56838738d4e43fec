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
    summary: 'Test an endpoint before saving it',
    description:
      'Takes the same body as creating an endpoint, runs one check, and returns the result. With `?location=` and no `locations`, the endpoint is tested as if that were its only location. Nothing is stored except an entry in the audit log, and no one is notified. If the client disconnects, the check ends. On-demand checks, endpoint tests, and test messages share a limit per organization: at most 8 at the same time, and bursts of up to 20, then one per second.',
    returns: { ok: TrialView, description: 'The result.' },
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
