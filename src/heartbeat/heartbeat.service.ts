import { Injectable } from '@nestjs/common';
import { recordChange } from '../audit/audit-log';
import type { EndpointView } from '../endpoint/endpoint.dto';
import { EndpointService } from '../endpoint/endpoint.service';
import { rotateAddress } from '../endpoint/heartbeat/heartbeat-addresses';
import { typeProblems } from '../endpoint/heartbeat/heartbeat-rules';
import { expectedTimes, HEARTBEAT } from '../endpoint/heartbeat/heartbeat-schedule';
import { sentSchedule } from '../endpoint/heartbeat/heartbeat.dto';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page, PageQuery } from '../platform/http/page';
import { refuse } from '../platform/problem/findings';
import { MASK } from '../platform/secrets/mask';
import { problems } from '../platform/problem/problem';
import {
  type HeartbeatPreviewView,
  type PingRow,
  type PingView,
  type PreviewHeartbeatDto,
  type PreviewQuery,
  toPingView,
} from './ping.dto';

const DEFAULT_LIMIT = 100;
const PREVIEWED = 10;

// Newest first. Cost: the index of each stored day until the page is full.
const PINGS = `
  SELECT id, created_at AS "createdAt", kind, run_id AS "runId", duration_ms::float8 AS "durationMs", exit_code AS "exitCode",
         host(address) AS address, body, body_bytes AS "bodyBytes"
    FROM ping WHERE endpoint_key = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`;

/** Handles client requests about heartbeats, except for settings. */
@Injectable()
export class HeartbeatService {
  constructor(
    private readonly database: Database,
    private readonly endpoints: EndpointService,
    private readonly cursors: Cursors,
    private readonly clock: DatabaseClock,
  ) {}

  /** Returns the times at which pings would be expected. Throws: `validation_failed`. */
  async preview(
    { heartbeat }: PreviewHeartbeatDto,
    { from = this.clock.now() }: PreviewQuery,
  ): Promise<HeartbeatPreviewView> {
    refuse({ invalid: typeProblems({ heartbeat }, HEARTBEAT, null), forbidden: [] });
    const schedule = sentSchedule(heartbeat);
    const times = expectedTimes(schedule, from, PREVIEWED);
    return { expected_at: times.map((time) => time.toISOString()), grace: schedule.grace };
  }

  /** Returns pings, newest first. Throws: `conflict` for an endpoint of another type. */
  async pings(
    { orgId, role }: Caller,
    id: string,
    { cursor, limit = DEFAULT_LIMIT }: PageQuery,
  ): Promise<Page<PingView>> {
    const key = await this.require(this.database, orgId, id);
    const page = await this.cursors.paginate<PingRow>({
      orgId,
      list: `pings:${id}`,
      cursor,
      limit,
      rowsAtOnce: LARGE_ROWS,
      read: (after, count) => this.database.query<PingRow>(PINGS, [key, after, count]),
      idOf: (row) => row.id,
    });
    return page.map((row) => toPingView(row, role));
  }

  /** Replaces the ping URLs. The audit log entry does not contain them. */
  async rotate(caller: Caller, id: string): Promise<EndpointView> {
    const { orgId } = caller;
    await this.database.transaction(async (tx) => {
      await this.endpoints.hold(tx, orgId, id);
      await this.require(tx, orgId, id);
      await rotateAddress(tx, id);
      const masked = { ping_id: MASK, push_token: MASK };
      const hidden = { before: masked, after: masked, hidden: ['ping_id', 'push_token'] };
      await recordChange(tx, { orgId, resource: 'endpoint', id, action: 'update', ...hidden });
    });
    return this.endpoints.get(caller, id);
  }

  /** Returns the key of the endpoint's history. */
  private async require(sql: Sql, orgId: string, id: string): Promise<string> {
    const [row] = await sql.query<{ key: string; type: string }>(
      'SELECT key::text AS key, type FROM endpoint WHERE org_id = $1 AND id = $2',
      [orgId, id],
    );
    if (!row) throw problems.notFound();
    if (row.type !== HEARTBEAT) throw problems.conflict(`Only endpoints of type ${HEARTBEAT} have pings.`);
    return row.key;
  }
}
