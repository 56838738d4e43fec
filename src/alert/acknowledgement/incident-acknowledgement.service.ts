import { Injectable, type OnModuleInit } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { type Authorship, currentAuthor } from '../../audit/authorship';
import { ChannelRegistry } from '../../channel/channel.registry';
import { Outbox } from '../../delivery/outbox';
import { SuppressionEnded } from '../../endpoint/endpoint-events';
import { IncidentChanged, IncidentMembersMoved } from '../../incident/incident-events';
import {
  endOverInHand,
  inHandOf,
  isAnyInHandOver,
  type InHand,
  isInHandSql,
  markedMembers,
  markMembers,
  setInHand,
  unfinishedIncidents,
  unmarkMembers,
} from '../../incident/incident-in-hand';
import type { IncidentRow } from '../../incident/incident-row';
import { IncidentStore } from '../../incident/incident-store';
import { authorName } from '../../platform/access/author';
import { Database, type Tx } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { parseTimestamp } from '../../platform/http/validators';
import { failpoint } from '../../platform/observability/failpoints';
import { type Findings, refuse } from '../../platform/problem/findings';
import { problems } from '../../platform/problem/problem';
import { type AlertSnapshot, lockAlertsSql } from '../episode/alert-snapshot';
import {
  acknowledgeEndpoints,
  followMembers,
  leftBehind,
  lockStates,
  removeWritten,
  writtenBy,
} from './acknowledgement-queries';
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

/** The maximum number of endpoints per transaction. */
const STEP = 500;

/**
 * Acknowledges incidents: each endpoint in them, and each endpoint that joins by dependency or address. First, the
 * incident's row is written while its organization's sequence is locked. An endpoint that joined before that is marked,
 * and one that joins after that is held (`IncidentRecorder`).
 * Then the marked endpoints are acknowledged step by step in separate transactions. Each locks states and alerts first,
 * as every recorder does. If the process dies, `AcknowledgementJob` completes the rest.
 * This never replaces an endpoint's acknowledgement, and only removes those that it wrote. Every method with an
 * organization throws `not_found` for another organization's incident.
 */
