import type { Tx } from '../database/database';
import { newUuid } from '../ids/id';
import { type AuditAction, type AuditedResource, differenceOf } from './audited-change';
import { currentAuthorship } from './authorship';

/** What a service did to one thing. */
export interface Change {
  readonly orgId: string;
  readonly action: AuditAction;
  readonly resource: AuditedResource;
  /** uuid. */
  readonly id: string;
  /** The settings before and after, under the names of the API and with every credential masked or left out. */
  readonly before?: object | null;
  readonly after?: object | null;
  /** Settings that changed although both sides look the same, because they are masked. */
  readonly hidden?: readonly string[];
}

/**
 * Writes down who changed what, in the transaction that changes it: no change without its entry, no entry without its
 * change. An update that changes nothing leaves none. The database refuses to edit or remove entries.
 */
export async function recordChange(tx: Tx, change: Change): Promise<void> {
  const { changed, before, after } = differenceOf(change.before ?? null, change.after ?? null, change.hidden);
  if (change.action === 'update' && changed.length === 0) return;
  const author = currentAuthorship();
  await tx.query(
    `INSERT INTO audit_log
       (id, org_id, action, resource, resource_id, changed, before, after, via, key_id, key_name, address, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      newUuid(),
      change.orgId,
      change.action,
      change.resource,
      change.id,
      changed,
      toJson(before),
      toJson(after),
      author.via,
      author.keyId,
      author.keyName,
      author.address,
      author.requestId,
    ],
  );
}

const toJson = (settings: object | null): string | null => (settings === null ? null : JSON.stringify(settings));
