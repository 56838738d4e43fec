import { Controller, Headers, Query, Res } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../platform/access/caller';
import { Route } from '../platform/http/route.decorator';
import { STREAM_EVENTS, StreamQuery } from './stream.dto';
import { StreamFeed } from './stream-feed';

const MODELS = [...new Set(Object.values(STREAM_EVENTS))];
const EVENT = {
  oneOf: MODELS.map((model) => ({ $ref: getSchemaPath(model) })),
  discriminator: {
    propertyName: 'event',
    mapping: Object.fromEntries(Object.entries(STREAM_EVENTS).map(([event, model]) => [event, getSchemaPath(model)])),
  },
};

@ApiTags('Stream')
@ApiExtraModels(...MODELS)
@Controller('api/v1/stream')
export class StreamController {
  constructor(private readonly feed: StreamFeed) {}

  @Route('GET', '', {
    access: 'read',
    operationId: 'stream',
    summary: 'Stream events',
    description:
      'Sends the events of the organization as server-sent events. `check`: a check changed the status of its endpoint. ' +
      '`alert`: an alert event, as in the list. Both have the ID that they have in the lists. `maintenance`: a window starts ' +
      'or ends. `acknowledgement`: an endpoint is acknowledged, or no longer acknowledged. `heartbeat`: the run of a job ' +
      'starts or ends, or the job sends a log. `incident`: an incident as in the list, with the change. `location`: one of ' +
      'several locations of an endpoint reports a different status. `probe`: a probe of the organization went online or ' +
      'offline. `ready`: the stream is connected. `ping`: sent every ten seconds. If you reconnect with `Last-Event-ID` ' +
      'within a day, you miss no events, even after a restart of the service. After more than a day, the response starts ' +
      'with `reset`: fetch the lists again.',
    returns: {
      description:
        'A response that stays open. The schema describes one event: its `event`, `id`, and `data` lines, and `data` is JSON.',
      content: { 'text/event-stream': { schema: EVENT } },
    },
    problems: ['conflict'],
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'The ID of the last event that you received.' })
  open(
    @CurrentCaller() caller: Caller,
    @Query() query: StreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    return this.feed.open(caller, { ...query, last_event_id: lastEventId ?? query.last_event_id }, response);
  }
}
