import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { eachInTurn } from '../platform/jobs/each-in-turn';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/time/time-units';
import { AHEAD_MS, Occurrences } from './occurrences';
import { listedAt, selectWindows, type WindowRow } from './window-row';

/** A window is planned again, about once an hour, when its written occurrences extend less far ahead than this. */
const LEAST_AHEAD_MS = AHEAD_MS - HOUR_MS;
const BATCH = 100;
/** A locked row is skipped after this time, and the next run tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };

// Cost when there is nothing to do: a lookup in two partial indexes.
const TO_PLAN = `
  SELECT id FROM maintenance_window WHERE planned_until < $1
   UNION
  SELECT id FROM maintenance_window WHERE planned_until < 'infinity' AND cron IS NOT NULL AND listed_at <= $2
   LIMIT ${BATCH}`;

const ONE = `${selectWindows('$2')} WHERE m.id = $1 FOR UPDATE OF m SKIP LOCKED`;
/** Uses CASE because '-infinity' can't be converted to a Date. */
const PLANNED = `SELECT CASE WHEN planned_until > $2::timestamptz THEN planned_until ELSE $2 END AS after,
                        planned_until < $3::timestamptz AS "isShort"
                   FROM maintenance_window WHERE id = $1 AND planned_until < 'infinity'`;
const LIST = 'UPDATE maintenance_window SET listed_at = $2 WHERE id = $1 AND listed_at IS DISTINCT FROM $2';

/**
 * Writes the occurrences of windows eight days ahead. Recording checks and announcing on status pages then need no cron
 * computation, and the planner may be down for a week. Row locks divide the windows between instances.
 */
@Injectable()
export class OccurrencePlanner {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly occurrences: Occurrences,
    private readonly clock: DatabaseClock,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'maintenance-planning', run: () => this.run() });
  }

  @Interval(MINUTE_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  async run(): Promise<void> {
    let found = BATCH;
    while (found === BATCH && !this.job.isStopping) {
      const now = this.clock.now();
      const soon = new Date(now.getTime() + LEAST_AHEAD_MS);
      const windows = await this.database.query<{ id: string }>(TO_PLAN, [soon, now]);
      await eachInTurn(windows, ({ id }) => this.follow(id, now));
      found = windows.length;
    }
  }

  /** Updates the planned occurrences of a window, and its position in the list, as of `now`. */
  async follow(id: string, now: Date): Promise<void> {
    await this.database.transaction(async (tx) => {
      const [window] = await tx.query<WindowRow>(ONE, [id, now]);
      if (!window) return;
      await tx.query(LIST, [id, listedAt(window, now, window.listedAt)]);
      const soon = new Date(now.getTime() + LEAST_AHEAD_MS);
      const [planned] = await tx.query<{ after: Date; isShort: boolean }>(PLANNED, [id, now, soon]);
      if (planned) await this.occurrences.plan(tx, [{ window, after: planned.after }], now);
    }, LIMITS);
  }
}
