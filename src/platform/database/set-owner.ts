import type { Tx } from './database';

/**
 * Sets the owner of these rows in an organization. `null` removes the owner. Rows that already have this owner are not
 * changed. Cost: one statement. `table` comes from the code and must have the columns `org_id`, `id`, and `owner`.
 */
export async function setOwner(
  tx: Tx,
  table: string,
  orgId: string,
  ids: readonly string[],
  owner: string | null,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `UPDATE ${table} SET owner = $3::text WHERE org_id = $1 AND id = ANY ($2::uuid[]) AND owner IS DISTINCT FROM $3::text`,
    [orgId, ids, owner],
  );
}
