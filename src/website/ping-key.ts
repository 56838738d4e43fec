import { randomBytes } from 'node:crypto';
import { may, type Role } from '../platform/access/permissions';
import type { Sql } from '../platform/database/database';
import { MASK } from '../platform/secrets/mask';

/** Returns 22 characters in the format that the database creates for websites from older versions. */
export const newPingKey = (): string => randomBytes(16).toString('base64url');

/** Masks the ping key for read keys, because anyone who has it can send pings. */
export const withoutPingKey = <View extends { ping_key: string }>(view: View, role: Role): View =>
  may({ role }, 'secrets.read') ? view : { ...view, ping_key: MASK };

/** Replaces the ping key of a locked website. The old key becomes invalid immediately. */
export async function replacePingKey(sql: Sql, websiteId: string): Promise<void> {
  await sql.query('UPDATE website SET ping_key = $2 WHERE id = $1', [websiteId, newPingKey()]);
}
