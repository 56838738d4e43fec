import { Injectable } from '@nestjs/common';
import type { OrganizationPurge } from '../identity/organization/organization-events';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import type { WebsitePurge } from '../website/website-events';
import { EndpointsStopped } from './endpoint-events';
import { EndpointSchedule } from './endpoint-schedule';

/** The number of endpoints that one step removes. It is small because the recorder waits for their state rows. */
const BATCH = 100;

/** Removes endpoints when a website or an organization is deleted in steps. */
@Injectable()
export class EndpointPurge {
  constructor(
    private readonly schedule: EndpointSchedule,
    private readonly events: TransactionEvents,
  ) {}

  /** Stops scheduling checks of the organization's endpoints. */
  async stopSome(tx: Tx, step: OrganizationPurge): Promise<void> {
    if (await this.schedule.stopSome(tx, 'org_id', step.orgId)) step.leave();
  }

  /**
   * Stops scheduling checks of the website's endpoints, then removes some of them. Before it removes anything, it locks
   * the endpoints and their state rows in ID order, like the recorder.
   */
  async removeSome(tx: Tx, step: WebsitePurge): Promise<void> {
    const { orgId, websiteId } = step;
    if (await this.schedule.stopSome(tx, 'website_id', websiteId)) step.leave();
    const rows = await tx.query<{ id: string }>(
      `SELECT s.endpoint_id AS id FROM endpoint_state s JOIN endpoint e ON e.id = s.endpoint_id
        WHERE e.website_id = $1 ORDER BY s.endpoint_id LIMIT ${BATCH} FOR UPDATE OF s, e`,
      [websiteId],
    );
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await this.events.emit(new EndpointsStopped(orgId, ids, 'deleted'), tx);
    await tx.query('DELETE FROM endpoint WHERE id = ANY ($1::uuid[])', [ids]);
    if (ids.length === BATCH) step.leave();
  }
}
