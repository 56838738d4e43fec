import { EndpointsStopped } from '../../../src/endpoint/endpoint-events';
import { INCIDENT_COLUMNS, type IncidentRow, UPDATE_COLUMNS, type UpdateRow } from '../../../src/incident/incident-row';
import type { Sql } from '../../../src/platform/database/database';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { TransactionEvents } from '../../../src/platform/events/transaction-events';
import type { Alerting } from './alerting';
import { findIncidentViolations } from './invariants';

export class IncidentTables {
  constructor(private readonly sql: Sql) {}

  /** Returns incidents in ascending order by number. */
  incidents(orgId: string): Promise<IncidentRow[]> {
    return this.sql.query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incident i WHERE org_id = $1 ORDER BY number`, [
      orgId,
    ]);
  }

  updates(orgId: string): Promise<UpdateRow[]> {
    return this.sql.query<UpdateRow>(`SELECT ${UPDATE_COLUMNS} FROM incident_update u WHERE org_id = $1 ORDER BY id`, [
      orgId,
    ]);
  }

  openMembers(orgId: string): Promise<string[]> {
    return this.members(orgId, 'ended_at IS NULL');
  }

  held(orgId: string): Promise<string[]> {
    return this.members(orgId, 'ended_at IS NULL AND held');
  }

  private async members(orgId: string, where: string): Promise<string[]> {
    const rows = await this.sql.query<{ id: string }>(
      `SELECT endpoint_id AS id FROM incident_member WHERE org_id = $1 AND ${where} ORDER BY endpoint_id`,
      [orgId],
    );
    return rows.map(({ id }) => id);
  }

  async expectConsistent(): Promise<void> {
    const wrong = await findIncidentViolations(this.sql);
    expect(wrong).toEqual([]);
  }

  /** Runs everything that disabling or deleting endpoints triggers, without changing the endpoints. */
  stop(alerting: Alerting, orgId: string, endpointIds: string[], reason: 'disabled' | 'deleted'): Promise<void> {
    return alerting.nest.get(WorkerDatabase).transaction(async (tx) => {
      await tx.query(
        'SELECT FROM endpoint_state WHERE endpoint_id = ANY ($1::uuid[]) ORDER BY endpoint_id FOR UPDATE',
        [endpointIds],
      );
      await alerting.nest.get(TransactionEvents).emit(new EndpointsStopped(orgId, endpointIds, reason), tx);
    });
  }
}
