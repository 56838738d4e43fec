import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { begunAgain } from './expectation';
import { lockHeartbeats, storeHeartbeats } from './heartbeat-store';
import { HeartbeatSweep } from './heartbeat-sweep.job';

/** Recomputes the next expected ping after heartbeats, or whether they are monitored, have changed. */
@Injectable()
export class HeartbeatExpectation {
  constructor(
    private readonly clock: DatabaseClock,
    private readonly sweep: HeartbeatSweep,
  ) {}

  /** Call this in the transaction that makes the change. Cost: two statements for a thousand heartbeats. */
  async beginAgain(tx: Tx, endpointIds: readonly string[]): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const locked = await lockHeartbeats(tx, 'h.endpoint_id = ANY ($1::uuid[])', [endpointIds], {
      tail: 'ORDER BY h.endpoint_id',
    });
    const changes = locked.map((before) => {
      const { schedule, armed, lastPingMs } = before;
      return {
        before,
        after: { ...before, repeatMs: null, state: begunAgain(before.state, schedule, { lastPingMs, armed, nowMs }) },
      };
    });
    await storeHeartbeats(tx, changes);
    tx.afterCommit(() => this.sweep.wake());
  }
}
