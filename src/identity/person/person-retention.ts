import { inBatches, type KeptRows, RETENTION_BATCH, type Retention } from '../../platform/jobs/retention.job';

/**
 * The number of days after which an account without an organization is deleted unless it is an operator. The person can
 * be invited again.
 */
const HOMELESS_DAYS = 30;

/**
 * Sets the time since which a person has had no organization, by this run's clock. Also finds people who left two
 * organizations at the same time. Cost: one key lookup per person.
 */
const FIND = `
  UPDATE person p SET homeless_since = $1::timestamptz + interval '${HOMELESS_DAYS} days'
   WHERE homeless_since IS NULL AND NOT EXISTS (SELECT FROM membership m WHERE m.person_id = p.id)`;

/**
 * Deletes people with their sessions, links, and identities. A person who joins at the same time is kept. Cost: the due
 * rows, by a partial index.
 */
const ERASE = `
  DELETE FROM person WHERE NOT is_operator AND homeless_since < $1 AND id IN (
    SELECT id FROM person WHERE homeless_since < $1 AND NOT is_operator ORDER BY homeless_since LIMIT ${RETENTION_BATCH})
  RETURNING 1`;

/**
 * Expired invitations are deleted because they contain an email. Cost: a scan of the open invitations, whose number is
 * limited by quotas.
 */
const EXPIRED = `
  DELETE FROM invitation WHERE id IN (
    SELECT id FROM invitation WHERE expires_at <= $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`;

const erase: KeptRows['remove'] = async ({ database, cutoff, isStopping }) => {
  await database.query(FIND, [cutoff]);
  let erased = RETENTION_BATCH;
  while (erased === RETENTION_BATCH && !isStopping()) erased = (await database.query(ERASE, [cutoff])).length;
};

/** The retention policy for accounts that have had no organization for 30 days, and for expired invitations. */
export const PERSON_RETENTION: Retention = {
  name: 'person-retention',
  rows: [
    { days: HOMELESS_DAYS, remove: erase },
    { days: 0, remove: inBatches(EXPIRED) },
  ],
};
