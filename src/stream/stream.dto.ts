import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { AlertEventView } from '../alert/event/alert-event.dto';
import { PING_KINDS, type PingKind } from '../endpoint/heartbeat/ping-kind';
import type { outcomeOf } from '../endpoint/outcome-code';
import { IncidentView } from '../incident/incident.dto';
import { INCIDENT_CHANGES, type IncidentChange } from '../incident/incident-events';
import { Optional } from '../platform/http/validators';
import { IsPublicId } from '../platform/ids/public-id.rule';

export class StreamQuery {
  @ApiPropertyOptional({
    description: 'For clients that cannot set the header `Last-Event-ID`. If both are sent, the header is used.',
    example: 'ev_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsString()
  @MaxLength(200)
  last_event_id?: string;

  @ApiPropertyOptional({
    description:
      'For clients that cannot set the header `X-Organization`. If it is not the organization of the caller, the response is a 409.',
    example: 'org_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @IsOptional()
  @IsPublicId('organization')
  organization_id?: string;
}

type Outcome = ReturnType<typeof outcomeOf>;
const OUTCOMES = ['up', 'down', 'unknown'] as const satisfies readonly Outcome[];

export class StateChangeErrorView {
  @ApiProperty({
    type: 'string',
    allOf: [{ $ref: '#/components/schemas/CheckErrorCode' }],
    description: 'A stable error code that programs can rely on.',
    example: 'connection_refused',
  })
  code!: string;
}

/** A check outcome that changed the status of its endpoint. */
export class StateChangeView {
  @ApiProperty({
    description:
      'The ID of the check, as in the list of checks. For checks by a probe, it is only the ID of this event.',
    example: 'ck_01jd3k6q7be5y9x4v2m8n0r1st',
  })
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

  @ApiProperty({ type: Number, nullable: true, description: 'The duration in milliseconds.', example: 83.412 })
  duration_ms!: number | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The HTTP status.', example: 503 })
  status_code!: number | null;

  @ApiProperty({ type: StateChangeErrorView, nullable: true, description: '`null` if the endpoint is up.' })
  error!: StateChangeErrorView | null;
}

/** The start or end of a maintenance window, or a change to its end time. */
export class MaintenanceChangeView {
  @ApiProperty({
    description: 'The ID of the window. If the maintenance ends, the window may have been deleted.',
    example: 'mw_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  window_id!: string;

  @ApiProperty({ example: 'Weekly patches' })
  name!: string;

  @ApiProperty({
    enum: ['started', 'ended'],
    description: '`started` is also sent if a change moves the end of an active window.',
  })
  state!: 'started' | 'ended';

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The time when the maintenance ends or ended.',
    example: '2026-11-22T03:00:00.000Z',
  })
  until!: string;
}

export class StreamAcknowledgementView {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name of the user or API key. `null` if there is none.',
    example: 'On call',
  })
  by!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:05:00.000Z' })
  at!: string;

  @ApiProperty({ example: 'The disk is full, I am at it.' })
  note!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The latest time at which the acknowledgement ends. `null`: it lasts until the endpoint is up.',
    example: '2026-11-20T11:05:00.000Z',
  })
  until!: string | null;
}

/** An endpoint was acknowledged, or its acknowledgement ended. */
export class AcknowledgementChangeView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({
    type: StreamAcknowledgementView,
    nullable: true,
    description: '`null` if the acknowledgement has ended.',
  })
  acknowledgement!: StreamAcknowledgementView | null;
}

/** A ping that isn't a check: a start, the end of a run that had reported its start, or a log. */
export class HeartbeatChangeView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ example: 'Backup' })
  endpoint_name!: string;

  @ApiProperty({ enum: PING_KINDS })
  kind!: PingKind;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T02:00:04.120Z' })
  at!: string;
}

/** A change to an incident. Sent once per transaction, regardless of the number of endpoints. */
export class IncidentChangeView extends IncidentView {
  @ApiProperty({
    enum: INCIDENT_CHANGES,
    description:
      'The change of the incident. `updated`: an endpoint left, an update was posted or changed, or the title changed. Get the incident to read its endpoints and updates.',
    example: 'joined',
  })
  change!: IncidentChange;
}

