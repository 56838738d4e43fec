import { currentAuthor } from '../../audit/authorship';
import { storedName } from '../../platform/access/author';
import type { Tx } from '../../platform/database/database';
import { inBatches, type Retention, RETENTION_BATCH } from '../../platform/jobs/retention.job';
import type { Endpoint, EndpointSettings } from '../endpoint.entity';

/** How long a deleted endpoint can be restored. */
export const RESTORABLE_DAYS = 7;
/** The maximum number of an organization's deleted endpoints. The oldest ones make room for new ones. */
export const MOST_DELETED = 1000;

/** An endpoint that is being deleted, with everything that its row contains. */
export interface Removed extends Pick<Endpoint, 'id' | 'key' | 'websiteId' | 'owner' | 'createdAt'> {
  settings: EndpointSettings;
  /** The UUIDs of its parents. */
  dependsOn: readonly string[];
}

/** The stored form of a deleted endpoint's own data. */
export interface KeptEndpoint {
  settings: EndpointSettings;
  dependsOn: string[];
  owner: string | null;
  createdAt: string;
  /** For a heartbeat: its ping URLs, which still work after it is restored. */
  address: { pingId: string; pushToken: string } | null;
}

const INSERT = `
  INSERT INTO deleted_endpoint (id, org_id, website_id, endpoint_key, name, url, type, by_name, person_id, deleted_at, endpoint, parts)
  SELECT r.id, $1, r.website_id, r.endpoint_key, r.name, r.url, r.type, $3, $4, $5,
         r.endpoint || jsonb_build_object('address',
           (SELECT jsonb_build_object('pingId', h.ping_id, 'pushToken', h.push_token) FROM heartbeat h WHERE h.endpoint_id = r.id)), r.parts
    FROM jsonb_to_recordset($2::jsonb)
      AS r (id uuid, website_id uuid, endpoint_key bigint, name text, url text, type text, endpoint jsonb, parts jsonb)`;

const MAKE_ROOM = `
  DELETE FROM deleted_endpoint WHERE id IN (
    SELECT id FROM deleted_endpoint WHERE org_id = $1 ORDER BY deleted_at DESC, id DESC OFFSET ${MOST_DELETED})`;

/**
 * Keeps endpoints that are about to be deleted in the caller's transaction. `parts` contains the data of other modules,
 * by endpoint UUID. Cost: two statements.
 */
export async function keepDeleted(
  tx: Tx,
  orgId: string,
  removed: readonly Removed[],
  parts: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  now: Date,
): Promise<void> {
  if (removed.length === 0) return;
  const rows = removed.map(({ id, key, websiteId, settings, dependsOn, owner, createdAt }) => ({
    id,
    website_id: websiteId,
    endpoint_key: key,
    name: settings.name,
    url: settings.url,
    type: settings.type,
    endpoint: { settings, dependsOn, owner, createdAt },
    parts: parts.get(id) ?? {},
  }));
  const author = currentAuthor();
  await tx.query(INSERT, [orgId, JSON.stringify(rows), storedName(author), author.personId, now]);
  await tx.query(MAKE_ROOM, [orgId]);
}

/** Deletes endpoints that can no longer be restored. Their history is purged at the same time. */
export const DELETED_ENDPOINT_RETENTION: Retention = {
  name: 'deleted-endpoint-retention',
  rows: [
    {
      days: RESTORABLE_DAYS,
      remove: inBatches(
        `DELETE FROM deleted_endpoint WHERE id IN (
           SELECT id FROM deleted_endpoint WHERE deleted_at < $1 ORDER BY deleted_at LIMIT ${RETENTION_BATCH}) RETURNING 1`,
      ),
    },
  ],
};
