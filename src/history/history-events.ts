import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EndpointsStopped } from '../endpoint/endpoint-events';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { Clock } from '../platform/time/clock';

/** What history does when endpoints are paused or deleted, inside the same transaction. */
@Injectable()
export class HistoryEvents implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.on(EndpointsStopped, async ({ endpointIds, reason }, tx) => {
      if (reason === 'deleted') await this.purgeLater(endpointIds, tx);
      else await this.closeOutages(endpointIds, tx);
    });
  }

  /** Without checks nothing shows that an outage goes on, so it ends with the pause. */
  private async closeOutages(endpointIds: readonly string[], tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE outage SET ended_at = greatest($2::timestamptz, started_at)
        WHERE ended_at IS NULL AND endpoint_key IN (SELECT key FROM endpoint WHERE id = ANY ($1::uuid[]))`,
      [endpointIds, this.clock.now()],
    );
  }

  /** History has no foreign keys; HistoryRetention deletes the rows in small steps afterwards. */
  private async purgeLater(endpointIds: readonly string[], tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO history_purge (endpoint_key) SELECT key FROM endpoint WHERE id = ANY ($1::uuid[])
       ON CONFLICT DO NOTHING`,
      [endpointIds],
    );
  }
}
