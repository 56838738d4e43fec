import { toAlertEventView } from '../alert/event/alert-event.dto';
import type { AlertEvent } from '../alert/event/alert-event.entity';
import { outcomeOf } from '../endpoint/outcome-code';
import { errorCodeAt, toMilliseconds } from '../history/check-encoding';
import { checkId } from '../history/check-id';
import { toIncidentView } from '../incident/incident.dto';
import { type IncidentRow, incidentOfJson } from '../incident/incident-row';
import { nameAmong } from '../platform/access/author';
import { formatId } from '../platform/ids/id';
import { PING_KINDS } from '../endpoint/heartbeat/ping-kind';
import type {
  AcknowledgementChangeView,
  HeartbeatChangeView,
  IncidentChangeView,
  LocationChangeView,
  MaintenanceChangeView,
  ProbeChangeView,
  StateChangeView,
  StreamAcknowledgementView,
} from './stream.dto';

/**
 * A row of stream_event with the fields that its message needs. Endpoint fields are `null` if the endpoint was deleted.
 */
export interface StreamRow {
  xid: string;
  seq: string;
  org_id: string;
  at: Date;
  /** Set if the row is neither an alert event nor a check. In that case, `payload` has the content. */
  kind: string | null;
  payload: unknown;
  /** The names of people in the payload, by ID. */
  names: Readonly<Record<string, string>> | null;
  /** Set if the row is an alert event. Otherwise it is a check, unless it has a `kind`. */
  event_id: string | null;
  endpoint_id: string | null;
  endpoint_key: string | null;
  endpoint_name: string | null;
  website_id: string | null;
  checked_at: Date | null;
  /** The number of the check's location, or `null` for an endpoint that only the service itself checks. */
  location: number | null;
  status: number | null;
  previous_status: number | null;
  duration_us: number | null;
  status_code: number | null;
  error: number | null;
}

/** Returns one server-sent event in its wire format. `id` becomes the client's `Last-Event-ID`. */
export function frame(type: string, data: unknown, id: string | null): string {
  return `${id === null ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns the event for a row with a kind. Returns `null` for kinds from later versions and for deleted resources. */
export function otherMessageOf(
  { kind, payload, names, endpoint_id, endpoint_key, endpoint_name }: StreamRow,
  id: string,
): string | null {
  if (kind === 'maintenance') {
    // The ID in the row is a UUID.
    const { window_id, ...state } = payload as MaintenanceChangeView;
    return frame(kind, { window_id: formatId('maintenanceWindow', window_id), ...state }, id);
  }
  if (kind === 'incident') {
    const { change, ...row } = payload as Record<string, unknown> & Pick<IncidentChangeView, 'change'>;
    return frame(
      kind,
      { ...toIncidentView(named(incidentOfJson(row), names)), change } satisfies IncidentChangeView,
      id,
    );
  }
  if (kind === 'probe') {
    // The ID in the row is a UUID.
    const { probe_id, ...change } = payload as ProbeChangeView;
    return frame(kind, { probe_id: formatId('probe', probe_id), ...change } satisfies ProbeChangeView, id);
  }
  if (endpoint_id === null || endpoint_key === null) return null;
  if (kind === 'location') {
    const change: LocationChangeView = {
      endpoint_id: formatId('endpoint', endpoint_id),
      endpoint_name: endpoint_name ?? '',
      ...(payload as Omit<LocationChangeView, 'endpoint_id' | 'endpoint_name'>),
    };
    return frame(kind, change, id);
  }
  if (kind === 'heartbeat') {
    const { kind: stored, at } = payload as { kind: number; at: string };
    const change: HeartbeatChangeView = {
      endpoint_id: formatId('endpoint', endpoint_id),
      endpoint_name: endpoint_name ?? '',
      kind: PING_KINDS[stored] ?? 'log',
      at,
    };
    return frame(kind, change, id);
  }
  if (kind !== 'acknowledgement') return null;
  const change: AcknowledgementChangeView = {
    endpoint_id: formatId('endpoint', endpoint_id),
    acknowledgement: acknowledgementOf(payload, names),
  };
  return frame(kind, change, id);
}

const named = (row: IncidentRow, names: StreamRow['names']): IncidentRow => ({
  ...row,
  ackBy: nameAmong(names, { by: row.ackBy, personId: row.ackPersonId ?? null }),
  createdBy: nameAmong(names, { by: row.createdBy, personId: row.createdById ?? null }),
});

/**
 * Returns `null` if the acknowledgement has ended. Rows written before people were added to the service have no
 * `person_id`.
 */
function acknowledgementOf(payload: unknown, names: StreamRow['names']): AcknowledgementChangeView['acknowledgement'] {
  if (payload === null) return null;
  const { person_id, ...said } = payload as StreamAcknowledgementView & { person_id?: string | null };
  return { ...said, by: nameAmong(names, { by: said.by, personId: person_id ?? null }) };
}

/**
 * Returns the event for a row without a kind, `alert` or `check`, in its wire format. Returns `null` if its resource
 * was deleted.
 */
export function messageOf(row: StreamRow, event: AlertEvent | null, checkIdSecret: Buffer): string | null {
  if (event) return frame('alert', toAlertEventView(event), formatId('event', event.id));
  if (row.endpoint_id === null || row.endpoint_key === null || row.website_id === null || row.checked_at === null)
    return null;
  const id = checkId(checkIdSecret, row.endpoint_key, row.checked_at, row.location ?? undefined);
  const error = errorCodeAt(row.error ?? -1);
  const change: StateChangeView = {
    id,
    endpoint_id: formatId('endpoint', row.endpoint_id),
    endpoint_name: row.endpoint_name ?? '',
    website_id: formatId('website', row.website_id),
    status: outcomeOf(row.status ?? 2),
    previous_status: outcomeOf(row.previous_status ?? 2),
    checked_at: row.checked_at.toISOString(),
    duration_ms: toMilliseconds(row.duration_us ?? -1),
    status_code: row.status_code !== null && row.status_code >= 0 ? row.status_code : null,
    error: error === null ? null : { code: error },
  };
  return frame('check', change, id);
}
