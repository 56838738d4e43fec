import { randomBytes, randomUUID } from 'node:crypto';
import type { Sql } from '../../platform/database/database';
import { rowsOf } from '../../platform/database/rows-of';
import { sqlState } from '../../platform/database/postgres-errors';
import { problems } from '../../platform/problem/problem';
import type { SentAddress } from './heartbeat.dto';

const UNIQUE_VIOLATION = '23505';
/** The number of hours for which the old URLs still work after a rotation. */
const OLD_HOURS = 24;

/** Returns 24 random characters. */
const newToken = (): string => randomBytes(18).toString('base64url');

/** The error doesn't reveal who owns the URL. */
async function refuseTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
    throw problems.conflict('The ping_id or the push_token is already in use. Choose another one, or leave it out.');
  }
}

/** A heartbeat that is about to be stored. If `armed` is true, it can be late before its first ping. */
export interface NewHeartbeat extends SentAddress {
  endpointId: string;
  armed: boolean;
}

const ADDED = rowsOf<NewHeartbeat>({
  endpoint_id: ['uuid', ({ endpointId }) => endpointId],
  ping_id: ['uuid', ({ pingId }) => pingId ?? randomUUID()],
  push_token: ['text', ({ pushToken }) => pushToken ?? newToken()],
  armed: ['boolean', ({ armed }) => armed],
});

/** Inserts the rows of new heartbeats in one statement. Throws: `conflict` if a ping ID or push token is taken. */
export async function insertHeartbeats(sql: Sql, rows: readonly NewHeartbeat[]): Promise<void> {
  if (rows.length === 0) return;
  await refuseTaken(
    sql.query(`INSERT INTO heartbeat (${ADDED.names}) SELECT * FROM ${ADDED.as('r')}`, ADDED.of(rows)),
  );
}

/**
 * Replaces the ping ID or push token. The old one stops working immediately. Throws: `conflict` if the new one is
 * taken.
 */
export async function changeAddress(sql: Sql, endpointId: string, { pingId, pushToken }: SentAddress): Promise<void> {
  if (pingId === undefined && pushToken === undefined) return;
  await refuseTaken(
    sql.query(
      `UPDATE heartbeat SET ping_id = coalesce($2, ping_id), push_token = coalesce($3, push_token) WHERE endpoint_id = $1`,
      [endpointId, pingId ?? null, pushToken ?? null],
    ),
  );
}

/**
 * Creates a new ping ID and push token. The previous ones work for 24 more hours. Older ones stop working immediately.
 */
export async function rotateAddress(sql: Sql, endpointId: string): Promise<void> {
  await sql.query(
    `UPDATE heartbeat SET old_ping_id = ping_id, old_push_token = push_token, old_until = now() + interval '${OLD_HOURS} hours',
            ping_id = $2, push_token = $3
      WHERE endpoint_id = $1`,
    [endpointId, randomUUID(), newToken()],
  );
}
