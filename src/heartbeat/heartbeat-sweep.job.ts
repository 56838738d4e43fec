import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { type Tx, WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { epochMs } from '../platform/database/epoch-ms';
import { DatabaseServer } from '../platform/database/database-server';
import { type BackgroundJob, BackgroundJobs } from '../platform/jobs/background-job';
import { failpoint } from '../platform/observability/failpoints';
import { SECOND_MS } from '../platform/time/time-units';
import { decideDue, type Gap, repeated } from './expectation';
import { lockHeartbeats, type PendingVerdict, type Stored, storeHeartbeats } from './heartbeat-store';
import { IngestPresence } from './ingest-presence';
import { PENDING_FOR_MS, withPending, type ToRecord, VerdictRecorder } from './verdict-recorder';

const BATCH = 500;
/** The maximum number of batches per call. The rest waits for the next second. */
const MOST_BATCHES = 20;
/** A row that another transaction has locked is about to change. The job tries again in the next second. */
const LIMITS = { lockMs: 2 * SECOND_MS };
/** The maximum pause if this process is the only user of the database. */
const REST_MS = 10 * SECOND_MS;

// Cost when nothing is due: one lookup in a partial index.
const NEXT = `SELECT ${epochMs('min(next_at)')} AS "nextMs" FROM heartbeat WHERE next_at IS NOT NULL`;
/** Heartbeats that have been due for longer than this count as overdue. A sweep runs every second. */
const OVERDUE_MS = 10 * SECOND_MS;
const COUNT_OVERDUE = 'SELECT count(*)::int AS overdue FROM heartbeat WHERE next_at <= $1';
/** The earliest start of any deadline among the due heartbeats. */
const SINCE = `
  SELECT ${epochMs('LEAST(min(h.expected_at), min(r.started_at))')} AS "sinceMs"
    FROM heartbeat h LEFT JOIN heartbeat_run r ON r.endpoint_id = h.endpoint_id WHERE h.next_at <= $1`;

/**
 * Decides every second what the lack of pings means: missed runs, and runs that take too long. It also records results
 * that a killed process decided but did not record. A ping and the sweep lock the same row, so they can't both decide.
 */
@Injectable()
export class HeartbeatSweep {
  private readonly job: BackgroundJob;
  /** The number of heartbeats that had been due for more than ten seconds at the last sweep. */
  overdue = 0;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly presence: IngestPresence,
    private readonly verdicts: VerdictRecorder,
    private readonly clock: DatabaseClock,
    private readonly server: DatabaseServer,
    jobs: BackgroundJobs,
  ) {
    this.job = jobs.create({ name: 'heartbeat-sweep', run: () => this.run() });
  }

  @Interval(SECOND_MS)
  tick(): Promise<void> {
    return this.job.tick();
  }

  /** Call this after every change of a heartbeat. */
  wake(): void {
    this.job.wake();
  }

  async run(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    const [row] = await this.database.query<{ nextMs: number | null }>(NEXT);
    const nextMs = row?.nextMs ?? Infinity;
    this.overdue = nextMs <= nowMs - OVERDUE_MS ? await this.countOverdue(nowMs) : 0;
    if (nextMs <= nowMs) await this.decideAll(nowMs);
    // On a database server, other processes may accept pings.
    else if (this.server.isEmbedded) this.job.rest(Math.min(nextMs - nowMs, REST_MS));
  }

  private async countOverdue(nowMs: number): Promise<number> {
    const [row] = await this.database.query<{ overdue: number }>(COUNT_OVERDUE, [new Date(nowMs - OVERDUE_MS)]);
    return row?.overdue ?? 0;
  }

  private async decideAll(nowMs: number): Promise<void> {
    const [due] = await this.database.query<{ sinceMs: number | null }>(SINCE, [new Date(nowMs)]);
    const { gaps, unseenMs } = await this.presence.absences(due?.sinceMs ?? nowMs);
    const untilMs = Math.floor(nowMs - unseenMs);
    for (let batch = 0; batch < MOST_BATCHES && !this.job.isStopping; batch++) {
      const decided = await this.database.transaction((tx) => this.decideSome(tx, untilMs, gaps), LIMITS);
      await failpoint('heartbeat.committed');
      await this.verdicts.record(this.database, decided);
      if (decided.length < BATCH) return;
    }
  }

  private async decideSome(tx: Tx, nowMs: number, gaps: readonly Gap[]): Promise<ToRecord[]> {
    const due = await lockHeartbeats(tx, 'h.next_at <= $1', [new Date(nowMs)], {
      tail: `ORDER BY h.next_at LIMIT ${BATCH}`,
      wait: 'SKIP LOCKED',
    });
    const decided = due.map((before): Stored & { verdicts: readonly PendingVerdict[] } => {
      const { state, verdicts } = repeated(decideDue(before.state, before.schedule, nowMs, gaps), { ...before, nowMs });
      const isUnfinished = before.pendingMs !== null && before.pendingMs <= nowMs;
      const kept = isUnfinished ? { ...before, pendingMs: nowMs + PENDING_FOR_MS } : before;
      const after = withPending({ ...kept, state }, verdicts, nowMs);
      const isRepeatOver = verdicts.length > 0 || (before.repeatMs !== null && before.repeatMs <= nowMs);
      return {
        before,
        after: isRepeatOver ? { ...after, repeatMs: null } : after,
        verdicts: verdicts.length > 0 || isUnfinished ? after.pending : [],
      };
    });
    await storeHeartbeats(tx, decided);
    await failpoint('heartbeat.before_commit');
    return decided.map(({ before, verdicts }) => ({ ...before, verdicts }));
  }
}
