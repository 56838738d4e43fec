import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { type Sql, WorkerDatabase } from '../../../platform/database/database';
import { type BackgroundJob, BackgroundJobs } from '../../../platform/jobs/background-job';
import { AnyProbes } from '../../../probe/any-probes';

// Gives the changes without a number the next ones of their probe, under its lock: so numbers become visible in their order, and a
// cursor cannot miss a change that is committed late. What another session has locked, a probe that another instance numbers now as
// well as a row that is being recorded, is left for the next time: nothing waits here. Cost: a look into two small indexes, and of
// each change an update of its row.
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

// Nearly always there is nothing, and a look in the order of the two indexes finds that without a scan, whatever the statistics say.
const firstOf = (table: string) =>
  `(SELECT number FROM ${table} WHERE version IS NULL AND number > 0 ORDER BY number LIMIT 1)`;
const ANY = `SELECT coalesce(${firstOf('endpoint_location')}, ${firstOf('probe_removal')}) IS NOT NULL AS "any"`;

/** Gives every change that a probe is to be told of its number. Several instances may do it at once. One statement where there is none, else two. */
export async function numberChanges(sql: Sql): Promise<void> {
  const [row] = await sql.query<{ any: boolean }>(ANY);
  if (row?.any) await sql.query(NUMBER);
}

/** Each second: what was changed since is told to the probes that poll. */
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
