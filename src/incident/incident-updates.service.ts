import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import { currentAuthor } from '../audit/authorship';
import { countChange } from '../audit/changed-bytes';
import { Database, type Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { TransactionEvents } from '../platform/events/transaction-events';
import { problems } from '../platform/problem/problem';
import {
  type CreateIncidentUpdateDto,
  type EditIncidentUpdateDto,
  type IncidentUpdateView,
  toIncidentUpdateView,
} from './incident.dto';
import { type IncidentChange, IncidentChanged } from './incident-events';
import { type IncidentRow, UPDATE_COLUMNS, type UpdateRow } from './incident-row';
import { MOST_UPDATES, refusalOfMerged, refusalOfStatus, statusAfter, statusOfUpdate } from './incident-rules';
import { IncidentStore } from './incident-store';
import { IncidentMetrics } from './incident.metrics';
import { about } from './incident.service';

/** The size of a row, including its indexes but not its text. */
const ROW_BYTES = 200;

const SAID = `
  UPDATE incident SET status = $3, public_at = $4, ended_at = $5, updated_at = $6 WHERE org_id = $1 AND id = $2`;

// Cost: the incident's updates, up to a hundred by users, plus one automatic update each time it ended or started
// again.
/**
 * When a user's last public update is removed, the incident is no longer public, and the service doesn't announce its
 * end.
 */
const UNPUBLISH = `
  UPDATE incident_update SET public = false
   WHERE incident_id = $1 AND public AND NOT EXISTS (
     SELECT FROM incident_update WHERE incident_id = $1 AND public AND NOT automatic)`;
const PUBLIC_SINCE = 'SELECT min(at) AS since FROM incident_update WHERE incident_id = $1 AND public';

interface Told {
  change: IncidentChange;
  /** The previous update, or `null` for a new one. */
  before: UpdateRow | null;
  /** The changed update, or `null` if it was deleted. */
  after: UpdateRow | null;
}

/**
 * Manages the updates that users post about incidents. The incident is locked, so that no endpoint joins or leaves and
 * no other update is posted at the same time.
 */
@Injectable()
export class IncidentUpdates {
  constructor(
    private readonly database: Database,
    private readonly store: IncidentStore,
    private readonly clock: DatabaseClock,
    private readonly events: TransactionEvents,
    private readonly metrics: IncidentMetrics,
  ) {}

  /**
   * Posts an update. Throws: `conflict` for a status that contradicts the checks, `quota_exceeded` after a hundred
   * updates.
   */
  say(orgId: string, id: string, dto: CreateIncidentUpdateDto): Promise<IncidentUpdateView> {
    return this.database.transaction(async (tx) => {
      const row = await this.lock(tx, orgId, id);
      const refusal = refusalOfStatus(row, dto.status ?? null);
      if (refusal) throw refusal;
      await this.refuseTooMany(tx, id);
      const [at, isPublic] = [this.clock.now(), dto.public ?? false];
      const status = statusOfUpdate(row, dto.status ?? null, isPublic);
      const text = dto.text.trim();
      const updateId = await this.store.addUpdate(tx, row, {
        ...currentAuthor(),
        status,
        text,
        public: isPublic,
        automatic: false,
        at,
      });
      countChange(tx, orgId, ROW_BYTES + Buffer.byteLength(text));
      const ends = row.kind === 'manual' && status === 'resolved' && row.endedAt === null;
      await tx.query(SAID, [
        orgId,
        id,
        statusAfter(row.status, status),
        row.publicAt ?? (isPublic ? at : null),
        ends ? at : row.endedAt,
        at,
      ]);
      const update = await this.read(tx, id, updateId);
      await this.told(tx, row, { change: ends ? 'ended' : 'updated', before: null, after: update });
      tx.afterCommit(() => this.metrics.said(isPublic));
      return toIncidentUpdateView(update);
    });
  }

  /** Changes an update's text. Sending the same text changes nothing. Throws: `conflict` for an automatic update. */
  edit(orgId: string, id: string, updateId: string, dto: EditIncidentUpdateDto): Promise<IncidentUpdateView> {
    return this.database.transaction(async (tx) => {
      const row = await this.lock(tx, orgId, id);
      const before = await this.read(tx, id, updateId);
      refuseAutomatic(before);
      const [text, at] = [dto.text?.trim() ?? before.text, this.clock.now()];
      if (text === before.text) return toIncidentUpdateView(before);
      await tx.query('UPDATE incident_update SET text = $2, edited_at = $3 WHERE id = $1', [updateId, text, at]);
      await tx.query('UPDATE incident SET updated_at = $3 WHERE org_id = $1 AND id = $2', [orgId, id, at]);
      countChange(tx, orgId, Buffer.byteLength(text));
      const after = { ...before, text, editedAt: at };
      await this.told(tx, row, { change: 'updated', before, after });
      return toIncidentUpdateView(after);
    });
  }

  /** Deletes an update. The incident's status is kept. Throws: `conflict` for an automatic update. */
  async remove(orgId: string, id: string, updateId: string): Promise<void> {
    await this.database.transaction(async (tx) => {
      const row = await this.lock(tx, orgId, id);
      const before = await this.read(tx, id, updateId);
      refuseAutomatic(before);
      await tx.query('DELETE FROM incident_update WHERE id = $1', [updateId]);
      await tx.query(UNPUBLISH, [id]);
      const [told] = await tx.query<{ since: Date | null }>(PUBLIC_SINCE, [id]);
      await tx.query(SAID, [orgId, id, row.status, told?.since ?? null, row.endedAt, this.clock.now()]);
      await this.told(tx, row, { change: 'updated', before, after: null });
    });
  }

  private async lock(tx: Tx, orgId: string, id: string): Promise<IncidentRow> {
    const row = await this.store.lock(tx, orgId, id);
    const refusal = refusalOfMerged(row);
    if (refusal) throw refusal;
    return row;
  }

  private async read(tx: Tx, id: string, updateId: string): Promise<UpdateRow> {
    const [row] = await tx.query<UpdateRow>(
      `SELECT ${UPDATE_COLUMNS} FROM incident_update u WHERE u.incident_id = $1 AND u.id = $2`,
      [id, updateId],
    );
    if (!row) throw problems.notFound();
    return row;
  }

  /** Writes the audit log entry and emits the event. */
  private async told(tx: Tx, row: IncidentRow, { change, before, after }: Told): Promise<void> {
    const [was, is] = [before && auditedUpdate(before), after && auditedUpdate(after)];
    await recordChange(tx, { ...about(row), action: 'update', before: { update: was }, after: { update: is } });
    await this.events.emit(new IncidentChanged(await this.store.read(tx, row.orgId, row.id), change), tx);
  }

  private async refuseTooMany(tx: Tx, id: string): Promise<void> {
    const [use] = await tx.query<{ said: number }>(
      'SELECT count(*)::int AS said FROM incident_update WHERE incident_id = $1 AND NOT automatic',
      [id],
    );
    const quota = { name: 'incident_updates', limit: MOST_UPDATES, used: use?.said ?? 0 };
    if (quota.used >= quota.limit) throw problems.quotaExceeded(quota, 'posted updates on one incident');
  }
}

/** Leaves out the author's name, which the log would keep forever. */
function auditedUpdate(row: UpdateRow): Omit<IncidentUpdateView, 'by'> {
  const { by: _, ...said } = toIncidentUpdateView(row);
  return said;
}

function refuseAutomatic({ automatic }: UpdateRow): void {
  if (automatic)
    throw problems.conflict('The service posted this update automatically. It cannot be edited or deleted.');
}
