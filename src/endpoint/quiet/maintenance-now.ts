import { Injectable } from '@nestjs/common';
import type { Sql } from '../../platform/database/database';
import { DatabaseClock } from '../../platform/database/database-clock';
import { HOUR_MS } from '../../platform/time/time-units';
import { type Coverable, covers, type Maintenance, maintenanceAt, type Occurrence } from '../maintenance/cover';
import { MaintenanceCoverage } from '../maintenance/maintenance-coverage';

/** How far ahead occurrences are written: `until` tells no end beyond. */
const AHEAD_MS = 48 * HOUR_MS;
/** So many occurrences that follow are looked at: beyond, `until` may tell an end that is too early. */
const MOST_FOLLOWING = 200;

/** Which windows are in force for the endpoints of one organization at one moment. */
export class MaintenanceNow {
  private readonly running: readonly Occurrence[];

  constructor(
    private readonly occurrences: readonly Occurrence[],
    private readonly at: Date,
  ) {
    this.running = occurrences.filter(({ startsAt, endsAt }) => startsAt <= at && at < endsAt);
  }

  of(endpoint: Coverable): Maintenance | null {
    // Nearly always there is none, or one that covers others: what follows is looked at only for those that are covered.
    return this.running.some((occurrence) => covers(occurrence, endpoint))
      ? maintenanceAt(this.occurrences, endpoint, this.at)
      : null;
  }
}

/** Looks up what is in force now, for what the API shows. */
@Injectable()
export class MaintenanceNowLookup {
  constructor(
    private readonly coverage: MaintenanceCoverage,
    private readonly clock: DatabaseClock,
  ) {}

  /** One statement, and a second when something is in force: only then it matters what follows. */
  async read(sql: Sql, orgId: string): Promise<MaintenanceNow> {
    const now = this.clock.now();
    const running = await this.coverage.overlapping(sql, [orgId], now, now);
    if (running.length === 0) return new MaintenanceNow([], now);
    const until = new Date(now.getTime() + AHEAD_MS);
    const most = running.length + MOST_FOLLOWING;
    return new MaintenanceNow(await this.coverage.first(sql, orgId, now, until, most), now);
  }
}
