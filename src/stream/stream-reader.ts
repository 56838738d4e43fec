import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AlertEvent } from '../alert/event/alert-event.entity';
import { checkId } from '../history/check-id';
import { ServerSecrets } from '../platform/secrets/server-secrets';
import { Database } from '../platform/database/database';
import { madeAtMs, NIL_UUID, parseId } from '../platform/ids/id';
import { Clock } from '../platform/time/clock';
import { messageOf, otherMessageOf, type StreamRow } from './stream-message';
import { KEPT_MS, type StreamPosition, StreamPositions } from './stream-position';

/** An event in the stream: its organization, its position, and its wire format (`null` if its resource was deleted). */
export interface StreamItem {
  orgId: string;
  position: StreamPosition;
  message: string | null;
}

/** The names of people in a payload. Cost: at most three lookups by key, for these two kinds only. */
const NAMES = `CASE WHEN s.kind IN ('acknowledgement', 'incident') THEN (
           SELECT json_object_agg(p.id, p.name) FROM person p WHERE p.id IN ((s.payload ->> 'person_id')::uuid,
             (s.payload ->> 'ack_person_id')::uuid, (s.payload ->> 'created_by_id')::uuid)) END`;

/**
 * Rows of finished transactions, in stream order. Only another client of the database server could keep a transaction
 * open for a minute, because the service's transactions take milliseconds. The stream doesn't wait longer than that.
 */
const rowsWhere = (condition: string): string => `
  SELECT s.xid::text, s.seq::text, s.org_id, s.at, s.kind, s.payload, ${NAMES} AS names, s.event_id, s.endpoint_id, e.key::text AS endpoint_key,
         e.name AS endpoint_name, e.website_id, s.checked_at, s.location, s.status, s.previous_status, s.duration_us, s.status_code, s.error
    FROM stream_event s
    LEFT JOIN endpoint e ON e.id = s.endpoint_id
   WHERE ${condition}
     AND (s.xid < pg_snapshot_xmin(pg_current_snapshot()) OR s.at < now() - interval '1 minute')
   ORDER BY s.xid, s.seq LIMIT $3`;
/** Reads by primary key. */
const ROWS = rowsWhere('(s.xid, s.seq) > ($1::xid8, $2::bigint)');
/**
 * Reads by a separate index, so that no row of another organization is read, however far back it starts. The
 * organization is part of the row comparison. Without it, the planner would use the primary key, because it knows
 * little about `xid8`.
 */
const ROWS_OF_ORGANIZATION = rowsWhere('s.org_id = $4 AND (s.org_id, s.xid, s.seq) > ($4::uuid, $1::xid8, $2::bigint)');

/** Reads the rows of the stream, and finds the position of a `Last-Event-ID`. */
@Injectable()
export class StreamReader {
  private knownPositions: StreamPositions | null = null;

  constructor(
    private readonly database: Database,
    private readonly secrets: ServerSecrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the current end of the stream: everything that is committed later comes after `now`. If an older
   * transaction remains open for long, later events are sent anyway. They are before `beyond`, which no transaction of
   * this database has reached.
   */
  async now(): Promise<{ now: StreamPosition; beyond: StreamPosition }> {
    const [row] = await this.database.query<{ xid: string; beyond: string }>(
      'SELECT pg_snapshot_xmin(s)::text AS xid, pg_snapshot_xmax(s)::text AS beyond FROM pg_current_snapshot() s',
    );
    const at = (xid = '0') => ({ xid: BigInt(xid), seq: 0n });
    return { now: at(row?.xid), beyond: at(row?.beyond) };
  }

  /** Returns the events after a position. If the organization is `null`, returns events of all organizations. */
  async after(position: StreamPosition, orgId: string | null, limit: number): Promise<StreamItem[]> {
    const start = [position.xid.toString(), position.seq.toString()];
    const rows = await (orgId === null
      ? this.database.query<StreamRow>(ROWS, [...start, limit])
      : this.database.query<StreamRow>(ROWS_OF_ORGANIZATION, [...start, limit, orgId]));
    const ids = rows.map((row) => row.event_id).filter((id) => id !== null);
    const events = ids.length === 0 ? [] : await this.database.manager.findBy(AlertEvent, { id: In(ids) });
    const byId = new Map(events.map((event) => [event.id, event]));
    return rows.map((row) => {
      const position = { xid: BigInt(row.xid), seq: BigInt(row.seq) };
      const message =
        row.kind === null
          ? messageOf(row, byId.get(row.event_id ?? '') ?? null, this.secrets.get('check_id'))
          : otherMessageOf(row, this.positions.format(row.org_id, position, row.at.getTime()));
      return { orgId: row.org_id, position, message };
    });
  }

  /** Returns the ID of a position for this organization. It reveals nothing about other organizations. */
  idOf(orgId: string, position: StreamPosition): string {
    return this.positions.format(orgId, position, this.clock.now().getTime());
  }

  /**
   * Returns the position of a client that last received `id`, or `null` if the stream no longer contains that ID. Only
   * looks up IDs of alert events and checks, and only if rows from their time are still stored.
   */
  async positionOf(orgId: string, id: string): Promise<StreamPosition | null> {
    const now = this.clock.now().getTime();
    const position = this.positions.parse(orgId, id, now);
    if (position) return position;
    const [eventId, checkUuid] = [parseId('event', id), parseId('check', id)];
    const createdAt = new Date(madeAtMs(eventId ?? checkUuid ?? NIL_UUID));
    // The time in an ID comes from the clock of the machine that created it, which may be off by some hours.
    if (Math.abs(now - createdAt.getTime()) > 2 * KEPT_MS) return null;
    if (eventId !== null) return this.positionOfEvent(orgId, eventId);
    return checkUuid === null ? null : this.positionOfCheck(orgId, id, createdAt);
  }

  private async positionOfEvent(orgId: string, eventId: string): Promise<StreamPosition | null> {
    const [row] = await this.database.query<{ xid: string; seq: string }>(
      'SELECT xid::text, seq::text FROM stream_event WHERE event_id = $2 AND org_id = $1',
      [orgId, eventId],
    );
    return row ? { xid: BigInt(row.xid), seq: BigInt(row.seq) } : null;
  }

  /** A check's ID starts with its time. Finds the rows with that time and compares their IDs. */
  private async positionOfCheck(orgId: string, id: string, checkedAt: Date): Promise<StreamPosition | null> {
    const rows = await this.database.query<{ xid: string; seq: string; key: string; location: number | null }>(
      `SELECT s.xid::text, s.seq::text, e.key::text, s.location FROM stream_event s JOIN endpoint e ON e.id = s.endpoint_id
        WHERE s.org_id = $1 AND s.checked_at = $2`,
      [orgId, checkedAt],
    );
    const secret = this.secrets.get('check_id');
    const found = rows.find((row) => checkId(secret, row.key, checkedAt, row.location ?? undefined) === id);
    return found ? { xid: BigInt(found.xid), seq: BigInt(found.seq) } : null;
  }

  private get positions(): StreamPositions {
    return (this.knownPositions ??= new StreamPositions(this.secrets.get('cursor')));
  }
}
