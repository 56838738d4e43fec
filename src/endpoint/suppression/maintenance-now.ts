import { Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { HOUR_MS } from '../../platform/time/time-units';
import { type Coverable, type Maintenance, unionAt } from './cover';
import { MaintenanceCoverage } from './maintenance-coverage';
import { OccurrencesByName } from './occurrences-by-name';

/** How far in the future `until` may be. */
const AHEAD_MS = 48 * HOUR_MS;
/** The number of later occurrences to read. If there are more, `until` may be too early. */
const MOST_FOLLOWING = 200;

/** The maintenance that is active at a given time, by endpoint ID. Endpoints without any are missing. */
export type MaintenanceNow = ReadonlyMap<string, Maintenance>;

/** Looks up the currently active maintenance for the API. */
@Injectable()
export class MaintenanceNowLookup {
  constructor(
    private readonly coverage: MaintenanceCoverage,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * Cost: one statement, plus a second one if a window is active, because only then does it matter which windows
   * follow.
   */
  async read(sql: Sql, orgId: string, endpoints: readonly Coverable[]): Promise<MaintenanceNow> {
    const now = this.clock.now();
    const running = await this.coverage.overlapping(sql, [orgId], now, now);
    if (running.length === 0) return new Map();
    const until = new Date(now.getTime() + AHEAD_MS);
    const most = running.length + MOST_FOLLOWING;
    const occurrences = await this.coverage.first(sql, orgId, now, until, most);
    const named = new OccurrencesByName(occurrences, endpoints);
    return new Map(
      endpoints.flatMap((endpoint) => {
        const maintenance = unionAt(named.covering(endpoint), now);
        return maintenance ? [[endpoint.id, maintenance] as const] : [];
      }),
    );
  }
}
