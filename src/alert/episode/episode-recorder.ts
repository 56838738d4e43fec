import { Injectable } from '@nestjs/common';
import type { NewDelivery } from '../../delivery/delivery';
import { destinationOfAlert } from '../../delivery/destination';
import { Outbox } from '../../delivery/outbox';
import type { IncidentTrigger } from '../../incident/incident-draft';
import type { Leaving } from '../../incident/incident-queries';
import { IncidentRecorder } from '../../incident/incident-recorder';
import type { Route } from '../../delivery/route';
import type { Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { ProbeDirectory } from '../../probe/probe-directory';
import { newUuid } from '../../platform/ids/id';
import { cut, oneLine } from '../../platform/text/text-limits';
import { DatabaseClock } from '../../platform/database/database-clock';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import { saveAcknowledgements } from '../save-acknowledgements';
import { AlertResolved, AlertTriggered } from './alert-events';
import type { AlertSnapshot } from './alert-snapshot';
import {
  type AlertEventRow,
  type DecidedTransition,
  eventRowOf,
  type Episode,
  episodeAfter,
  notificationOf,
} from './episode';

/** The changes to one locked alert, in order. */
export interface AlertChange {
  alert: AlertSnapshot;
  decided: readonly DecidedTransition[];
  /** The old destination, which the deliveries keep if the alert's destination changes. */
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
 * The only place that changes `alert.triggered`. Flag, event, and delivery are written in the caller's transaction,
 * without decrypting any config. A delivery never decides the flag. Cost: three statements, regardless of the number of
 * alerts that change, and the statements of `IncidentRecorder`.
 */
@Injectable()
export class EpisodeRecorder {
  constructor(
    private readonly outbox: Outbox,
    private readonly incidents: IncidentRecorder,
    private readonly clock: Clock,
    private readonly databaseClock: DatabaseClock,
    private readonly probes: ProbeDirectory,
    private readonly transactionEvents: TransactionEvents,
  ) {}

  /**
   * Records the changes. `wellAgain` contains endpoints that are held in an incident and have recovered or were
   * stopped. Returns the endpoints that are held from now on, for which no changes are written. Throws if an alert
   * isn't in the state that the decision was based on. In this case, it wasn't locked, and the transaction must be
   * rolled back.
   */
  async record(
    tx: Tx,
    changes: readonly AlertChange[],
    wellAgain: readonly Leaving[] = [],
  ): Promise<ReadonlySet<string>> {
    const now = this.clock.now();
    const changed = changes.filter(({ decided }) => decided.length > 0);
    const leaving = leavingOf(changed, wellAgain);
    const names = await this.namesOf(tx, changed);
    let recorded: RecordedChange[] = [];
    let heldNow: readonly string[] = [];
    const incidentOf = await this.incidents.record(tx, triggersOf(changed), leaving, async (held) => {
      heldNow = [...held.keys()];
      recorded = changed.filter(({ alert }) => !held.has(alert.endpointId)).map((change) => apply(change, now, names));
      if (recorded.length > 0) await saveFlags(tx, recorded, this.databaseClock.now());
      const gone = new Set(leaving.map(({ endpointId }) => endpointId));
      // Their incident is acknowledged, so each of these endpoints is acknowledged too. An existing acknowledgement has
      // ended, because it would have suppressed the trigger.
      await saveAcknowledgements(
        tx,
        [...held.values()].filter(({ endpointId }) => !gone.has(endpointId)),
      );
    });
    if (recorded.length > 0) await this.tell(tx, recorded, incidentOf);
    return new Set(heldNow);
  }

  /** Returns the names of the locations in these changes. Cost: no statement if there are none. */
  private async namesOf(tx: Tx, changes: readonly AlertChange[]): Promise<ReadonlyMap<number, string>> {
    const seen = changes.flatMap(({ decided }) => decided.flatMap(({ locations }) => locations ?? []));
    if (seen.length === 0) return new Map();
    return this.probes.names(
      tx,
      seen.map(({ number }) => number),
    );
  }

  private async tell(
    tx: Tx,
    recorded: readonly RecordedChange[],
    incidentOf: ReadonlyMap<string, string>,
  ): Promise<void> {
    await saveEvents(
      tx,
      recorded.flatMap(({ events }) =>
        events.map((event) => ({ ...event, incident_id: incidentOf.get(event.endpoint_id) ?? null })),
      ),
    );
    await this.outbox.enqueue(
      tx,
      recorded.flatMap(({ deliveries }) => deliveries),
    );
    for (const { alert, events } of recorded)
      for (const { id: eventId, type } of events) {
        const moment = { orgId: alert.orgId, alertId: alert.id, endpointId: alert.endpointId, eventId };
        const event = type === 'triggered' ? new AlertTriggered(moment) : new AlertResolved(moment);
        await this.transactionEvents.emit(event, tx);
      }
  }
}

/** Returns each endpoint's first trigger, with down before degraded. */
function triggersOf(changes: readonly AlertChange[]): IncidentTrigger[] {
  const triggers = new Map<string, IncidentTrigger>();
  for (const { alert, decided } of changes) {
    for (const one of decided) {
      if (one.transition !== 'trigger') continue;
      const known = triggers.get(alert.endpointId);
      const trigger = triggerOf(alert, one);
      if (known === undefined || isFirst(trigger, known)) triggers.set(alert.endpointId, trigger);
    }
  }
  return [...triggers.values()];
}

const isFirst = (a: IncidentTrigger, b: IncidentTrigger): boolean =>
  a.severity === b.severity ? a.at < b.at : a.severity === 'down';

const triggerOf = (
  alert: AlertSnapshot,
  { at, failingSince, isDegraded, error, check }: DecidedTransition,
): IncidentTrigger => ({
  orgId: alert.orgId,
  endpointId: alert.endpointId,
  endpointName: alert.endpointName,
  websiteId: alert.websiteId,
  websiteName: alert.websiteName,
  severity: isDegraded ? 'degraded' : 'down',
  errorCode: error?.code ?? null,
  errorMessage: error && cut(oneLine(error.message), 300),
  address: check?.address ?? null,
  isOfProbe: alert.endpointType === 'PROBE',
  startedAt: failingSince ?? at,
  at,
});

/** Returns each endpoint that has a resolved alert, with its last resolve. */
function leavingOf(changes: readonly AlertChange[], wellAgain: readonly Leaving[]): Leaving[] {
  const leaving = new Map(wellAgain.map((one) => [one.endpointId, one]));
  for (const { alert, decided } of changes) {
    for (const { transition, at, endedAt } of decided) {
      if (transition !== 'resolve') continue;
      const end = endedAt ?? at;
      const known = leaving.get(alert.endpointId);
      if (known === undefined || known.at < end)
        leaving.set(alert.endpointId, { orgId: alert.orgId, endpointId: alert.endpointId, at: end });
    }
  }
  return [...leaving.values()];
}

function apply({ alert, decided, pinned }: AlertChange, now: Date, names: ReadonlyMap<number, string>): RecordedChange {
  const destination = destinationOfAlert(alert);
  const change: RecordedChange = {
    alert,
    episode: {
      no: alert.episodeNo,
      startedAt: alert.episodeStartedAt,
      triggerEventId: alert.triggerEventId,
    },
    triggered: alert.triggered,
    events: [],
    deliveries: [],
  };
  for (const transition of decided) {
    const eventId = newUuid();
    const episode = episodeAfter(change.episode, transition, eventId);
    const notification = notificationOf(alert, transition, episode, eventId, now, names);
    const event = eventRowOf(alert, transition, episode, eventId, notification);
    change.events.push(event);
    if (event.type === 'triggered' || alert.sendOnResolved) {
      change.deliveries.push({
        orgId: alert.orgId,
        alertId: alert.id,
        contactId: pinned ? pinned.contactId : alert.contactId,
        eventId,
        kind: event.type,
        episodeNo: episode.no,
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

/** `now` must be the database's clock, which instances compare to find due reminders. */
async function saveFlags(tx: Tx, changes: readonly RecordedChange[], now: Date): Promise<void> {
  const flags = changes.map(({ alert, episode, triggered }) => ({
    id: alert.id,
    was_triggered: alert.triggered,
    was_incident_no: alert.episodeNo,
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
