import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, currentAuthor } from '../../audit/authorship';
import { ChannelRegistry } from '../../channel/channel.registry';
import { Outbox } from '../../delivery/outbox';
import { SuppressionEnded } from '../../endpoint/endpoint-events';
import { EndpointService } from '../../endpoint/endpoint.service';
import type { InHand } from '../../incident/incident-in-hand';
import { authorName } from '../../platform/access/author';
import { Database, type Sql, type Tx } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { parseTimestamp } from '../../platform/http/validators';
import { type Findings, refuse } from '../../platform/problem/findings';
import { problems } from '../../platform/problem/problem';
import { type AlertSnapshot, lockAlertsSql } from '../episode/alert-snapshot';
import { saveAcknowledgements } from '../save-acknowledgements';
import { acknowledgedDelivery } from './acknowledged-delivery';
import {
  type AcknowledgeDto,
  acknowledgeFindings,
  type AcknowledgementView,
  auditedAcknowledgement,
  byLink,
  type SaidByLink,
  toAcknowledgementView,
} from './acknowledgement.dto';

/** The episode that a link was sent for. IDs are UUIDs. */
export interface LinkedEpisode {
  orgId: string;
  endpointId: string;
  alertId: string;
  episodeNo: number;
}

interface Written {
  orgId: string;
  endpointId: string;
  /** The endpoint's triggered alerts, locked. */
  open: readonly AlertSnapshot[];
  after: InHand;
  /** The author, if the request itself doesn't authenticate one. */
  author?: Authorship;
}

/**
 * Acknowledges endpoints: no alert for an acknowledged endpoint triggers, and pagers are notified. An acknowledgement
 * ends when the endpoint recovers (`AlertEvaluator`), when it is paused or deleted (`AlertLifecycle`), and at its
 * expiry (`AcknowledgementJob`). Every method throws `not_found` for resources of another organization.
 */
@Injectable()
export class AcknowledgementService {
  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointService,
    private readonly channels: ChannelRegistry,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
  ) {}

  /** Returns the endpoint's acknowledgement. Throws `not_found` if there is none. */
  async get(orgId: string, endpointId: string): Promise<AcknowledgementView> {
    const row = await read(this.database, orgId, endpointId, this.clock.now());
    if (!row) throw problems.notFound();
    return toAcknowledgementView(row);
  }

  /**
   * Creates or replaces the acknowledgement. The state row is locked, so that a concurrent check is recorded either
   * before or after the change. Throws `conflict` unless the endpoint is down or one of its alerts is triggered.
   */
  put(orgId: string, endpointId: string, dto: AcknowledgeDto): Promise<AcknowledgementView> {
    return this.database.transaction(async (tx) => {
      await this.endpoints.hold(tx, orgId, endpointId);
      refuse(this.findingsIn(dto));
      const isDown = await lockState(tx, endpointId);
      const open = await lockOpen(tx, endpointId);
      if (!isDown && open.length === 0)
        throw problems.conflict(
          'There is nothing to acknowledge: the endpoint is not down and has no triggered alert.',
        );
      const at = this.clock.now();
      const after = { ...currentAuthor(), at, note: dto.note ?? '', until: parseTimestamp(dto.until) };
      await this.write(tx, { orgId, endpointId, open, after });
      return toAcknowledgementView(after);
    });
  }

  /**
   * Acknowledges through the link in a message, for its episode only. The acknowledgement lasts until the endpoint
   * recovers, and `by` shows that it was made through the link. It never replaces an existing one. Returns false if there is one already or the
   * episode has ended.
   */
  putByLink(
    { orgId, endpointId, alertId, episodeNo }: LinkedEpisode,
    { name, note }: SaidByLink,
    author: Authorship,
  ): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      await this.endpoints.hold(tx, orgId, endpointId);
      await lockState(tx, endpointId);
      const open = await lockOpen(tx, endpointId);
      if (!open.some((alert) => alert.id === alertId && alert.episodeNo === episodeNo)) return false;
      const at = this.clock.now();
      if (await read(tx, orgId, endpointId, at)) return false;
      await this.write(tx, {
        orgId,
        endpointId,
        open,
        after: { by: byLink(name), personId: null, at, note, until: null },
        author,
      });
      return true;
    });
  }

  /** Returns the errors that `put` would find in these fields. */
  findingsIn(dto: AcknowledgeDto): Findings {
    return acknowledgeFindings(dto, this.clock.now());
  }

  /**
   * Removes the acknowledgement, so that alerts may trigger again. Notifications to pagers aren't withdrawn. Throws
   * `not_found` if there is none.
   */
  remove(orgId: string, endpointId: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      await this.endpoints.hold(tx, orgId, endpointId);
      await lockState(tx, endpointId);
      const before = await read(tx, orgId, endpointId, this.clock.now());
      if (!before) throw problems.notFound();
      await tx.query('DELETE FROM acknowledgement WHERE endpoint_id = $1', [endpointId]);
      await this.events.emit(new SuppressionEnded({ endpointIds: [endpointId] }), tx);
      await recordChange(tx, {
        orgId,
        resource: 'acknowledgement',
        id: endpointId,
        action: 'delete',
        before: auditedAcknowledgement(before),
      });
    });
  }

  /** Writes the deliveries to pagers, the row, and the audit log entry. The state row must be locked. */
  private async write(tx: Tx, { orgId, endpointId, open, after, author }: Written): Promise<void> {
    const before = await read(tx, orgId, endpointId, after.at);
    await this.outbox.enqueue(
      tx,
      open.flatMap((alert) => acknowledgedDelivery(this.channels, alert, after)),
    );
    await saveAcknowledgements(tx, [{ ...after, orgId, endpointId, incidentId: null }]);
    await recordChange(tx, {
      orgId,
      resource: 'acknowledgement',
      id: endpointId,
      action: before ? 'update' : 'create',
      before: before && auditedAcknowledgement(before),
      after: auditedAcknowledgement(after),
      ...(author && { author }),
    });
  }
}

/** Locks and returns the triggered alerts for an endpoint whose state row is locked. */
const lockOpen = (tx: Tx, endpointId: string): Promise<AlertSnapshot[]> =>
  tx.query<AlertSnapshot>(lockAlertsSql('a.endpoint_id = $1 AND a.triggered'), [endpointId]);

async function lockState(tx: Tx, endpointId: string): Promise<boolean> {
  const [state] = await tx.query<{ status: number }>(
    'SELECT status FROM endpoint_state WHERE endpoint_id = $1 FOR UPDATE',
    [endpointId],
  );
  return state?.status === 0;
}

async function read(sql: Sql, orgId: string, endpointId: string, now: Date): Promise<InHand | null> {
  const [row] = await sql.query<InHand>(
    `SELECT ${authorName('by_name', 'person_id')} AS by, person_id AS "personId", at, note, until FROM acknowledgement
     WHERE endpoint_id = $2 AND org_id = $1 AND (until IS NULL OR until > $3)`,
    [orgId, endpointId, now],
  );
  return row ?? null;
}
