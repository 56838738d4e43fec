import { randomBytes } from 'node:crypto';
import type { Role } from '../platform/access/caller';
import type { Sql } from '../platform/database/database';
import { MASK } from '../platform/secrets/mask';

/** 22 characters, as the database makes them for websites of older versions. */
export const newPingKey = (): string => randomBytes(16).toString('base64url');

/** What a read key sees: whoever has the key may ping. */
export const withoutPingKey = <View extends { ping_key: string }>(view: View, role: Role): View =>
  role === 'read' ? { ...view, ping_key: MASK } : view;

/** Another key for a locked website: the old one is unknown at once. */
export async function replacePingKey(sql: Sql, websiteId: string): Promise<void> {
  await sql.query('UPDATE website SET ping_key = $2 WHERE id = $1', [websiteId, newPingKey()]);
}
