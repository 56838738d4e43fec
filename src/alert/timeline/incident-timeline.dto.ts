import { ApiProperty } from '@nestjs/swagger';
import { DELIVERY_DETAILS, DELIVERY_STATES, type DeliveryDetail, type DeliveryState } from '../../delivery/delivery';
import { DeliveryContactView } from '../../delivery/delivery-contact';
import { EndpointAcknowledgement } from '../../endpoint/suppression/suppression.dto';
import { IncidentErrorView, IncidentUpdateView } from '../../incident/incident.dto';
import { exampleId } from '../../platform/ids/id';

const TIME = { type: String, format: 'date-time' };

/** The kinds of timeline items. */
export const TIMELINE_KINDS = ['down', 'recovered', 'delivery', 'acknowledged', 'update'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** The kinds of messages that belong to an incident. */
const TOLD_KINDS = ['triggered', 'resolved', 'reminder', 'acknowledged'] as const;
export type ToldKind = (typeof TOLD_KINDS)[number];

/** The kinds of messages that can be planned. */
const PLANNED_KINDS = ['triggered', 'reminder'] as const;
export type PlannedKind = (typeof PLANNED_KINDS)[number];

export class TimelineEndpointView {
  @ApiProperty({ example: exampleId('endpoint') })
  id!: string;

  @ApiProperty({ description: 'The name of the endpoint at that time.', example: 'Checkout' })
  name!: string;

  @ApiProperty({ type: 'integer', description: 'Which outage of the endpoint in the incident it is.', example: 1 })
  outage!: number;

  @ApiProperty({ type: IncidentErrorView, nullable: true, description: 'The error of that outage.' })
  error!: IncidentErrorView | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The length of the outage in seconds. `null` for `down`.',
    example: null,
  })
  duration_seconds!: number | null;
}

/** One message, or several that were sent in one. */
export class TimelineDeliveryView {
  @ApiProperty({
    type: DeliveryContactView,
    nullable: true,
    description: 'The contact that the message was sent to. `null` for an alert rule with its own config.',
  })
  contact!: DeliveryContactView | null;

  @ApiProperty({ example: 'email' })
  channel_type!: string;

  @ApiProperty({ enum: TOLD_KINDS, description: 'The subject of the message.', example: 'triggered' })
  kind!: ToldKind;

  @ApiProperty({ enum: DELIVERY_STATES, example: 'delivered' })
  state!: DeliveryState;

  @ApiProperty({
    enum: DELIVERY_DETAILS,
    nullable: true,
    description: 'How or why it reached its state.',
    example: null,
  })
  detail!: DeliveryDetail | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The error of the last attempt, without URLs and secrets.',
    example: null,
  })
  error!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'How long it took from the decision to the delivery, in seconds. `null` unless it is delivered.',
    example: 0.4,
  })
  took_seconds!: number | null;

  @ApiProperty({ type: 'integer', description: 'The number of deliveries that were sent together.', example: 1 })
  count!: number;

  @ApiProperty({
    type: [String],
    description: 'The names of the endpoints that the message was about, at most five.',
    example: ['Checkout'],
  })
  endpoints!: string[];
}

export class IncidentTimelineItemView {
  @ApiProperty({ ...TIME, example: '2026-11-26T09:58:00.000Z' })
  at!: string;

  @ApiProperty({
    enum: TIMELINE_KINDS,
    description:
      '`down`, `recovered`: an outage of an endpoint started or ended. `delivery`: a message was sent, or could not be sent. `acknowledged`: a user acknowledged the incident. `update`: an update was posted.',
    example: 'down',
  })
  kind!: TimelineKind;

  @ApiProperty({ type: TimelineEndpointView, nullable: true, description: 'Only for `down` and `recovered`.' })
  endpoint!: TimelineEndpointView | null;

  @ApiProperty({ type: TimelineDeliveryView, nullable: true, description: 'Only for `delivery`.' })
  delivery!: TimelineDeliveryView | null;

  @ApiProperty({ type: EndpointAcknowledgement, nullable: true, description: 'Only for `acknowledged`.' })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty({ type: IncidentUpdateView, nullable: true, description: 'Only for `update`.' })
  update!: IncidentUpdateView | null;
}

/** A message that will be sent if the incident continues and no one acknowledges it. */
export class PlannedNotificationView {
  @ApiProperty({
    ...TIME,
    description: 'The time when it is due. The next failed check after that time triggers it.',
    example: '2026-11-26T10:08:00.000Z',
  })
  at!: string;

  @ApiProperty({
    enum: PLANNED_KINDS,
    description: '`triggered`: the next step of the escalation. `reminder`: the alert is still triggered.',
    example: 'triggered',
  })
  kind!: PlannedKind;

  @ApiProperty({ type: DeliveryContactView, nullable: true })
  contact!: DeliveryContactView | null;

  @ApiProperty({ example: 'email' })
  channel_type!: string;

  @ApiProperty({ example: exampleId('alert') })
  alert_id!: string;

  @ApiProperty({ example: exampleId('endpoint') })
  endpoint_id!: string;

  @ApiProperty({ example: 'Checkout' })
  endpoint_name!: string;
}

export class IncidentTimelineView {
  @ApiProperty({
    type: [IncidentTimelineItemView],
    description: 'Newest first: at most the 200 newest outages and the 200 newest messages, and all updates.',
  })
  items!: IncidentTimelineItemView[];

  @ApiProperty({
    type: [PlannedNotificationView],
    description:
      'The messages that are due next, soonest first, at most 50. Empty while they are suppressed by an acknowledgement, maintenance, or a parent that is down.',
  })
  planned!: PlannedNotificationView[];

  @ApiProperty({ description: 'Whether older outages or messages were left out.', example: false })
  more!: boolean;
}

/** An example for the API document. */
export const TIMELINE_EXAMPLE: IncidentTimelineView = {
  items: [
    {
      at: '2026-11-26T10:00:30.000Z',
      kind: 'delivery',
      endpoint: null,
      delivery: {
        contact: { id: exampleId('contact'), name: 'Operations' },
        channel_type: 'email',
        kind: 'triggered',
        state: 'delivered',
        detail: null,
        error: null,
        took_seconds: 0.4,
        count: 1,
        endpoints: ['Checkout'],
      },
      acknowledgement: null,
      update: null,
    },
    {
      at: '2026-11-26T09:58:00.000Z',
      kind: 'down',
      endpoint: {
        id: exampleId('endpoint'),
        name: 'Checkout',
        outage: 1,
        error: { code: 'connection_refused', message: 'The connection to 192.0.2.1 port 443 was refused.' },
        duration_seconds: null,
      },
      delivery: null,
      acknowledgement: null,
      update: null,
    },
  ],
  planned: [
    {
      at: '2026-11-26T10:08:00.000Z',
      kind: 'triggered',
      contact: { id: 'ct_01jd3k6q7be5y9x4v2m8n0r1sv', name: 'Manager' },
      channel_type: 'email',
      alert_id: exampleId('alert'),
      endpoint_id: exampleId('endpoint'),
      endpoint_name: 'Checkout',
    },
  ],
  more: false,
};
