import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { AlertEvent } from '../alert/event/alert-event.entity';
import { checkId } from '../history/check-id';
import { ServerSecrets } from '../platform/secrets/server-secrets';
import { Database } from '../platform/database/database';
import { parseId } from '../platform/ids/id';
import { Clock } from '../platform/time/clock';
import { messageOf } from './stream-message';
import { KEPT_MS, parsePosition, type StreamPosition } from './stream-position';

/** One row of the stream with what is needed to tell it. */
export interface StreamRow {
  xid: string;
  seq: string;
  org_id: string;
  /** Set when the row is an alert event. */
  event_id: string | null;
  endpoint_id: string | null;
  endpoint_key: string | null;
  endpoint_name: string | null;
  website_id: string | null;
  checked_at: Date | null;
  status: number | null;
  previous_status: number | null;
  duration_us: number | null;
  status_code: number | null;
  error: number | null;
}

/** What is told: whose it is, where it stands, and the event in its wire form (`null`: its subject is gone by now). */
export interface StreamItem {
  orgId: string;
  position: StreamPosition;
  message: string | null;
}

/**
 * Rows of transactions that are over, in the order of the stream. Should some other transaction of the database server
 * stay open for minutes, the stream does not wait for it: ours take milliseconds.
 */
const ROWS = `
  SELECT s.xid::text, s.seq::text, s.org_id, s.event_id, s.endpoint_id, e.key::text AS endpoint_key,
         e.name AS endpoint_name, e.website_id, s.checked_at, s.status, s.previous_status, s.duration_us, s.status_code, s.error
    FROM stream_event s
    LEFT JOIN endpoint e ON e.id = s.endpoint_id
   WHERE (s.xid, s.seq) > ($1::xid8, $2::bigint)
     AND (s.xid < pg_snapshot_xmin(pg_current_snapshot()) OR s.at < now() - interval '1 minute')
     AND ($3::uuid IS NULL OR s.org_id = $3)
   ORDER BY s.xid, s.seq LIMIT $4`;

/** Reads the stream's rows and turns the ids of what was sent back into positions. */
@Injectable()
export class StreamReader {
  constructor(
    private readonly database: Database,
    private readonly secrets: ServerSecrets,
    private readonly clock: Clock,
  ) {}

  /** Everything committed so far lies before it, everything later behind it. */
  async now(): Promise<StreamPosition> {
    const [row] = await this.database.query<{ xid: string }>(
      'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid',
    );
    return { xid: BigInt(row?.xid ?? '0'), seq: 0n };
  }

  /** The rows after a position, of one organization or (`null`) of all. */
  async after(position: StreamPosition, orgId: string | null, limit: number): Promise<StreamItem[]> {
    const place = [position.xid.toString(), position.seq.toString()];
    const rows = await this.database.query<StreamRow>(ROWS, [...place, orgId, limit]);
    const ids = rows.map((row) => row.event_id).filter((id) => id !== null);
    const events = ids.length === 0 ? [] : await this.database.dataSource.manager.findBy(AlertEvent, { id: In(ids) });
    const byId = new Map(events.map((event) => [event.id, event]));
    return rows.map((row) => ({
      orgId: row.org_id,
      position: { xid: BigInt(row.xid), seq: BigInt(row.seq) },
      message: messageOf(row, byId.get(row.event_id ?? '') ?? null, this.secrets.get('check_id')),
    }));
  }

  /** Where the reader who last received `id` stands; `null` for an id the stream no longer (or never) knew. */
  async positionOf(orgId: string, id: string): Promise<StreamPosition | null> {
    const position = parsePosition(id, this.clock.now().getTime());
    if (position) return position;
    const eventId = parseId('event', id);
    if (eventId !== null) return this.positionOfEvent(orgId, eventId);
    const uuid = parseId('check', id);
    return uuid === null ? null : this.positionOfCheck(orgId, id, uuid);
  }

  /** Drops what nobody can resume from any more; also rows of another database server that a restore brought along. */
  async prune(): Promise<void> {
    await this.database.query(
      'DELETE FROM stream_event WHERE at < $1 OR xid >= pg_snapshot_xmax(pg_current_snapshot())',
      [new Date(this.clock.now().getTime() - KEPT_MS)],
    );
  }

  private async positionOfEvent(orgId: string, eventId: string): Promise<StreamPosition | null> {
    const [row] = await this.database.query<{ xid: string; seq: string }>(
      'SELECT xid::text, seq::text FROM stream_event WHERE event_id = $2 AND org_id = $1',
      [orgId, eventId],
    );
    return row ? { xid: BigInt(row.xid), seq: BigInt(row.seq) } : null;
  }

  /** A check's id holds its time in milliseconds; the rest of it is compared. */
  private async positionOfCheck(orgId: string, id: string, uuid: string): Promise<StreamPosition | null> {
    const checkedAt = new Date(Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16));
    if (Number.isNaN(checkedAt.getTime())) return null;
    const rows = await this.database.query<{ xid: string; seq: string; key: string }>(
      `SELECT s.xid::text, s.seq::text, e.key::text FROM stream_event s JOIN endpoint e ON e.id = s.endpoint_id
        WHERE s.org_id = $1 AND s.checked_at = $2`,
      [orgId, checkedAt],
    );
    const found = rows.find((row) => checkId(this.secrets.get('check_id'), row.key, checkedAt) === id);
    return found ? { xid: BigInt(found.xid), seq: BigInt(found.seq) } : null;
  }
}
