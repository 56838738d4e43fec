import { Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CheckView } from '../../../history/read/check.dto';
import { type Caller, CurrentCaller } from '../../../platform/access/caller';
import { ClientLeft } from '../../../platform/http/client-left';
import { IdParam } from '../../../platform/http/id-param.decorator';
import { Route } from '../../../platform/http/route.decorator';
import { AskedLocation } from './asked-location';
import { CheckNowService } from './check-now.service';

@ApiTags('Checks')
@Controller('api/v1/endpoints/:id/checks')
export class CheckNowController {
  constructor(private readonly checks: CheckNowService) {}

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: { refused: 'Each request runs a check.' },
    operationId: 'runCheck',
    summary: 'Check now',
    description:
      'Runs one check, records it like any other (it counts for streaks and alerts) and answers with it. It waits for a scheduled check of the endpoint that runs now, and ends unrecorded when the client leaves. At the location of a probe it waits until 10 s after the timeout, and what comes later is recorded all the same. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
    returns: { created: CheckView, description: 'The finished check.' },
    problems: ['conflict', 'probe_offline', 'temporarily_unavailable', 'invalid_query'],
  })
  run(
    @CurrentCaller() caller: Caller,
    @IdParam('endpoint') id: string,
    @Query() { location }: AskedLocation,
    @ClientLeft() left: AbortSignal,
  ): Promise<CheckView> {
    return this.checks.run(caller, id, { location, left });
  }
}
