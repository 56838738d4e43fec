import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { AlertEventView } from '../alert/event/alert-event.dto';
import type { outcomeOf } from '../endpoint/outcome-code';
import { Optional } from '../platform/http/validators';

export class StreamQuery {
  @ApiPropertyOptional({
    description: 'For clients that cannot set the header `Last-Event-ID`, which wins over this.',
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsString()
  @MaxLength(200)
  last_event_id?: string;
}

type Outcome = ReturnType<typeof outcomeOf>;
const OUTCOMES = ['up', 'down', 'unknown'] as const satisfies readonly Outcome[];

export class StateChangeErrorView {
  @ApiProperty({
    type: 'string',
    allOf: [{ $ref: '#/components/schemas/CheckErrorCode' }],
    description: 'Stable; switch on it.',
    example: 'connection_refused',
  })
  code!: string;
}

/** A check outcome that changed the status of its endpoint. */
export class StateChangeView {
  @ApiProperty({ description: 'The check, as in the list.', example: 'ck_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ example: 'Checkout API' })
  endpoint_name!: string;

  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  website_id!: string;

  @ApiProperty({ enum: OUTCOMES, example: 'down' })
  status!: Outcome;

  @ApiProperty({ enum: OUTCOMES, example: 'up' })
  previous_status!: Outcome;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  checked_at!: string;

  @ApiProperty({ type: Number, nullable: true, description: 'Milliseconds.', example: 83.412 })
  duration_ms!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status.', example: 503 })
  status_code!: number | null;

  @ApiProperty({ type: StateChangeErrorView, nullable: true, description: 'null when it is up.' })
  error!: StateChangeErrorView | null;
}

export class CheckStreamEventView {
  @ApiProperty({ enum: ['check'] })
  event!: 'check';

  @ApiProperty({ description: 'Of the check; send it as `Last-Event-ID` to resume after it.' })
  id!: string;

  @ApiProperty()
  data!: StateChangeView;
}

export class AlertStreamEventView {
  @ApiProperty({ enum: ['alert'] })
  event!: 'alert';

  @ApiProperty({ description: 'Of the alert event; send it as `Last-Event-ID` to resume after it.' })
  id!: string;

  @ApiProperty()
  data!: AlertEventView;
}

/** Events without data. */
export class OtherStreamEventView {
  @ApiProperty({
    enum: ['ready', 'reset', 'ping'],
    description: '`ready`: connected. `reset`: too much was missed, read the lists again. `ping`: every ten seconds.',
  })
  event!: 'ready' | 'reset' | 'ping';

  @ApiPropertyOptional({ description: 'Of `ready`, for clients that resume nothing: where the stream begins.' })
  id?: string;

  @ApiProperty({ type: 'object', additionalProperties: false, description: 'Empty.' })
  data!: object;
}

/** The events of the stream by their `event`. */
export const STREAM_EVENTS = {
  check: CheckStreamEventView,
  alert: AlertStreamEventView,
  ready: OtherStreamEventView,
  reset: OtherStreamEventView,
  ping: OtherStreamEventView,
} as const;
