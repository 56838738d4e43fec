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
    summary: 'Run a check now',
    description:
      'Runs one check, records it like any other check (it counts toward streaks and can trigger alerts), and returns it. If a scheduled check of the endpoint is running, the request waits for it. If the client disconnects, the check ends and is not recorded. At the location of a probe, the request waits until 10 s after the timeout; a later result is still recorded. On-demand checks, endpoint tests, and test messages share a limit per organization: at most 8 at the same time, and bursts of up to 20, then one per second.',
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
