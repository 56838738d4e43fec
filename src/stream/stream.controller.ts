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
    summary: 'Follow what happens',
    description:
      'Server-sent events of the organization: `check` (a check outcome that changed the state of its endpoint) and ' +
      '`alert` (an alert event, as in the list), each with the id it has in the lists; `maintenance` (a window begins or ' +
      'ends), `acknowledgement` (somebody has an endpoint in hand, or no longer), `heartbeat` (the run of a job begins or ' +
      'ends, or it tells a log), `incident` (as in the list, with what happened to it), `location` (one of several locations of ' +
      'an endpoint sees something else) and `probe` (one of the organization is heard again, or no more). `ready` greets, ' +
      '`ping` comes every ten seconds. Reconnect with `Last-Event-ID` within a day and nothing is missed, also over a restart; after longer ' +
      'the answer begins with `reset`: read the lists again.',
    returns: {
      description:
        'Without an end. The schema is that of one event: its `event`, `id` and `data` lines, the last as JSON.',
      content: { 'text/event-stream': { schema: EVENT } },
    },
    problems: ['conflict'],
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event received.' })
  open(
    @CurrentCaller() caller: Caller,
    @Query() query: StreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    return this.feed.open(caller, { ...query, last_event_id: lastEventId ?? query.last_event_id }, response);
  }
}
