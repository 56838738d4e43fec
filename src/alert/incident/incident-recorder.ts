import { Injectable } from '@nestjs/common';
import type { NewDelivery } from '../../delivery/delivery';
import { destinationOfAlert } from '../../delivery/destination';
import { Outbox } from '../../delivery/outbox';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { Clock } from '../../platform/time/clock';
import type { AlertSnapshot } from './alert-snapshot';
import {
  type AlertEventRow,
  type DecidedTransition,
  eventRowOf,
  type Incident,
  incidentAfter,
  notificationOf,
} from './incident';

/** What happens to one locked alert, in order. */
export interface AlertChange {
  alert: AlertSnapshot;
  decided: readonly DecidedTransition[];
  /** True when the alert is about to be deleted or to get another config: its deliveries keep the present one. */
  pinConfig: boolean;
}

interface RecordedChange {
  alert: AlertSnapshot;
  incident: Incident;
  triggered: boolean;
  events: AlertEventRow[];
  deliveries: NewDelivery[];
}

/**
 * The one place that flips `alert.triggered`. Flag, event and delivery are written in the caller's transaction, three
 * statements however many alerts change; no config is decrypted for it. A delivery never decides the flag.
 */
@Injectable()
export class IncidentRecorder {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Throws when an alert is not in the state it was decided on: then it was not locked, and all must roll back. */
  async record(tx: Tx, changes: readonly AlertChange[]): Promise<void> {
    const now = this.clock.now();
    const recorded = changes.filter(({ decided }) => decided.length > 0).map((change) => apply(change, now));
    if (recorded.length === 0) return;
    await saveFlags(tx, recorded);
    await saveEvents(
      tx,
      recorded.flatMap(({ events }) => events),
    );
    const deliveries = recorded.flatMap((change) => change.deliveries);
    if (deliveries.length > 0) await this.outbox.enqueue(tx, deliveries);
  }
}

function apply({ alert, decided, pinConfig }: AlertChange, now: Date): RecordedChange {
  const destination = destinationOfAlert(alert);
  const change: RecordedChange = {
    alert,
    incident: {
      no: alert.incidentNo,
      startedAt: alert.incidentStartedAt,
      triggerEventId: alert.triggerEventId,
    },
    triggered: alert.triggered,
    events: [],
    deliveries: [],
  };
  for (const transition of decided) {
    const eventId = newUuid();
    const incident = incidentAfter(change.incident, transition, eventId);
    const notification = notificationOf(alert, transition, incident, eventId, now);
    const event = eventRowOf(alert, transition, incident, eventId, notification);
    change.events.push(event);
    if (event.type === 'triggered' || alert.sendOnResolved) {
      change.deliveries.push({
        orgId: alert.orgId,
        alertId: alert.id,
        eventId,
        kind: event.type,
        incidentNo: incident.no,
        channelType: alert.type,
        destination,
        notification,
        config: pinConfig ? alert.config : null,
      });
    }
    change.incident = incident;
    change.triggered = event.type === 'triggered';
  }
  return change;
}

async function saveFlags(tx: Tx, changes: readonly RecordedChange[]): Promise<void> {
  const flags = changes.map(({ alert, incident, triggered }) => ({
    id: alert.id,
    was_triggered: alert.triggered,
    was_incident_no: alert.incidentNo,
    triggered,
    incident_no: incident.no,
    incident_started_at: triggered ? incident.startedAt : null,
    trigger_event_id: triggered ? incident.triggerEventId : null,
  }));
  const saved = await tx.query<{ id: string }>(
    `UPDATE alert a
     SET triggered = c.triggered, incident_no = c.incident_no,
         incident_started_at = c.incident_started_at, trigger_event_id = c.trigger_event_id
     FROM jsonb_to_recordset($1::jsonb) AS c (id uuid, was_triggered boolean, was_incident_no integer,
       triggered boolean, incident_no integer, incident_started_at timestamptz, trigger_event_id uuid)
     WHERE a.id = c.id AND a.triggered = c.was_triggered AND a.incident_no = c.was_incident_no
     RETURNING a.id`,
    [JSON.stringify(flags)],
  );
  if (saved.length !== flags.length) throw new Error('an alert changed between its decision and its record');
}

async function saveEvents(tx: Tx, events: readonly AlertEventRow[]): Promise<void> {
  const columns = Object.keys(events[0] ?? {}).join(', ');
  await tx.query(
    `INSERT INTO alert_event (${columns})
     SELECT ${columns} FROM jsonb_populate_recordset(NULL::alert_event, $1::jsonb)`,
    [JSON.stringify(events)],
  );
}
