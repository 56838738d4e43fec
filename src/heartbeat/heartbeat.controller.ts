import { Body, Controller, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EndpointView } from '../endpoint/endpoint.dto';
import { type Caller, CurrentCaller } from '../platform/access/caller';
import { IdParam } from '../platform/http/id-param.decorator';
import { type Page, PageQuery } from '../platform/http/page';
import { WITH_ETAG } from '../platform/http/precondition/precondition.decorator';
import { Route } from '../platform/http/route.decorator';
import { HeartbeatService } from './heartbeat.service';
import { HeartbeatPreviewView, PingView, PreviewHeartbeatDto, PreviewQuery } from './ping.dto';

@ApiTags('Endpoints')
@Controller('api/v1/endpoints')
export class HeartbeatController {
  constructor(private readonly heartbeats: HeartbeatService) {}

  @Route('POST', 'heartbeat/preview', {
    access: 'read',
    idempotencyKey: { refused: 'Nothing is stored.' },
    operationId: 'previewHeartbeat',
    summary: 'Preview a schedule',
    description: 'Returns the times when pings would be expected. Nothing is stored.',
    returns: { ok: HeartbeatPreviewView, description: 'The next times.' },
  })
  preview(@Query() query: PreviewQuery, @Body() dto: PreviewHeartbeatDto): Promise<HeartbeatPreviewView> {
    return this.heartbeats.preview(dto, query);
  }

  @Route('GET', ':id/pings', {
    access: 'read',
    operationId: 'listPings',
    summary: 'List pings of a heartbeat',
    description: 'The pings that the job has sent, newest first. Pings are kept as long as individual checks.',
    returns: { page: PingView, description: 'One page of pings.' },
    problems: ['conflict'],
  })
  list(
    @CurrentCaller() caller: Caller,
    @IdParam('endpoint') id: string,
    @Query() query: PageQuery,
  ): Promise<Page<PingView>> {
    return this.heartbeats.pings(caller, id, query);
  }

  @Route('POST', ':id/heartbeat/rotate', {
    access: 'write',
    idempotencyKey: { refused: 'Each request creates new URLs.' },
    operationId: 'rotateHeartbeat',
    summary: 'Replace the ping URLs of a heartbeat',
    description:
      'Creates a new `ping_id` and `push_token`. The previous ones work for 24 more hours; older ones stop working.',
    returns: { ok: EndpointView, ...WITH_ETAG, description: 'The endpoint with its new ping URLs.' },
    problems: ['conflict'],
  })
  rotate(@CurrentCaller() caller: Caller, @IdParam('endpoint') id: string): Promise<EndpointView> {
    return this.heartbeats.rotate(caller, id);
  }
}
