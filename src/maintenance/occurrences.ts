import { Injectable } from '@nestjs/common';
import { countChange } from '../audit/changed-bytes';
import { grouped } from '../platform/text/grouped';
import { rowsOf } from '../platform/database/rows-of';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { problems } from '../platform/problem/problem';
import { DAY_MS } from '../platform/time/time-units';
import { Turns } from '../platform/time/turns';
import { type Span, spansFrom } from './window-times';
import type { WindowRow } from './window-row';

/** How far ahead occurrences are written, which is one day more than status pages announce. */
export const AHEAD_MS = 8 * DAY_MS;

/**
 * The maximum number of planned occurrences: a hundred windows that recur every hour. Each one is a row that is kept
 * for 400 days.
 */
export const MOST_PLANNED = 20_000;

export const tooManyPlanned = () =>
  problems.quotaExceeded(
    { name: 'maintenance_occurrences', limit: MOST_PLANNED, used: MOST_PLANNED },
    'occurrences of maintenance windows in the next eight days',
  );

/** The parts of a window that are copied to an occurrence. */
type Settings = Pick<WindowRow, 'id' | 'orgId' | 'scopeId' | 'name' | 'mute' | 'excludeFromUptime' | 'public'>;

interface Running extends Span, Settings {}

const FUTURE = 'DELETE FROM maintenance_occurrence WHERE window_id = ANY ($1::uuid[]) AND starts_at > $2';

/** Longer than the longest occurrence. Occurrences that started earlier are over. */
const LONGEST = `interval '91 days'`;
const RUNNING = `
  SELECT window_id AS id, org_id AS "orgId", scope_id AS "scopeId", name, mute, exclude_from_uptime AS "excludeFromUptime",
         public, starts_at AS "startsAt", ends_at AS "endsAt"
    FROM maintenance_occurrence
   WHERE window_id = ANY ($1::uuid[]) AND starts_at <= $2 AND starts_at > $2::timestamptz - ${LONGEST} AND ends_at > $2
   ORDER BY window_id, starts_at FOR UPDATE`;

const END = `
  UPDATE maintenance_occurrence SET ends_at = $2, continued = window_id = ANY ($3::uuid[])
   WHERE window_id = ANY ($1::uuid[]) AND starts_at <= $2 AND starts_at > $2::timestamptz - ${LONGEST} AND ends_at > $2 RETURNING 1`;

const SPANS = rowsOf<Span & { window: { id: string } }>({
  id: ['uuid', ({ window }) => window.id],
  starts_at: ['timestamptz', ({ startsAt }) => startsAt],
  ends_at: ['timestamptz', ({ endsAt }) => endsAt],
});

// A row with the same start was cut short by a change within the same millisecond.
const WRITE = `
  INSERT INTO maintenance_occurrence (window_id, org_id, scope_id, name, mute, exclude_from_uptime, public, starts_at, ends_at)
  SELECT w.id, w.org_id, w.scope_id, w.name, w.mute, w.exclude_from_uptime, w.public, o.starts_at, o.ends_at
    FROM ${SPANS.as('o')}
    JOIN maintenance_window w ON w.id = o.id
      ON CONFLICT (window_id, starts_at) DO UPDATE
     SET scope_id = excluded.scope_id, name = excluded.name, mute = excluded.mute, public = excluded.public,
         exclude_from_uptime = excluded.exclude_from_uptime, ends_at = excluded.ends_at, begun = false, over = false,
         continued = false
   WHERE maintenance_occurrence.ends_at = maintenance_occurrence.starts_at`;

const PLANNED = `
  UPDATE maintenance_window SET planned_until = CASE WHEN id = ANY ($2::uuid[]) THEN 'infinity'::timestamptz ELSE $3 END
   WHERE id = ANY ($1::uuid[])`;
const ENDED_SINCE = `
  SELECT d.id FROM unnest($1::uuid[], $2::timestamptz[]) AS d (id, due)
   WHERE EXISTS (SELECT FROM maintenance_occurrence o WHERE o.window_id = d.id AND o.ends_at > d.due AND o.starts_at <= $3)`;

/** The size of an occurrence's row with its indexes, but without its name. */
const ROW_BYTES = 250;

/** The kind of change to a window, which determines what happens to its current occurrence. */
export type Change = 'created' | 'other times' | 'other settings';

/** Emitted in the transaction that changes when a window is active. */
export class OccurrencesChanged {}

/**
 * The only code that writes occurrences. Past ones are kept, current ones are cut short at the time of a change, and
 * future ones are written for eight days. Stateless. It uses the transaction that has locked the window's row.
 */
@Injectable()
export class Occurrences {
  constructor(private readonly events: TransactionEvents) {}

