import { Injectable } from '@nestjs/common';
import { authorName } from '../../platform/access/author';
import type { Caller } from '../../platform/access/caller';
import { Database, type Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { Cursors } from '../../platform/http/cursors';
import type { Page, PageQuery } from '../../platform/http/page';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { DAY_MS } from '../../platform/time/time-units';
import { LOCAL_NAME, ProbeDirectory } from '../../probe/probe-directory';
import { WebsiteService } from '../../website/website.service';
import type { EndpointView } from '../endpoint.dto';
import { EndpointRestoring } from '../endpoint-events';
import type { EndpointSettings } from '../endpoint.entity';
import { EndpointService } from '../endpoint.service';
import { DEFAULT_LOCATIONS } from '../locations/locations';
import { type DeletedEndpointRow, type DeletedEndpointView, toDeletedEndpointView } from './deleted-endpoint.dto';
import { type KeptEndpoint, RESTORABLE_DAYS } from './deleted-endpoint-rows';

const DEFAULT_LIMIT = 100;

const COLUMNS = `d.id, d.name, d.url, d.type, d.website_id AS "websiteId", w.name AS "websiteName",
  COALESCE(jsonb_array_length(d.parts -> 'alerts'), 0) AS "alertCount", d.deleted_at AS "deletedAt",
  ${authorName('d.by_name', 'd.person_id')} AS by`;

// Cost: an index range scan of the organization's deleted endpoints.
const LIST = `
  SELECT ${COLUMNS} FROM deleted_endpoint d JOIN website w ON w.id = d.website_id AND w.deleted_at IS NULL
   WHERE d.org_id = $1 AND d.deleted_at > $2 AND ($3::timestamptz IS NULL OR (d.deleted_at, d.id) < ($3::timestamptz, $4::uuid))
   ORDER BY d.deleted_at DESC, d.id DESC LIMIT $5`;

const COUNT = `
  SELECT count(*)::int AS count FROM deleted_endpoint d JOIN website w ON w.id = d.website_id AND w.deleted_at IS NULL
   WHERE d.org_id = $1 AND d.deleted_at > $2`;

interface StoredRow {
  websiteId: string;
  key: string;
  endpoint: KeptEndpoint;
  parts: Record<string, unknown>;
}

/** Lists the endpoints that an organization has deleted, and restores them with their history and alert rules. */
@Injectable()
export class DeletedEndpointService {
  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointService,
    private readonly websites: WebsiteService,
    private readonly probes: ProbeDirectory,
    private readonly events: TransactionEvents,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  /** Lists them, the newest deletion first. */
  async list({ orgId, role }: Caller, query: PageQuery): Promise<Page<DeletedEndpointView>> {
    const page = await this.cursors.paginate<DeletedEndpointRow>({
      orgId,
      list: 'deleted-endpoints',
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      read: (after, count) => {
        const [at, id] = after?.split(' ') ?? [];
        const from = at === undefined ? [null, null] : [new Date(Number(at)), id];
        return this.database.query<DeletedEndpointRow>(LIST, [orgId, this.oldest(), ...from, count]);
      },
      idOf: ({ deletedAt, id }) => `${deletedAt.getTime()} ${id}`,
      total: async () => {
        const [row] = await this.database.query<{ count: number }>(COUNT, [orgId, this.oldest()]);
        return row?.count ?? 0;
      },
    });
    return page.map((row) => toDeletedEndpointView(row, role));
  }

  /**
   * Restores an endpoint under its old ID. It is due immediately. Dependencies on endpoints and locations that no longer
   * exist are left out, and so are alert rules of deleted contacts. Throws: `not_found`, `quota_exceeded`, and `conflict`
   * if its ping URL is in use.
   */
  async restore(caller: Caller, id: string): Promise<EndpointView> {
    const { orgId } = caller;
    await this.database.transaction(async (tx) => {
      const { websiteId, key, endpoint, parts } = await this.take(tx, orgId, id);
      const website = await this.websites.lock(tx, orgId, websiteId);
      const restoring = new EndpointRestoring(orgId, id, key, parts);
      await this.events.emit(restoring, tx);
      const dependsOn = await existing(tx, orgId, endpoint.dependsOn);
      const settings = await this.possible(tx, orgId, websiteId, endpoint.settings);
      const address = endpoint.address === null ? {} : { address: endpoint.address };
      await this.endpoints.add(tx, website, [{ id, settings, dependsOn, ...address }], null);
      await tx.query('UPDATE endpoint SET key = $2, created_at = $3, owner = $4 WHERE id = $1', [
        id,
        key,
        endpoint.createdAt,
        endpoint.owner,
      ]);
      await tx.query('UPDATE endpoint_state SET endpoint_key = $2 WHERE endpoint_id = $1', [id, key]);
      await restoring.created();
    });
    return this.endpoints.get(caller, id);
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - RESTORABLE_DAYS * DAY_MS);
  }

  /** Removes the row, so that only one of two concurrent requests restores the endpoint. */
  private async take(tx: Tx, orgId: string, id: string): Promise<StoredRow> {
    const [row] = await tx.query<StoredRow>(
      `DELETE FROM deleted_endpoint WHERE org_id = $1 AND id = $2 AND deleted_at > $3
       RETURNING website_id AS "websiteId", endpoint_key::text AS key, endpoint, parts`,
      [orgId, id, this.oldest()],
    );
    if (!row) throw problems.notFound();
    return row;
  }

  /** Returns the settings without locations that no longer exist, and without a key that another endpoint uses now. */
  private async possible(
    tx: Tx,
    orgId: string,
    websiteId: string,
    settings: EndpointSettings,
  ): Promise<EndpointSettings> {
    const known = await this.probes.named(tx, orgId, settings.locations);
    const locations = settings.locations.filter((name) => name === LOCAL_NAME || known.has(name));
    const taken =
      settings.externalKey === null
        ? []
        : await tx.query('SELECT FROM endpoint WHERE org_id = $1 AND website_id = $2 AND external_key = $3', [
            orgId,
            websiteId,
            settings.externalKey,
          ]);
    return {
      ...settings,
      externalKey: taken.length > 0 ? null : settings.externalKey,
      locations: locations.length > 0 ? locations : DEFAULT_LOCATIONS,
    };
  }
}

/** Returns those endpoints that still exist, and locks them. */
async function existing(tx: Tx, orgId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: string }>(
    'SELECT id FROM endpoint WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR KEY SHARE',
    [orgId, ids],
  );
  return rows.map((row) => row.id);
}
