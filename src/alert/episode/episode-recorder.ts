import { Injectable } from '@nestjs/common';
import type { NewDelivery } from '../../delivery/delivery';
import { destinationOfAlert } from '../../delivery/destination';
import { Outbox } from '../../delivery/outbox';
import type { Route } from '../../delivery/route';
import type { Tx } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { DatabaseClock } from '../../platform/database/database-clock';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import type { AlertSnapshot } from './alert-snapshot';
import {
  type AlertEventRow,
  type DecidedTransition,
  eventRowOf,
  type Episode,
  episodeAfter,
  notificationOf,
} from './episode';

/** What happens to one locked alert, in order. */
export interface AlertChange {
  alert: AlertSnapshot;
  decided: readonly DecidedTransition[];
  /** What its deliveries keep, when the alert notifies through something else from now on. */
  pinned: Pick<Route, 'contactId' | 'config'> | null;
}

interface RecordedChange {
  alert: AlertSnapshot;
  episode: Episode;
  triggered: boolean;
  events: AlertEventRow[];
  deliveries: NewDelivery[];
}

/**
 * The one place that flips `alert.triggered`. Flag, event and delivery are written in the caller's transaction, three
 * statements however many alerts change; no config is decrypted for it. A delivery never decides the flag.
 */
@Injectable()
export class EpisodeRecorder {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Throws when an alert is not in the state it was decided on: then it was not locked, and all must roll back. */
  async record(tx: Tx, changes: readonly AlertChange[]): Promise<void> {
    const now = this.clock.now();
    const recorded = changes.filter(({ decided }) => decided.length > 0).map((change) => apply(change, now));
    if (recorded.length === 0) return;
    await saveFlags(tx, recorded, this.databaseClock.now());
    await saveEvents(
      tx,
      recorded.flatMap(({ events }) => events),
    );
    const deliveries = recorded.flatMap((change) => change.deliveries);
    if (deliveries.length > 0) await this.outbox.enqueue(tx, deliveries);
  }
}

function apply({ alert, decided, pinned }: AlertChange, now: Date): RecordedChange {
  const destination = destinationOfAlert(alert);
  const change: RecordedChange = {
    alert,
    episode: {
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
    const episode = episodeAfter(change.episode, transition, eventId);
    const notification = notificationOf(alert, transition, episode, eventId, now);
    const event = eventRowOf(alert, transition, episode, eventId, notification);
    change.events.push(event);
    if (event.type === 'triggered' || alert.sendOnResolved) {
      change.deliveries.push({
        orgId: alert.orgId,
        alertId: alert.id,
        contactId: pinned ? pinned.contactId : alert.contactId,
        eventId,
        kind: event.type,
        incidentNo: episode.no,
        channelType: alert.type,
        destination,
        notification,
        config: pinned && pinned.config,
      });
    }
    change.episode = episode;
    change.triggered = event.type === 'triggered';
  }
  return change;
}

/** `now` is the database's: instances compare when reminders fall due. */
async function saveFlags(tx: Tx, changes: readonly RecordedChange[], now: Date): Promise<void> {
  const flags = changes.map(({ alert, episode, triggered }) => ({
    id: alert.id,
    was_triggered: alert.triggered,
    was_incident_no: alert.incidentNo,
    triggered,
    incident_no: episode.no,
    incident_started_at: triggered ? episode.startedAt : null,
    trigger_event_id: triggered ? episode.triggerEventId : null,
    remind_at: triggered ? firstReminder(alert, now) : null,
  }));
  const saved = await tx.query<{ id: string }>(
    `UPDATE alert a
     SET triggered = c.triggered, incident_no = c.incident_no,
         incident_started_at = c.incident_started_at, trigger_event_id = c.trigger_event_id,
         remind_at = c.remind_at, reminders = 0
     FROM jsonb_to_recordset($1::jsonb) AS c (id uuid, was_triggered boolean, was_incident_no integer,
       triggered boolean, incident_no integer, incident_started_at timestamptz, trigger_event_id uuid,
       remind_at timestamptz)
     WHERE a.id = c.id AND a.triggered = c.was_triggered AND a.incident_no = c.was_incident_no
     RETURNING a.id`,
    [JSON.stringify(flags)],
  );
  if (saved.length !== flags.length) throw new Error('an alert changed between its decision and its record');
}

const firstReminder = ({ remindEverySeconds }: AlertSnapshot, now: Date): Date | null =>
  remindEverySeconds === null ? null : new Date(now.getTime() + remindEverySeconds * SECOND_MS);

async function saveEvents(tx: Tx, events: readonly AlertEventRow[]): Promise<void> {
  const columns = Object.keys(events[0] ?? {}).join(', ');
  await tx.query(
    `INSERT INTO alert_event (${columns})
     SELECT ${columns} FROM jsonb_populate_recordset(NULL::alert_event, $1::jsonb)`,
    [JSON.stringify(events)],
  );
}