@Injectable()
export class IncidentAcknowledgementService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly incidents: IncidentStore,
    private readonly channels: ChannelRegistry,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
  ) {}

  onModuleInit(): void {
    this.events.on(IncidentMembersMoved, ({ to, endpointIds }, tx) => followMembers(tx, to.id, endpointIds));
  }

  /** Returns the incident's acknowledgement. Throws `not_found` if there is none. */
  async get(orgId: string, id: string): Promise<AcknowledgementView> {
    const row = nowInHand(await this.incidents.read(this.database, orgId, id), this.clock.now());
    if (!row) throw problems.notFound();
    return toAcknowledgementView(row);
  }

  /** Creates or replaces the acknowledgement. Throws `conflict` unless the incident was detected and is open. */
  async put(orgId: string, id: string, dto: AcknowledgeDto): Promise<AcknowledgementView> {
    const after = await this.database.transaction(async (tx) => {
      const incident = await this.lock(tx, orgId, id);
      refuse(this.findingsIn(dto));
      const refusal = refusalOf(incident);
      if (refusal !== null) throw problems.conflict(refusal);
      const said = { ...currentAuthor(), at: this.clock.now(), note: dto.note ?? '', until: parseTimestamp(dto.until) };
      await this.write(tx, incident, said);
      return said;
    });
    await this.finish(id);
    return toAcknowledgementView(after);
  }

  /**
   * Acknowledges through the link in a message, until the incident ends. It never replaces an existing acknowledgement.
   * Returns false if there is one already or the incident has ended.
   */
  async putByLink(orgId: string, id: string, { name, note }: SaidByLink, author: Authorship): Promise<boolean> {
    const isDone = await this.database.transaction(async (tx) => {
      const incident = await this.lock(tx, orgId, id);
      const at = this.clock.now();
      if (refusalOf(incident) !== null || nowInHand(incident, at) !== null) return false;
      await this.write(tx, incident, { by: byLink(name), personId: null, at, note, until: null }, author);
      return true;
    });
    if (isDone) await this.finish(id);
    return isDone;
  }

  /** Returns the errors that `put` would find in these fields. */
  findingsIn(dto: AcknowledgeDto): Findings {
    return acknowledgeFindings(dto, this.clock.now());
  }

  /**
   * Removes the acknowledgement, so that alerts for its endpoints may trigger again, unless an endpoint has another
   * acknowledgement. Throws `not_found` if there is none.
   */
  async remove(orgId: string, id: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const incident = await this.lock(tx, orgId, id);
      if (nowInHand(incident, this.clock.now()) === null) throw problems.notFound();
      await this.write(tx, incident, null);
    });
    await this.takeBack(id);
  }

  /**
   * Ends expired acknowledgements, and completes the work of processes that died. Cost: usually three lookups in small
   * indexes.
   */
  async finishAll(): Promise<void> {
    const now = this.clock.now();
    if (await isAnyInHandOver(this.database, now))
      await this.database.transaction(async (tx) => {
        for (const row of await endOverInHand(tx, now)) await this.events.emit(new IncidentChanged(row, 'updated'), tx);
      });
    for (const id of await unfinishedIncidents(this.database)) await this.finish(id);
    for (const id of await leftBehind(this.database)) await this.takeBack(id);
  }

  private async lock(tx: Tx, orgId: string, id: string): Promise<IncidentRow> {
    await this.incidents.lockSequence(tx, orgId);
    return this.incidents.lock(tx, orgId, id);
  }

  private async write(tx: Tx, incident: IncidentRow, inHand: InHand | null, author?: Authorship): Promise<void> {
    const now = this.clock.now();
    const before = nowInHand(incident, now);
    const rows = await setInHand(tx, incident.id, inHand, now);
    if (inHand !== null) await markMembers(tx, incident.id);
    await recordChange(tx, {
      orgId: incident.orgId,
      resource: 'incident',
      id: incident.id,
      action: 'update',
      before: { in_hand: before && auditedAcknowledgement(before) },
      after: { in_hand: inHand && auditedAcknowledgement(inHand) },
      ...(author && { author }),
    });
    for (const row of rows) await this.events.emit(new IncidentChanged(row, 'acknowledged'), tx);
    await failpoint('acknowledgement.before_commit');
  }

  /** Writes the acknowledgements for the marked endpoints. Safe at any time, even if it runs twice at the same time. */
  private async finish(id: string): Promise<void> {
    for (let marked = STEP; marked === STEP;) {
      await failpoint('acknowledgement.step');
      marked = await this.database.transaction((tx) => this.finishStep(tx, id));
    }
  }

  private async finishStep(tx: Tx, id: string): Promise<number> {
    const marked = await markedMembers(tx, id, STEP);
    if (marked.length === 0) return 0;
    await lockStates(tx, marked);
    const open = await tx.query<AlertSnapshot>(lockAlertsSql('a.endpoint_id = ANY ($1::uuid[]) AND a.triggered'), [
      marked,
    ]);
    // Anyone who removes the acknowledgement has to wait for this row lock.
    const [incident] = await tx.query<InHand & { isInHand: boolean }>(
      `SELECT ${authorName('i.ack_by', 'i.ack_person_id')} AS by, i.ack_person_id AS "personId", i.ack_at AS at, COALESCE(i.ack_note, '') AS note, i.ack_until AS until, ${isInHandSql('i.id')} AS "isInHand"
       FROM incident i WHERE i.id = $1 FOR SHARE`,
      [id],
    );
    const members = await unmarkMembers(tx, id, marked);
    if (!incident?.isInHand) return marked.length;
    const written = new Set(await acknowledgeEndpoints(tx, id, members, incident, this.clock.now()));
    await this.outbox.enqueue(
      tx,
      open.flatMap((alert) =>
        written.has(alert.endpointId) ? acknowledgedDelivery(this.channels, alert, incident) : [],
      ),
    );
    await failpoint('acknowledgement.step_before_commit');
    return marked.length;
  }

  /** Removes the acknowledgements that this incident wrote, unless it has been acknowledged again. */
  private async takeBack(id: string): Promise<void> {
    for (let removed = STEP; removed === STEP;) {
      await failpoint('acknowledgement.step');
      removed = await this.database.transaction(async (tx) => {
        const ids = await writtenBy(tx, id, STEP);
        if (ids.length === 0) return 0;
        await lockStates(tx, ids);
        const count = await removeWritten(tx, id, ids);
        if (count > 0) await this.events.emit(new SuppressionEnded({ endpointIds: ids }), tx);
        await failpoint('acknowledgement.step_before_commit');
        return count;
      });
    }
  }
}

/** Returns the current acknowledgement, or `null`. */
const nowInHand = (row: IncidentRow, now: Date): InHand | null =>
  row.endedAt !== null || (row.ackUntil !== null && row.ackUntil <= now) ? null : inHandOf(row);

/** Returns why the incident can't be acknowledged, or `null` if it can. */
function refusalOf({ kind, mergedInto, endedAt }: IncidentRow): string | null {
  if (kind === 'manual') return 'A manual incident has no alerts to acknowledge.';
  if (mergedInto !== null) return 'The incident was merged into another incident. Acknowledge that incident instead.';
  return endedAt === null ? null : 'The incident has ended, so there is nothing to acknowledge.';
}
