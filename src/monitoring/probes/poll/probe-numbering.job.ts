import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { type Sql, WorkerDatabase } from '../../../platform/database/database';
import { type BackgroundJob, BackgroundJobs } from '../../../platform/jobs/background-job';
import { AnyProbes } from '../../../probe/any-probes';

// Assigns a probe's next numbers to changes without a number, while the probe is locked. This way, numbers become
// visible in order, and a cursor can't miss a change that is committed late. Rows that are locked by another session
// are left for the next run, so nothing waits here. Cost: lookups in two small indexes, and one row update for each
// change.
const NUMBER = `
  WITH changed AS (
    SELECT number FROM endpoint_location WHERE version IS NULL AND number > 0
    UNION SELECT number FROM probe_removal WHERE version IS NULL
  ), locked AS (
    SELECT p.number, p.numbered FROM probe p WHERE p.number IN (SELECT number FROM changed) ORDER BY p.number FOR UPDATE SKIP LOCKED
  ), moved AS (
    SELECT number, endpoint_id FROM endpoint_location
     WHERE version IS NULL AND number > 0 AND number IN (SELECT number FROM locked) FOR UPDATE SKIP LOCKED
  ), gone AS (
    SELECT number, endpoint_id, ctid AS at FROM probe_removal
     WHERE version IS NULL AND number IN (SELECT number FROM locked) FOR UPDATE SKIP LOCKED
  ), given AS (
    SELECT c.number, c.endpoint_id, c.at, l.numbered + row_number() OVER (PARTITION BY c.number ORDER BY c.at, c.endpoint_id) AS version
      FROM (SELECT number, endpoint_id, at FROM gone UNION ALL SELECT number, endpoint_id, NULL FROM moved) c
      JOIN locked l ON l.number = c.number
  ), locations AS (
    UPDATE endpoint_location l SET version = g.version FROM given g
     WHERE g.at IS NULL AND l.endpoint_id = g.endpoint_id AND l.number = g.number
  ), removals AS (
    UPDATE probe_removal r SET version = g.version FROM given g WHERE r.ctid = g.at
  )
  UPDATE probe p SET numbered = g.highest
    FROM (SELECT number, max(version) AS highest FROM given GROUP BY number) g WHERE p.number = g.number`;

// There is nearly always nothing to do. A lookup in index order finds that out without a scan, regardless of table
// statistics.
const firstOf = (table: string) =>
  `(SELECT number FROM ${table} WHERE version IS NULL AND number > 0 ORDER BY number LIMIT 1)`;
const ANY = `SELECT coalesce(${firstOf('endpoint_location')}, ${firstOf('probe_removal')}) IS NOT NULL AS "any"`;

/**
 * Assigns a number to every change that has to be sent to a probe. Several instances may call this at the same time.
 * Cost: one statement if there are no changes, otherwise two.
 */
export async function numberChanges(sql: Sql): Promise<void> {
  const [row] = await sql.query<{ any: boolean }>(ANY);
  if (row?.any) await sql.query(NUMBER);
}

/** Numbers new changes every second, so that polls can return them. */
@Injectable()
export class ProbeNumberingJob {
  private readonly job: BackgroundJob;

  constructor(database: WorkerDatabase, probes: AnyProbes, jobs: BackgroundJobs) {
    this.job = jobs.create({
      name: 'probe-numbering',
      run: async () => {
        if (probes.exist) await numberChanges(database);
      },
    });
  }

  @Interval(1000)
  tick(): Promise<void> {
    return this.job.tick();
  }
}
