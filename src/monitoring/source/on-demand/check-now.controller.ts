import { Controller, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CheckView } from '../../../history/read/check.dto';
import { Access, type Caller, CurrentCaller } from '../../../platform/access/caller';
import { ClientLeft } from '../../../platform/http/client-left';
import { RefusesIdempotencyKey } from '../../../platform/http/idempotency/idempotent.decorator';
import { PrefixedIdPipe } from '../../../platform/ids/prefixed-id.pipe';
import { Problems } from '../../../platform/problem/problems.decorator';
import { CheckNowService } from './check-now.service';

@ApiTags('Checks')
@Controller('api/v1/endpoints/:id/checks')
export class CheckNowController {
  constructor(private readonly checks: CheckNowService) {}

  @Post()
  @Access('write')
  @RefusesIdempotencyKey('Each request runs a check.')
  @ApiParam({ name: 'id', example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  @ApiOperation({
    operationId: 'runCheck',
    summary: 'Check now',
    description:
      'Runs one check, records it like any other (it counts for streaks and alerts) and answers with it. It waits for a scheduled check of the endpoint that runs now, and ends unrecorded when the client leaves. An organization may run 8 checks on demand, endpoint tests and test messages at once, and begin 20, then one each second.',
  })
  @ApiCreatedResponse({ type: CheckView, description: 'The finished check.' })
  @Problems('not_found', 'conflict')
  run(
    @CurrentCaller() caller: Caller,
    @Param('id', new PrefixedIdPipe('endpoint')) id: string,
    @ClientLeft() left: AbortSignal,
  ): Promise<CheckView> {
    return this.checks.run(caller, id, left);
  }
}
