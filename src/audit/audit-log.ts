import type { Tx } from '../platform/database/database';
import { newUuid } from '../platform/ids/id';
import { Turns } from '../platform/time/turns';
import { countChange } from './changed-bytes';
import { type AuditAction, auditedKind, type AuditedResource, differenceOf } from './audited-change';
import { type Authorship, currentAuthorship } from './authorship';

/** The size of an entry in the table and its indexes, in bytes, excluding its settings. */
const ENTRY_BYTES = 400;

export interface Act {
  readonly action: AuditAction;
  readonly resource: AuditedResource;
  /** The UUID. */
  readonly id: string;
  /** The settings before and after, with their API names. Every credential is masked or omitted. */
  readonly before?: object | null;
  readonly after?: object | null;
  /** Settings that changed although both sides look the same, because they are masked. */
  readonly hidden?: readonly string[];
  /** The author, for requests that don't authenticate one: when signing in or out. */
  readonly author?: Authorship;
}

/** One action on a resource of an organization. */
export interface Change extends Act {
  readonly orgId: string;
}

/**
 * Records who changed what, in the transaction of the change. So there is no change without its entry, and no entry
 * without its change. An update that changes nothing has no entry. The database refuses to edit or remove entries.
 */
export async function recordChange(tx: Tx, change: Change): Promise<void> {
  const bytes = await append(tx, 'audit_log', change, { org_id: change.orgId });
  if (bytes > 0) countChange(tx, change.orgId, bytes);
}

/** Records many changes in one transaction, with one entry for each. Cost: one statement. */
export async function recordChanges(tx: Tx, changes: readonly Change[]): Promise<void> {
  const made = await new Turns().map(changes, (change) => {
    const row = rowOf(change, { org_id: change.orgId });
    return row ? [{ row, text: JSON.stringify(row) }] : [];
  });
  const entries = made.flat();
  const [first] = entries;
  if (!first) return;
  const names = Object.keys(first.row).join(', ');
  await tx.query(
    `INSERT INTO audit_log (${names}) SELECT ${names} FROM json_populate_recordset(NULL::audit_log, $1::json)`,
    [`[${entries.map(({ text }) => text).join(',')}]`],
  );
  const bytes = new Map<string, number>();
  for (const { row, text } of entries) bytes.set(row.org_id, (bytes.get(row.org_id) ?? 0) + Buffer.byteLength(text));
  bytes.forEach((sum, orgId) => countChange(tx, orgId, sum));
}

/**
 * Records an action of the operator that concerns the installation. The entry belongs to no organization and outlives
 * all of them.
 */
export async function recordOperatorAct(tx: Tx, act: Act): Promise<void> {
  await append(tx, 'operator_audit_log', act, {});
}

/**
 * Removes a batch of entries of an organization that is marked as deleted, and returns their number. The database only
 * allows that for such organizations.
 */
export async function removeSomeEntries(tx: Tx, orgId: string, limit: number): Promise<number> {
  const rows = await tx.query(
    `DELETE FROM audit_log WHERE (org_id, id) IN (
       SELECT org_id, id FROM audit_log WHERE org_id = $1 ORDER BY id LIMIT $2) RETURNING 1`,
    [orgId, limit],
  );
  return rows.length;
}

/** Returns the approximate size of the entry in bytes, or 0 for an update that changes nothing. */
async function append(tx: Tx, table: string, act: Act, owner: Readonly<Record<string, string>>): Promise<number> {
  const row = rowOf(act, owner);
  if (!row) return 0;
  const names = Object.keys(row);
  const placeholders = names.map((_, i) => `$${i + 1}`);
  const values = { ...row, before: toJson(row.before), after: toJson(row.after) };
  await tx.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${placeholders.join(', ')})`,
    Object.values(values),
  );
  return ENTRY_BYTES + Buffer.byteLength(values.before ?? '') + Buffer.byteLength(values.after ?? '');
}

/** Returns the row for an entry, or `null` for an update that changes nothing. */
function rowOf<Owner extends object>(act: Act, owner: Owner) {
  if (auditedKind(act.resource) === null)
    throw new Error(`No one could read an entry about "${act.resource}": list it under "audited" of its extension`);
  const { changed, before, after } = differenceOf(act.before ?? null, act.after ?? null, act.hidden);
  if (act.action === 'update' && changed.length === 0) return null;
  const author = act.author ?? currentAuthorship();
  return {
    ...owner,
    id: newUuid(),
    action: act.action,
    resource: act.resource,
    resource_id: act.id,
    changed,
    before,
    after,
    via: author.via,
    key_id: author.keyId,
    key_name: author.keyName,
    person_id: author.personId,
    address: author.address,
    request_id: author.requestId,
  };
}

const toJson = (settings: object | null): string | null => (settings === null ? null : JSON.stringify(settings));