/** A change in what one location of an endpoint sees. Changes to the endpoint as a whole are reported by `check`. */
export class LocationChangeView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ example: 'Checkout API' })
  endpoint_name!: string;

  @ApiProperty({ description: '`local`, the key of a probe, or `shared/…` for a shared probe.', example: 'fra' })
  location!: string;

  @ApiProperty({ enum: OUTCOMES, example: 'down' })
  status!: Outcome;

  @ApiProperty({ enum: OUTCOMES, example: 'up' })
  previous_status!: Outcome;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the newest check from this location.',
    example: '2026-11-20T10:00:00.000Z',
  })
  at!: string | null;
}

/** A probe has started or stopped responding. */
export class ProbeChangeView {
  @ApiProperty({ example: 'pr_01jd3k6q7be5y9x4v2m8n0r1st' })
  probe_id!: string;

  @ApiProperty({ example: 'fra' })
  key!: string;

  @ApiProperty({ enum: ['online', 'offline'], example: 'offline' })
  status!: 'online' | 'offline';

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T10:00:00.000Z' })
  at!: string | null;
}

const POSITION = { description: 'The position in the stream. Send it as `Last-Event-ID` to resume after this event.' };

export class MaintenanceStreamEventView {
  @ApiProperty({ enum: ['maintenance'] })
  event!: 'maintenance';

  @ApiProperty(POSITION)
  id!: string;

  @ApiProperty()
  data!: MaintenanceChangeView;
}

export class AcknowledgementStreamEventView {
  @ApiProperty({ enum: ['acknowledgement'] })
  event!: 'acknowledgement';

  @ApiProperty(POSITION)
  id!: string;

  @ApiProperty()
  data!: AcknowledgementChangeView;
}

export class HeartbeatStreamEventView {
  @ApiProperty({ enum: ['heartbeat'] })
  event!: 'heartbeat';

  @ApiProperty(POSITION)
  id!: string;

  @ApiProperty()
  data!: HeartbeatChangeView;
}

export class IncidentStreamEventView {
  @ApiProperty({ enum: ['incident'] })
  event!: 'incident';

  @ApiProperty(POSITION)
  id!: string;

  @ApiProperty()
  data!: IncidentChangeView;
}

export class LocationStreamEventView {
  @ApiProperty({ enum: ['location'] })
  event!: 'location';

  @ApiProperty(POSITION)
  id!: string;

  @ApiProperty()
  data!: LocationChangeView;
}

export class ProbeStreamEventView {
  @ApiProperty({ enum: ['probe'] })
  event!: 'probe';

  @ApiProperty(POSITION)
  id!: string;

  @ApiProperty()
  data!: ProbeChangeView;
}

export class CheckStreamEventView {
  @ApiProperty({ enum: ['check'] })
  event!: 'check';

  @ApiProperty({ description: 'The ID of the check. Send it as `Last-Event-ID` to resume after this event.' })
  id!: string;

  @ApiProperty()
  data!: StateChangeView;
}

export class AlertStreamEventView {
  @ApiProperty({ enum: ['alert'] })
  event!: 'alert';

  @ApiProperty({ description: 'The ID of the alert event. Send it as `Last-Event-ID` to resume after this event.' })
  id!: string;

  @ApiProperty()
  data!: AlertEventView;
}

/** Events without data. */
export class OtherStreamEventView {
  @ApiProperty({
    enum: ['ready', 'reset', 'ping'],
    description:
      '`ready`: the stream is connected. `reset`: too many events were missed, so fetch the lists again. `ping`: sent every ten seconds.',
  })
  event!: 'ready' | 'reset' | 'ping';

  @ApiPropertyOptional({
    description: 'Only for `ready`, and only for clients that do not resume: the position where the stream starts.',
  })
  id?: string;

  @ApiProperty({ type: 'object', additionalProperties: false, description: 'An empty object.' })
  data!: object;
}

/** The events of the stream, by their `event` field. */
export const STREAM_EVENTS = {
  check: CheckStreamEventView,
  alert: AlertStreamEventView,
  maintenance: MaintenanceStreamEventView,
  acknowledgement: AcknowledgementStreamEventView,
  heartbeat: HeartbeatStreamEventView,
  incident: IncidentStreamEventView,
  location: LocationStreamEventView,
  probe: ProbeStreamEventView,
  ready: OtherStreamEventView,
  reset: OtherStreamEventView,
  ping: OtherStreamEventView,
} as const;