  /**
   * Rewrites the occurrences of saved windows after changes from `now` on. Cost: the same number of statements as for
   * one window.
   */
  async replace(tx: Tx, changes: readonly ChangedWindow[], now: Date): Promise<void> {
    const ids = changes.map(({ window }) => window.id);
    await tx.query(FUTURE, [ids, now]);
    const running = grouped(await tx.query<Running>(RUNNING, [ids, now]), ({ id }) => id);
    const cut = changes.flatMap(({ window, change }) => {
      const runs = running.get(window.id) ?? [];
      const due = lastRunning(window, now);
      // An occurrence that was ended stays ended, unless the window's times change.
      const goesOn = due !== null && (runs.length > 0 || change !== 'other settings') ? due : null;
      const [only] = runs;
      const isSame = goesOn && runs.length === 1 && only !== undefined && isSameRun(only, window, goesOn);
      return isSame ? [] : [{ window, goesOn }];
    });
    const going = cut.flatMap(({ window, goesOn: due }) => (due ? [{ window, due }] : []));
    await tx.query(END, [idsOf(cut), now, idsOf(going)]);
    await this.write(tx, await this.goingOn(tx, going, now));
    await this.plan(
      tx,
      changes.map(({ window }) => ({ window, after: now })),
      now,
    );
  }

  /** Ends the current occurrence. Returns false if there is none. */
  async end(tx: Tx, windowId: string, now: Date): Promise<boolean> {
    await this.events.emit(new OccurrencesChanged(), tx);
    return (await tx.query(END, [[windowId], now, []])).length > 0;
  }

  /** Ends the current occurrence of a deleted window and deletes future ones. */
  async stop(tx: Tx, windowId: string, now: Date): Promise<void> {
    await tx.query(FUTURE, [[windowId], now]);
    await this.end(tx, windowId, now);
  }

  /**
   * Writes the occurrences of saved windows that start after `after` and within eight days. Also stores until when they
   * are complete.
   */
  async plan(tx: Tx, windows: readonly { window: WindowRow; after: Date }[], now: Date): Promise<void> {
    const until = new Date(now.getTime() + AHEAD_MS);
    let planned = 0;
    const ahead = await new Turns().map(windows, ({ window, after }) => {
      const found = spansAhead(window, after, now, until);
      planned += found.spans.length;
      // Stops early if the result would be refused anyway.
      if (planned > MOST_PLANNED) throw tooManyPlanned();
      return { window, ...found };
    });
    await this.events.emit(new OccurrencesChanged(), tx);
    await this.write(
      tx,
      ahead.flatMap(({ window, spans }) => spans.map((span) => ({ window, ...span }))),
    );
    await tx.query(PLANNED, [idsOf(ahead), idsOf(ahead.filter(({ isDone }) => isDone)), until]);
  }

  private async write(tx: Tx, spans: readonly SpanOfWindow[]): Promise<void> {
    if (spans.length === 0) return;
    for (const { window } of spans) countChange(tx, window.orgId, ROW_BYTES + Buffer.byteLength(window.name));
    await tx.query(WRITE, SPANS.of(spans));
  }

  /**
   * Returns the occurrences that continue. A one-off window may be sent slightly late. In that case, it starts at its
   * intended time, unless it has been active since then. Others start now.
   */
  private async goingOn(
    tx: Tx,
    going: readonly { window: WindowRow; due: Span }[],
    now: Date,
  ): Promise<SpanOfWindow[]> {
    const late = going.filter(({ window }) => window.cron === null);
    const due = late.map(({ due: { startsAt } }) => startsAt);
    const ran = late.length === 0 ? [] : await tx.query<{ id: string }>(ENDED_SINCE, [idsOf(late), due, now]);
    const hasRun = new Set(ran.map(({ id }) => id));
    return going.map(({ window, due: { startsAt, endsAt } }) => {
      return { window, startsAt: window.cron !== null || hasRun.has(window.id) ? now : startsAt, endsAt };
    });
  }
}

type SpanOfWindow = Span & { window: WindowRow };

export interface ChangedWindow {
  window: WindowRow;
  change: Change;
}

const idsOf = (items: readonly { window: { id: string } }[]): string[] => items.map(({ window }) => window.id);

/**
 * `isDone` is true if no more planning is needed. A one-off window is done when its occurrence is written, and a
 * recurring one when its last start is in the past.
 */
function spansAhead(window: WindowRow, after: Date, now: Date, until: Date): { spans: Span[]; isDone: boolean } {
  const spans: Span[] = [];
  let hasMore = false;
  for (const span of spansFrom(window, now)) {
    hasMore = span.startsAt > now;
    if (span.startsAt > until) break;
    if (span.startsAt > after) spans.push(span);
  }
  return { spans, isDone: !hasMore || (window.cron === null && spans.length > 0) };
}

/**
 * Returns the occurrence at `now` according to the window's times. If there are several, returns the one that ends
 * last.
 */
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
