import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import { Database, type Tx } from '../platform/database/database';
import { Cursors } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { problems } from '../platform/problem/problem';
import { AlertDestinations } from './destination';
import { DatabaseClock } from '../platform/database/database-clock';
import {
  DELIVERY_COLUMNS,
  type DeliveryQuery,
  type DeliveryRow,
  type DeliveryView,
  toDeliveryView,
} from './delivery.dto';
import { Outbox } from './outbox';
import type { SealedConfig } from './sealed-config';

const LIST = 'deliveries';
const DEFAULT_LIMIT = 50;

/** The deliveries of an organization's alerts. Every method answers `not_found` for anything that is not its own. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly outbox: Outbox,
    private readonly destinations: AlertDestinations,
    private readonly clock: DatabaseClock,
  ) {}

  /** Newest first. */
  async list(orgId: string, alertId: string, query: DeliveryQuery): Promise<Page<DeliveryView>> {
    const limit = query.limit ?? DEFAULT_LIMIT;
    const before = this.cursors.decode(orgId, `${LIST}:${alertId}`, query.cursor);
    const [alert] = await this.database.query('SELECT 1 FROM alert WHERE org_id = $1 AND id = $2', [orgId, alertId]);
    if (!alert) throw problems.notFound();
    const rows = await this.database.query<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM notification
       WHERE org_id = $1 AND alert_id = $2 AND ($3::bigint IS NULL OR seq < $3)
       ORDER BY seq DESC LIMIT $4`,
      [orgId, alertId, before, limit + 1],
    );
    return this.cursors.page(orgId, `${LIST}:${alertId}`, rows, limit, ({ seq }) => seq).map(toDeliveryView);
  }

  async get(orgId: string, id: string): Promise<DeliveryView> {
    const [row] = await this.database.query<DeliveryRow>(
      `SELECT ${DELIVERY_COLUMNS} FROM notification WHERE org_id = $1 AND id = $2`,
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    return toDeliveryView(row);
  }

  /** Pending again, past its alert's queue and through the alert's present config. Throws `conflict` where that cannot be. */
  redeliver(orgId: string, id: string): Promise<DeliveryView> {
    return this.database.transaction(async (tx) => {
      const row = await lockRow(tx, orgId, id);
      if (!row) throw problems.notFound();
      if (row.state === 'pending') throw problems.conflict('The delivery is still pending; wait for its outcome.');
      if (row.kind === 'test') throw problems.conflict('A test message is not repeated; send a new one.');
      if (row.alertType === null || row.alertConfig === null)
        throw problems.conflict('The alert is deleted; there is no configuration to deliver through.');
      const destination = this.destinations.of({ id: row.alertId, type: row.alertType, config: row.alertConfig });
      const now = this.clock.now();
      const [again] = await tx.query<DeliveryRow>(
        `UPDATE notification
         SET state = 'pending', detail = 'redeliver', channel_type = $2, destination = $3, config = NULL,
           attempts = 0, rejections = 0, may_have_arrived = may_have_arrived OR state = 'delivered',
           next_attempt_at = $4, finished_at = NULL
         WHERE id = $1 RETURNING ${DELIVERY_COLUMNS}`,
        [id, row.alertType, destination, now],
      );
      if (!again) throw problems.notFound();
      await this.outbox.wakeDestinations(tx, [{ orgId, destination, channelType: row.alertType }], now);
      await recordChange(tx, { orgId, action: 'redeliver', resource: 'delivery', id });
      return toDeliveryView(again);
    });
  }
}

interface LockedRow {
  state: string;
  kind: string;
  alertId: string;
  alertType: string | null;
  alertConfig: SealedConfig | null;
}

async function lockRow(tx: Tx, orgId: string, id: string): Promise<LockedRow | undefined> {
  const [row] = await tx.query<LockedRow>(
    `SELECT n.state, n.kind, n.alert_id AS "alertId", a.type AS "alertType", a.config AS "alertConfig"
     FROM notification n LEFT JOIN alert a ON a.id = n.alert_id AND a.org_id = n.org_id
     WHERE n.org_id = $1 AND n.id = $2 FOR UPDATE OF n`,
    [orgId, id],
  );
  return row;
}
