import type { Tx } from './database';

/**
 * Writes who declares these rows of an organization, `null` for nobody, where it is another: one statement, nothing else of
 * them changes. `table`: one of the caller's, with the columns `org_id`, `id` and `owner`.
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
