import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { Cursors, MEDIUM_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { problems } from '../platform/problem/problem';
import {
  DELIVERY_COLUMNS,
  type DeliveryListQuery,
  type DeliveryQuery,
  type DeliveryRow,
  type DeliveryView,
  toDeliveryView,
} from './delivery.dto';
import { destinationOfAlert } from './destination';
import { Outbox } from './outbox';

const DEFAULT_LIMIT = 50;

/**
 * Reads and resends an organization's deliveries. Every method throws `not_found` for resources of another
 * organization.
 */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
  ) {}

  /** Lists an alert's deliveries, newest first. */
  async list(orgId: string, alertId: string, query: DeliveryQuery): Promise<Page<DeliveryView>> {
    await this.require('alert', orgId, alertId);
    return this.page(orgId, alertId, query, some('alert_id = $4'), [alertId]);
  }

  /** Lists the deliveries of all alerts of the endpoint, newest first. */
  async listOfEndpoint(orgId: string, endpointId: string, query: DeliveryQuery): Promise<Page<DeliveryView>> {
    await this.require('endpoint', orgId, endpointId);
    return this.page(orgId, endpointId, query, OF_ENDPOINT, [endpointId]);
  }

  /**
   * Lists all deliveries in one state, newest first, excluding tests. Cost: a range of the index `notification_failed`.
   */
  listAll(orgId: string, { state, ...query }: DeliveryListQuery): Promise<Page<DeliveryView>> {
    return this.page(orgId, state, query, some(`state = 'failed' AND kind <> 'test'`), []);
  }

  async get(orgId: string, id: string): Promise<DeliveryView> {
    const [row] = await this.database.query<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM notification WHERE org_id = $1 AND id = $2`,
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    return toDeliveryView(row);
  }

  /**
   * Makes a delivery pending again. It is sent outside its alert's queue, with the alert's current config. Throws:
   * `conflict` if that isn't possible.
   */
  redeliver(orgId: string, id: string): Promise<DeliveryView> {
    return this.database.transaction(async (tx) => {
      const row = await lockRow(tx, orgId, id);
      if (!row) throw problems.notFound();
      if (row.state === 'pending') throw problems.conflict('The delivery is still pending. Wait for its outcome.');
      if (row.kind === 'test') throw problems.conflict('A test message cannot be redelivered. Send a new one.');
      if (row.type === null)
        throw problems.conflict(
          `The ${row.alertId === null ? 'contact' : 'alert rule'} was deleted, so there is no config to send the message through.`,
        );
      const destination = destinationOfAlert({ id: row.alertId ?? row.contactId ?? id, destination: row.destination });
      const now = this.clock.now();
      const [again] = await tx.query<DeliveryRow>(
        `UPDATE notification
         SET state = 'pending', detail = 'redeliver', channel_type = $2, destination = $3, contact_id = $5, config = NULL,
           attempts = 0, rejections = 0, may_have_arrived = may_have_arrived OR state = 'delivered',
           next_attempt_at = $4, finished_at = NULL
         WHERE id = $1 RETURNING ${DELIVERY_COLUMNS}`,
        [id, row.type, destination, now, row.contactId],
      );
      if (!again) throw problems.notFound();
      await this.outbox.wakeDestinations(tx, [{ orgId, destination, channelType: row.type }], now);
      await recordChange(tx, { orgId, action: 'redeliver', resource: 'delivery', id });
      return toDeliveryView(again);
    });
  }

  private async require(table: 'alert' | 'endpoint', orgId: string, id: string): Promise<void> {
    const [row] = await this.database.query(`SELECT 1 FROM ${table} WHERE org_id = $1 AND id = $2`, [orgId, id]);
    if (!row) throw problems.notFound();
  }

  /**
   * Returns a page. `of` identifies the list, and cursors are only valid for that list. The parameters of `sql` are the
   * organization, a position, a number of rows, and then `more`.
   */
  private async page(
    orgId: string,
    of: string,
    { cursor, limit }: DeliveryQuery,
    sql: string,
    more: readonly string[],
  ): Promise<Page<DeliveryView>> {
    const page = await this.cursors.paginate<DeliveryRow>({
      orgId,
      list: `deliveries:${of}`,
      cursor,
      limit: limit ?? DEFAULT_LIMIT,
      rowsAtOnce: MEDIUM_ROWS,
      idOf: ({ seq }) => seq,
      read: (before, count) => this.database.query<DeliveryRow>(sql, [orgId, before, count, ...more]),
    });
    return page.map(toDeliveryView);
  }
}

const some = (which: string) => `
  SELECT ${DELIVERY_COLUMNS} FROM notification WHERE org_id = $1 AND ${which} AND ($2::bigint IS NULL OR seq < $2)
   ORDER BY seq DESC LIMIT $3`;

// Cost: for each of the endpoint's alerts, a page of deliveries from the index `notification_of_alert`. Returns the
// newest of them.
const OF_ENDPOINT = `
  SELECT ${DELIVERY_COLUMNS} FROM notification
   WHERE id IN (SELECT newest.id FROM alert a CROSS JOIN LATERAL (
                  SELECT n.id, n.seq FROM notification n
                   WHERE n.org_id = $1 AND n.alert_id = a.id AND ($2::bigint IS NULL OR n.seq < $2)
                   ORDER BY n.seq DESC LIMIT $3) newest
                 WHERE a.org_id = $1 AND a.endpoint_id = $4 ORDER BY newest.seq DESC LIMIT $3)
   ORDER BY seq DESC`;

interface LockedRow {
  state: string;
  kind: string;
  alertId: string | null;
  /** The current config of the alert, or of the contact if there is no alert. */
  type: string | null;
  contactId: string | null;
  destination: string | null;
}

/**
 * Locks the alert, or the contact if there is no alert, before the delivery, so that its config can't change in the
 * meantime.
 */
async function lockRow(tx: Tx, orgId: string, id: string): Promise<LockedRow | undefined> {
  await tx.query(
    `SELECT FROM alert WHERE org_id = $1 AND id = (SELECT alert_id FROM notification WHERE org_id = $1 AND id = $2)
     FOR SHARE`,
    [orgId, id],
  );
  await tx.query(
    `SELECT FROM contact WHERE org_id = $1
       AND id = (SELECT contact_id FROM notification WHERE org_id = $1 AND id = $2 AND alert_id IS NULL) FOR SHARE`,
    [orgId, id],
  );
  const [row] = await tx.query<LockedRow>(
    `SELECT n.state, n.kind, n.alert_id AS "alertId", COALESCE(a.type, c.type) AS type,
       COALESCE(a.contact_id, c.id) AS "contactId", COALESCE(a.destination, c.destination) AS destination
     FROM notification n
     LEFT JOIN alert a ON a.id = n.alert_id AND a.org_id = n.org_id
     LEFT JOIN contact c ON n.alert_id IS NULL AND c.id = n.contact_id AND c.org_id = n.org_id
     WHERE n.org_id = $1 AND n.id = $2 FOR UPDATE OF n`,
    [orgId, id],
  );
  return row;
}
