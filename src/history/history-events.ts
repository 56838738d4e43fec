import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EndpointRestoring, EndpointsStopped, StatusEnded } from '../endpoint/endpoint-events';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';

/** Updates history in the same transaction that pauses endpoints, deletes them, or changes their target. */
@Injectable()
export class HistoryEvents implements OnModuleInit {
  constructor(private readonly events: TransactionEvents) {}

  onModuleInit(): void {
    this.events.on(EndpointsStopped, async ({ endpointIds, reason, keptUntil }, tx) => {
      if (reason === 'deleted') await this.purgeLater(endpointIds, keptUntil, tx);
    });
    this.events.on(EndpointRestoring, ({ key }, tx) => this.keep(key, tx));
    this.events.on(StatusEnded, ({ endpointIds }, tx) => this.closeOutages(endpointIds, tx));
  }

  /**
   * Without checks, there is no evidence that an outage continues, so it is closed here. The next failure starts a new
   * one.
   */
  private async closeOutages(endpointIds: readonly string[], tx: Tx): Promise<void> {
    await tx.query(
      `UPDATE outage SET ended_at = greatest(clock_timestamp(), started_at)
        WHERE ended_at IS NULL AND endpoint_key IN (SELECT key FROM endpoint WHERE id = ANY ($1::uuid[]))`,
      [endpointIds],
    );
  }

  /** History tables have no foreign keys. HistoryRetention deletes the rows later in small steps. */
  private async purgeLater(endpointIds: readonly string[], from: Date | null, tx: Tx): Promise<void> {
    await tx.query(
      `INSERT INTO history_purge (endpoint_key, asked_at) SELECT key, COALESCE($2::timestamptz, now()) FROM endpoint WHERE id = ANY ($1::uuid[])
       ON CONFLICT DO NOTHING`,
      [endpointIds, from],
    );
  }

  /** The history of a restored endpoint isn't deleted. */
  private async keep(key: string, tx: Tx): Promise<void> {
    await tx.query('DELETE FROM history_purge WHERE endpoint_key = $1', [key]);
  }
}
