import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { EndpointSchedule } from '../endpoint/endpoint-schedule';
import type { MaintenanceScope } from '../endpoint/suppression/cover';
import { type Tx, WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { DatabaseServer } from '../platform/database/database-server';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { eachInTurn } from '../platform/jobs/each-in-turn';
import { failpoint } from '../platform/observability/failpoints';
import { SECOND_MS } from '../platform/time/time-units';
import { OccurrencePlanner } from './occurrence-planner.job';

/** The maximum number of occurrences that one sweep starts and ends. */
const BATCH = 200;
/** A locked row is skipped after this time, and the next second tries again. */
const LIMITS = { lockMs: 2 * SECOND_MS };
/** The maximum pause if this process is the only user of the database. */
const REST_MS = 10 * SECOND_MS;

interface Occurrence extends MaintenanceScope {
  orgId: string;
  windowId: string;
  startsAt: Date;
  endsAt: Date;
}

// Cost when nothing starts or ends: a lookup in two partial indexes.
const NEXT = `
  SELECT (SELECT min(starts_at) FROM maintenance_occurrence WHERE NOT begun) AS begins,
         (SELECT min(ends_at) FROM maintenance_occurrence WHERE NOT over) AS ends`;

const BEGIN = `
  UPDATE maintenance_occurrence SET begun = true
   WHERE (window_id, starts_at) IN (
     SELECT window_id, starts_at FROM maintenance_occurrence WHERE NOT begun AND starts_at <= $1
      ORDER BY starts_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)
  RETURNING window_id AS "windowId"`;

const ENDED = `
  SELECT window_id AS "windowId", starts_at AS "startsAt" FROM maintenance_occurrence
   WHERE NOT over AND ends_at <= $1 ORDER BY ends_at LIMIT ${BATCH}`;

const LOCK = `
  SELECT o.org_id AS "orgId", o.window_id AS "windowId", o.starts_at AS "startsAt", o.ends_at AS "endsAt",
         s.covers_all AS "coversAll", s.website_ids AS "websiteIds", s.endpoint_ids AS "endpointIds", s.tags
    FROM maintenance_occurrence o JOIN maintenance_scope s ON s.id = o.scope_id
   WHERE o.window_id = $1 AND o.starts_at = $2 AND NOT o.over AND o.ends_at <= $3 FOR UPDATE OF o SKIP LOCKED`;

const OVER = 'UPDATE maintenance_occurrence SET begun = true, over = true WHERE window_id = $1 AND starts_at = $2';

type Key = Pick<Occurrence, 'windowId' | 'startsAt'>;
type Step = 'done' | 'more' | 'later';

/**
 * Processes starts and ends of maintenance windows every second, regardless of their cause. The flags of the row show
 * what a killed process did not do. They change in the same transaction as the work, so nothing is done twice.
 */
@Injectable()
export class MaintenanceSweep {
  private readonly job: BackgroundJob;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly schedule: EndpointSchedule,
    private readonly planner: OccurrencePlanner,
    private readonly clock: DatabaseClock,
    private readonly server: DatabaseServer,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'maintenance-sweep', run: () => this.run() });
  }

  @Interval(SECOND_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Call this after every change of an occurrence. */
  wake(): void {
    this.job.wake();
  }

  async run(): Promise<void> {
    const now = this.clock.now();
    const [next] = await this.database.query<{ begins: Date | null; ends: Date | null }>(NEXT);
    const [begins, ends] = [next?.begins?.getTime() ?? Infinity, next?.ends?.getTime() ?? Infinity];
    if (ends <= now.getTime()) await this.endAll(now);
    if (begins <= now.getTime()) await this.begin(now);
    const pauseMs = Math.min(begins, ends) - now.getTime();
    // On a database server, other processes may change windows.
    if (pauseMs > 0 && this.server.isEmbedded) this.job.rest(Math.min(pauseMs, REST_MS));
  }

  /**
   * Starts occurrences. A database trigger sends the event `started`. Then the windows' positions in the list are
   * updated, which the planner would otherwise do later.
   */
  private async begin(now: Date): Promise<void> {
    const begun = await this.database.transaction(async (tx) => {
      const rows = await tx.query<{ windowId: string }>(BEGIN, [now]);
      await failpoint('maintenance.before_begun');
      return rows;
    }, LIMITS);
    await failpoint('maintenance.after_begun');
    await eachInTurn([...new Set(begun.map(({ windowId }) => windowId))], (id) => this.planner.follow(id, now));
  }

  private async endAll(now: Date): Promise<void> {
    const ended = await this.database.query<Key>(ENDED, [now]);
    await eachInTurn(ended, async (key) => {
      let step: Step = 'more';
      while (step === 'more' && !this.job.isStopping)
        step = await this.database.transaction((tx) => this.end(tx, key, now), LIMITS);
    });
  }

  /**
   * Schedules a check for the covered endpoints that are down, a few thousand per transaction. Then marks the
   * occurrence as over and sends the event.
   */
  private async end(tx: Tx, key: Key, now: Date): Promise<Step> {
    const [occurrence] = await tx.query<Occurrence>(LOCK, [key.windowId, key.startsAt, now]);
    if (!occurrence) return 'done';
    const { moved, left } = await this.schedule.dueAfter(tx, occurrence, occurrence.endsAt);
    if (left > 0) return moved > 0 ? 'more' : 'later';
    await failpoint('maintenance.before_over');
    await tx.query(OVER, [key.windowId, key.startsAt]);
    await failpoint('maintenance.after_over');
    return 'done';
  }
}
