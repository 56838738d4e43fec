import { inBatches, RETENTION_BATCH, type Retention } from '../../platform/jobs/retention.job';
import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';
import type { SignIn } from '../person/sign-ins';

/** How long an unused session lasts. */
const IDLE_MS = 12 * HOUR_MS;
/** The maximum lifetime of a session that is in use. A read key's session ends only if it is unused for this long. */
const LIFETIME_MS = 7 * DAY_MS;
/** The maximum lifetime of a single sign-on session, so that a person who leaves a group loses access within a day. */
const SINGLE_SIGN_ON_MS = DAY_MS;
/** `$1` and `$2` are the values returned by `oldest`. */
const BEGAN_LATE_ENOUGH = `s.created_at > CASE WHEN s.via = 'single_sign_on'
    THEN $2::timestamptz + interval '${LIFETIME_MS - SINGLE_SIGN_ON_MS} milliseconds' ELSE $2::timestamptz END`;

/**
 * SQL: whether a session is still open. A read key's session may belong to a wall screen, which is turned off at night
 * and where no one can sign in. It lasts as long as the key.
 */
export const OPEN = `CASE WHEN k.role = 'read' THEN s.last_seen_at > $2 ELSE s.last_seen_at > $1 AND ${BEGAN_LATE_ENOUGH} END`;

/** Returns the parameters for `OPEN`. Sessions that were last used or were started before these times have ended. */
export const oldest = (now: Date): [used: Date, started: Date] => [
  new Date(now.getTime() - IDLE_MS),
  new Date(now.getTime() - LIFETIME_MS),
];

/** Returns when a session ends, even if it is in use. */
export const endOf = ({ created_at, via }: { created_at: Date; via: SignIn | null }): Date =>
  new Date(created_at.getTime() + (via === 'single_sign_on' ? SINGLE_SIGN_ON_MS : LIFETIME_MS));

/**
 * Deletes ended sessions that have been idle for 12 hours. Cost: those sessions plus read keys' idle sessions, by the
 * index on their last use.
 */
const OVER = `
  DELETE FROM session WHERE hash IN (
    SELECT s.hash FROM session s LEFT JOIN api_key k ON k.id = s.key_id
     WHERE s.last_seen_at <= $1 AND NOT (${OPEN}) ORDER BY s.last_seen_at LIMIT ${RETENTION_BATCH})
  RETURNING 1`;

export const SESSION_RETENTION: Retention = {
  name: 'session-retention',
  rows: [{ days: 0, remove: inBatches(OVER, oldest) }],
};
