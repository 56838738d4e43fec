import { Body, Controller, Req } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request } from 'express';
import { CallingProbe, type ProbeCaller } from '../../platform/access/caller';
import { clientAddress } from '../../platform/access/client-network';
import { PackedJsonBody } from '../../platform/http/body/read-body';
import { ClientLeft } from '../../platform/http/client-left';
import { Route } from '../../platform/http/route.decorator';
import { MAX_SENT_BYTES, MAX_UNPACKED_BYTES } from '../../probe-protocol/protocol';
import { IntakeService } from './intake/intake.service';
import { PollService } from './poll/poll.service';
import { PollBody, PollView, ResultsBody, ResultsView } from './protocol.dto';

/** A result with a certificate and an error has about 60 values. */
const BODY = { sent: MAX_SENT_BYTES, unpacked: MAX_UNPACKED_BYTES, values: 100_000 };

const jsonOf = (type: new () => object) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: getSchemaPath(type) } } },
});
const NOT_REPEATED = { refused: 'A poll changes nothing, and a result that is sent twice is recorded only once.' };

@ApiTags('Probe protocol')
@ApiExtraModels(PollBody, ResultsBody)
@Controller('api/v1/probe')
export class ProtocolController {
  constructor(
    private readonly polls: PollService,
    private readonly intake: IntakeService,
  ) {}

  @Route('POST', 'poll', {
    access: 'probe',
    idempotencyKey: NOT_REPEATED,
    operationId: 'pollProbe',
    requestBody: jsonOf(PollBody),
    summary: 'Poll for work',
    description:
      'Returns the assigned endpoints and on-demand checks. The response is sent immediately if something has changed since the cursor or an on-demand check is waiting, otherwise after `wait` seconds. Unknown fields are ignored. Fields with a default may be left out. `Content-Encoding: gzip` is accepted.',
    returns: {
      ok: PollView,
      description: 'The endpoints to check, the endpoints to stop checking, and the end of the lease.',
    },
    problems: ['session_replaced', 'protocol_unsupported'],
  })
  @PackedJsonBody(BODY)
  poll(
    @CallingProbe() probe: ProbeCaller,
    @Body() body: unknown,
    @Req() request: Request,
    @ClientLeft() left: AbortSignal,
  ): Promise<PollView> {
    return this.polls.poll({ probe, address: clientAddress(request), left }, body);
  }

  @Route('POST', 'results', {
    access: 'probe',
    idempotencyKey: NOT_REPEATED,
    operationId: 'sendProbeResults',
    requestBody: jsonOf(ResultsBody),
    summary: 'Submit results',
    description:
      'Accepts at most 1,000 results, 256 KiB as sent and 512 KiB after decompression. 200 means that the results are committed: every result that is neither rejected nor a duplicate is stored. A result that cannot be accepted is rejected individually. Unknown fields are ignored. `Content-Encoding: gzip` is accepted.',
    returns: { ok: ResultsView, description: 'How the results were processed.' },
    problems: ['protocol_unsupported'],
  })
  @PackedJsonBody(BODY)
  results(@CallingProbe() probe: ProbeCaller, @Body() body: unknown): Promise<ResultsView> {
    return this.intake.take(probe, body);
  }
}
