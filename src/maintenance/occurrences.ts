import { Injectable } from '@nestjs/common';
import { countChange } from '../audit/changed-bytes';
import type { Tx } from '../platform/database/database';
import { DAY_MS } from '../platform/time/time-units';
import { type Span, spansFrom } from './recurrence/window-times';
import type { WindowRow } from './window-row';

/** How far ahead occurrences are written: a day more than status pages announce. */
export const AHEAD_MS = 8 * DAY_MS;

/** What an occurrence has of its window. */
type Settings = Pick<WindowRow, 'id' | 'orgId' | 'scopeId' | 'name' | 'mute' | 'excludeFromUptime' | 'public'>;

interface Running extends Span, Settings {}

const FUTURE = 'DELETE FROM maintenance_occurrence WHERE window_id = $1 AND starts_at > $2';

/** Longer than an occurrence lasts: what began before it is over. */
const LONGEST = `interval '91 days'`;
const RUNNING = `
  SELECT window_id AS id, org_id AS "orgId", scope_id AS "scopeId", name, mute, exclude_from_uptime AS "excludeFromUptime",
         public, starts_at AS "startsAt", ends_at AS "endsAt"
    FROM maintenance_occurrence
   WHERE window_id = $1 AND starts_at <= $2 AND starts_at > $2::timestamptz - ${LONGEST} AND ends_at > $2 FOR UPDATE`;

const END = `
  UPDATE maintenance_occurrence SET ends_at = $2, continued = $3
   WHERE window_id = $1 AND starts_at <= $2 AND starts_at > $2::timestamptz - ${LONGEST} AND ends_at > $2 RETURNING 1`;

// A row of the same start is one that a change within the same millisecond cut short.
const WRITE = `
  INSERT INTO maintenance_occurrence (window_id, org_id, scope_id, name, mute, exclude_from_uptime, public, starts_at, ends_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, starts_at, ends_at FROM unnest($8::timestamptz[], $9::timestamptz[]) AS o (starts_at, ends_at)
      ON CONFLICT (window_id, starts_at) DO UPDATE
     SET scope_id = excluded.scope_id, name = excluded.name, mute = excluded.mute, public = excluded.public,
         exclude_from_uptime = excluded.exclude_from_uptime, ends_at = excluded.ends_at, begun = false, over = false,
         continued = false
   WHERE maintenance_occurrence.ends_at = maintenance_occurrence.starts_at`;

const PLANNED = `UPDATE maintenance_window SET planned_until = COALESCE($2, 'infinity'::timestamptz) WHERE id = $1`;
const ENDED_SINCE =
  'SELECT 1 FROM maintenance_occurrence WHERE window_id = $1 AND ends_at > $2 AND starts_at <= $3 LIMIT 1';

/** A row of an occurrence with its indexes, without its name. */
const ROW_BYTES = 250;

/** How a change of a window changes what runs. */
export type Change = 'created' | 'other times' | 'other settings';

/**
 * The only code that writes occurrences. What is past stays; what runs is cut at the moment of a change; what is to come is
 * written for eight days. Stateless, on the transaction that holds the window's row.
 */
@Injectable()
export class Occurrences {
  private changed: () => void = () => {};

  /** `listener` runs after every commit that changed when a window is in force. One listener. */
  onChanged(listener: () => void): void {
    this.changed = listener;
  }

  /** The occurrences of a window after a change that is in force from `now` on. */
  async replace(tx: Tx, window: WindowRow, change: Change, now: Date): Promise<void> {
    await tx.query(FUTURE, [window.id, now]);
    const running = await tx.query<Running>(RUNNING, [window.id, now]);
    const due = lastRunning(window, now);
    // What was ended stays ended, unless the window is given other times.
    const goesOn = due !== null && (running.length > 0 || change !== 'other settings');
    const [only] = running;
    const isSame = goesOn && running.length === 1 && only !== undefined && isSameRun(only, window, due);
    if (!isSame) {
      await tx.query(END, [window.id, now, goesOn]);
      if (goesOn)
        await this.write(tx, window, [{ startsAt: await this.startOf(tx, window, due, now), endsAt: due.endsAt }]);
    }
    await this.plan(tx, window, now, now);
  }

  /** Ends what runs; false when nothing does. */
  async end(tx: Tx, windowId: string, now: Date): Promise<boolean> {
    tx.afterCommit(() => this.changed());
    return (await tx.query(END, [windowId, now, false])).length > 0;
  }

  /** Of a window that is deleted: what runs ends, what is to come is gone. */
  async stop(tx: Tx, windowId: string, now: Date): Promise<void> {
    await tx.query(FUTURE, [windowId, now]);
    await this.end(tx, windowId, now);
  }

  /** Writes what begins later than `after` and within eight days, and until when that is all. */
  async plan(tx: Tx, window: WindowRow, after: Date, now: Date): Promise<void> {
    const until = new Date(now.getTime() + AHEAD_MS);
    const spans: Span[] = [];
    let hasMore = false;
    for (const span of spansFrom(window, now)) {
      hasMore = span.startsAt > now;
      if (span.startsAt > until) break;
      if (span.startsAt > after) spans.push(span);
    }
    tx.afterCommit(() => this.changed());
    await this.write(tx, window, spans);
    // A one-off window that is written needs no further look, a recurring one until its last start is past.
    const isDone = window.cron === null ? !hasMore || spans.length > 0 : !hasMore;
    await tx.query(PLANNED, [window.id, isDone ? null : until]);
  }

  private async write(tx: Tx, window: Settings, spans: readonly Span[]): Promise<void> {
    if (spans.length === 0) return;
    const { id, orgId, scopeId, name, mute, excludeFromUptime } = window;
    countChange(tx, orgId, spans.length * (ROW_BYTES + Buffer.byteLength(name)));
    const [starts, ends] = [spans.map(({ startsAt }) => startsAt), spans.map(({ endsAt }) => endsAt)];
    await tx.query(WRITE, [id, orgId, scopeId, name, mute, excludeFromUptime, window.public, starts, ends]);
  }

  /** A one-off window may be told a little late: then it begins when it was to begin, unless it has run since. Others begin now. */
  private async startOf(tx: Tx, window: WindowRow, due: Span, now: Date): Promise<Date> {
    if (window.cron !== null) return now;
    const ran = await tx.query(ENDED_SINCE, [window.id, due.startsAt, now]);
    return ran.length > 0 ? now : due.startsAt;
  }
}

/** Of the occurrences by the window's times that run at `now` the one that ends last. */
function lastRunning(window: WindowRow, now: Date): Span | null {
  let last: Span | null = null;
  for (const span of spansFrom(window, now)) {
    if (span.startsAt > now) break;
    if (!last || span.endsAt > last.endsAt) last = span;
  }
  return last;
}

const isSameRun = (running: Running, window: WindowRow, due: Span): boolean =>
  running.endsAt.getTime() === due.endsAt.getTime() &&
  running.scopeId === window.scopeId &&
  running.name === window.name &&
  running.mute === window.mute &&
  running.excludeFromUptime === window.excludeFromUptime &&
  running.public === window.public;
