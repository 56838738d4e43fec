import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { Clock } from '../../platform/time/clock';
import { AlertDestinations } from '../../delivery/destination';
import type { AlertSnapshot } from './alert-snapshot';
import {
  type AlertEventRow,
  type DecidedTransition,
  eventRowOf,
  type Incident,
  incidentAfter,
  notificationOf,
} from './incident';
import { Outbox, type OwedMessage } from '../../delivery/outbox';

/** What happens to one locked alert, in order. */
export interface AlertChange {
  subject: AlertSnapshot;
  decided: readonly DecidedTransition[];
  /** True when the alert is about to be deleted or to get another config: what is owed keeps the present one. */
  pinConfig: boolean;
}

interface RecordedChange {
  subject: AlertSnapshot;
  incident: Incident;
  triggered: boolean;
  events: AlertEventRow[];
  owed: OwedMessage[];
}

/**
 * The one place that flips `alert.triggered`. Flag, event and owed message are written in the caller's transaction,
 * three statements however many alerts change. Delivery never decides the flag.
 */
@Injectable()
export class IncidentRecorder {
  constructor(
    private readonly destinations: AlertDestinations,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Throws when an alert is not in the state it was decided on: then it was not locked, and all must roll back. */
  async record(tx: Tx, changes: readonly AlertChange[]): Promise<void> {
    const now = this.clock.now();
    const recorded = changes.filter(({ decided }) => decided.length > 0).map((change) => this.apply(change, now));
    if (recorded.length === 0) return;
    await saveFlags(tx, recorded);
    await saveEvents(
      tx,
      recorded.flatMap(({ events }) => events),
    );
    const owed = recorded.flatMap((change) => change.owed);
    if (owed.length > 0) await this.outbox.enqueue(tx, owed);
  }

  private apply({ subject, decided, pinConfig }: AlertChange, now: Date): RecordedChange {
    const destination = this.destinations.of(subject);
    const change: RecordedChange = {
      subject,
      incident: {
        no: subject.incidentNo,
        startedAt: subject.incidentStartedAt,
        triggerEventId: subject.triggerEventId,
      },
      triggered: subject.triggered,
      events: [],
      owed: [],
    };
    for (const step of decided) {
      const eventId = newUuid();
      const incident = incidentAfter(change.incident, step, eventId);
      const notice = notificationOf(subject, step, incident, eventId, now);
      const event = eventRowOf(subject, step, incident, eventId, notice);
      change.events.push(event);
      if (event.type === 'triggered' || subject.sendOnResolved) {
        change.owed.push({
          orgId: subject.orgId,
          alertId: subject.id,
          eventId,
          kind: event.type,
          incidentNo: incident.no,
          channelType: subject.type,
          destination,
          notice,
          config: pinConfig ? subject.config : null,
        });
      }
      change.incident = incident;
      change.triggered = event.type === 'triggered';
    }
    return change;
  }
}

async function saveFlags(tx: Tx, changes: readonly RecordedChange[]): Promise<void> {
  const flags = changes.map(({ subject, incident, triggered }) => ({
    id: subject.id,
    was_triggered: subject.triggered,
    was_incident_no: subject.incidentNo,
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
