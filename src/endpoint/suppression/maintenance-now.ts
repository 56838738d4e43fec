import { Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { HOUR_MS } from '../../platform/time/time-units';
import { type Coverable, type Maintenance, unionAt } from './cover';
import { MaintenanceCoverage } from './maintenance-coverage';
import { OccurrencesByName } from './occurrences-by-name';

/** `until` tells no end beyond. */
const AHEAD_MS = 48 * HOUR_MS;
/** So many occurrences that follow are looked at: beyond, `until` may tell an end that is too early. */
const MOST_FOLLOWING = 200;

/** What is in force at one moment, by the ids of the endpoints that were asked for; nothing for those that are missing. */
export type MaintenanceNow = ReadonlyMap<string, Maintenance>;

/** Looks up what is in force now, for what the API shows. */
@Injectable()
export class MaintenanceNowLookup {
  constructor(
    private readonly coverage: MaintenanceCoverage,
    private readonly clock: DatabaseClock,
  ) {}

  /** One statement, and a second when something is in force: only then it matters what follows. */
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
