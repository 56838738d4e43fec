import { inBatches, type KeptRows, RETENTION_BATCH, type Retention } from '../../platform/jobs/retention.job';

/** Nobody needs the account of somebody who is in no organization and no operator: they could be invited again. */
const HOMELESS_DAYS = 30;

// Cost: everybody, each with a look-up by key.
/** Since when somebody is in none, by the clock of this run; whoever was in two and left both at once is found here. */
const FIND = `
  UPDATE person p SET homeless_since = $1::timestamptz + interval '${HOMELESS_DAYS} days'
   WHERE homeless_since IS NULL AND NOT EXISTS (SELECT FROM membership m WHERE m.person_id = p.id)`;

/** With their sessions, links and identities. Whoever joins meanwhile stays. Cost: those that are due, by a partial index. */
const ERASE = `
  DELETE FROM person WHERE NOT is_operator AND homeless_since < $1 AND id IN (
    SELECT id FROM person WHERE homeless_since < $1 AND NOT is_operator ORDER BY homeless_since LIMIT ${RETENTION_BATCH})
  RETURNING 1`;

// Cost: a scan of the open invitations, which quotas bound.
/** They hold an e-mail, and lead nowhere any more. */
const EXPIRED = `
  DELETE FROM invitation WHERE id IN (
    SELECT id FROM invitation WHERE expires_at <= $1 LIMIT ${RETENTION_BATCH}) RETURNING 1`;

const erase: KeptRows['remove'] = async ({ database, cutoff, isStopping }) => {
  await database.query(FIND, [cutoff]);
  let erased = RETENTION_BATCH;
  while (erased === RETENTION_BATCH && !isStopping()) erased = (await database.query(ERASE, [cutoff])).length;
};

/** Accounts of people who have been in no organization for 30 days, and invitations that are over. */
export const PERSON_RETENTION: Retention = {
  name: 'person-retention',
  rows: [
    { days: HOMELESS_DAYS, remove: erase },
    { days: 0, remove: inBatches(EXPIRED) },
  ],
};
