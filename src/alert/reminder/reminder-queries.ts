import type { Notification } from '../../channel/notification';
import type { DeliveryDetail, DeliveryState } from '../../delivery/delivery';
import { triggerOutcomeOf } from '../../delivery/send/delivery-queries';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import type { Sql, Tx } from '../../platform/database/database';
import { rowsOf } from '../../platform/database/rows-of';
import { SECOND_MS } from '../../platform/time/time-units';
import { type AlertSnapshot, lockAlertsSql } from '../episode/alert-snapshot';
import { isSuppressedSql } from '../suppression/suppression-queries';
import { LOOK_EVERY_MS } from './reminder-step';

export interface DueFacts {
  /** Whether the endpoint is acknowledged, or a parent is down. */
  isSuppressed: boolean;
  isTold: boolean;
  isUp: boolean;
  /** The number of consecutive checks that were bad, according to the alert's condition. */
  failureCount: number;
  /** The trigger's error. */
  error: { code: string; message: string } | null;
  check: Notification['check'];
}

/** An alert with the fields that decide whether a maintenance window covers it. */
export interface OpenAlert {
  id: string;
  orgId: string;
  endpointId: string;
}

const IS_SUPPRESSED = isSuppressedSql('a.endpoint_id', '$1');

// The reminder is due less than one period after the next run. A suppressed alert must be postponed now.
const IS_NEAR = `a.remind_at < $1::timestamptz + (a.remind_every_seconds + ${LOOK_EVERY_MS / SECOND_MS}) * interval '1 second'`;

const pushed = (where: string): string => `
  UPDATE alert a SET remind_at = $1::timestamptz + (a.remind_every_seconds + ${(2 * LOOK_EVERY_MS) / SECOND_MS}) * interval '1 second'
   WHERE a.id = ANY (ARRAY(SELECT a.id FROM alert a WHERE ${IS_NEAR} AND ${where} ORDER BY a.id FOR UPDATE OF a SKIP LOCKED))`;

// Cost: the open alerts with reminders, by a partial index, and for each of them two lookups in small indexes.
const PUSH_SUPPRESSED = pushed(IS_SUPPRESSED);
const PUSH = pushed('a.id = ANY ($2::uuid[])');

const FACTS = `
  SELECT a.id, ${IS_SUPPRESSED} AS "isSuppressed", s.status = ${OUTCOME_CODE.up} AS "isUp",
    CASE a.condition WHEN 'degraded' THEN s.consecutive_bad ELSE s.consecutive_failures END AS "failureCount",
    e.error_code AS code, e.error_message AS message,
    n.notice -> 'check' AS "check", n.state, n.detail, n.may_have_arrived AS "mayHaveArrived"
  FROM alert a
  JOIN endpoint_state s ON s.endpoint_id = a.endpoint_id
  LEFT JOIN alert_event e ON e.id = a.trigger_event_id
  LEFT JOIN notification n ON n.event_id = a.trigger_event_id AND n.kind = 'triggered'
  WHERE a.id = ANY ($2::uuid[])`;

interface FactsRow {
  id: string;
  isSuppressed: boolean;
  isUp: boolean;
  failureCount: number;
  code: string | null;
  message: string | null;
  check: Notification['check'];
  state: DeliveryState | null;
  detail: DeliveryDetail | null;
  mayHaveArrived: boolean | null;
}

/**
 * Returns when the next reminder for any alert is due, or `null` if there is none. Cost: one lookup in a small index.
 */
export async function nextReminder(sql: Sql): Promise<Date | null> {
  const [row] = await sql.query<{ at: Date | null }>(
    'SELECT min(remind_at) AS at FROM alert WHERE remind_at IS NOT NULL',
  );
  return row?.at ?? null;
}

/**
 * Locks alerts whose reminder is due, oldest first. Skips alerts that another session has locked. Cost: two statements,
 * because with one statement, the planner may search the due alerts again for each alert.
 */
export async function lockDue(tx: Tx, now: Date, limit: number): Promise<AlertSnapshot[]> {
  const due = await tx.query<{ id: string }>(
    'SELECT id FROM alert WHERE remind_at <= $1 ORDER BY remind_at LIMIT $2 FOR UPDATE SKIP LOCKED',
    [now, limit],
  );
  if (due.length === 0) return [];
  return tx.query<AlertSnapshot>(lockAlertsSql('a.id = ANY ($1::uuid[])'), [due.map(({ id }) => id)]);
}

/** Returns the facts needed to decide about these alerts' reminders, and the content of the reminders, by alert ID. */
export async function readFacts(tx: Tx, alertIds: readonly string[], now: Date): Promise<Map<string, DueFacts>> {
  const rows = await tx.query<FactsRow>(FACTS, [now, alertIds]);
  return new Map(
    rows.map(({ id, code, message, state, detail, mayHaveArrived, ...facts }) => {
      const outcome = triggerOutcomeOf(state, detail, mayHaveArrived === true);
      return [
        id,
        {
          ...facts,
          isTold: outcome === 'notified' || outcome === 'maybe_notified',
          error: code === null ? null : { code, message: message ?? '' },
        },
      ];
    }),
  );
}

/**
 * Postpones the reminders for alerts that are suppressed now for a reason other than maintenance. The next reminder
 * comes a full period after the suppression at the earliest.
 */
export async function pushSuppressed(sql: Sql, now: Date): Promise<void> {
  await sql.query(PUSH_SUPPRESSED, [now]);
}

/** Postpones the reminders for these alerts to a full period after `now` at the earliest. */
export async function pushAhead(sql: Sql, alertIds: readonly string[], now: Date): Promise<void> {
  if (alertIds.length > 0) await sql.query(PUSH, [now, alertIds]);
}

/** Returns the organizations with a planned reminder. Cost: the open alerts with reminders. */
export async function remindedOrganizations(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('SELECT DISTINCT org_id AS id FROM alert WHERE remind_at IS NOT NULL');
  return rows.map(({ id }) => id);
}

/** Returns these organizations' alerts whose reminder is due less than a period after the next run. */
export const nearReminders = (sql: Sql, orgIds: readonly string[], now: Date): Promise<OpenAlert[]> =>
  sql.query<OpenAlert>(
    `SELECT a.id, a.org_id AS "orgId", a.endpoint_id AS "endpointId" FROM alert a
     WHERE ${IS_NEAR} AND a.org_id = ANY ($2::uuid[])`,
    [now, orgIds],
  );

export interface RemindedAlert {
  id: string;
  remindAt: Date | null;
  reminders: number;
}

const REMINDED = rowsOf<RemindedAlert>({
  id: ['uuid', ({ id }) => id],
  remind_at: ['timestamptz', ({ remindAt }) => remindAt],
  reminders: ['int', ({ reminders }) => reminders],
});

/** Saves when each of these locked alerts sends its next reminder, and how many it has sent. */
export async function saveReminded(tx: Tx, alerts: readonly RemindedAlert[]): Promise<void> {
  await tx.query(
    `UPDATE alert a SET remind_at = r.remind_at, reminders = r.reminders
     FROM ${REMINDED.as('r')} WHERE a.id = r.id`,
    REMINDED.of(alerts),
  );
}
