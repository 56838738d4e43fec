import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { CheckView } from '../../../history/read/check.dto';
import { WorkerDatabase } from '../../../platform/database/database';
import { DatabaseClock } from '../../../platform/database/database-clock';
import { epochMs } from '../../../platform/database/epoch-ms';
import { newUuid } from '../../../platform/ids/id';
import { problems } from '../../../platform/problem/problem';
import { SecretBox, SecretUnreadable } from '../../../platform/secrets/secret-box';
import { SECOND_MS } from '../../../platform/time/time-units';
import type { Definition } from '../../../probe-protocol/protocol';
import { WaitingPolls } from './waiting-polls';

/** How much time a probe has in addition to the check's own timeout. */
const GRACE_MS = 10 * SECOND_MS;
/** The maximum number of requests in one response. */
const MOST_AT_ONCE = 50;
const LOOK_EVERY_MS = 250;

/** A check that a probe should run now. */
export interface NewAsk {
  /** The probe's number. */
  number: number;
  orgId: string;
  /** UUID, or `null` for a test, which has a `definition`. */
  endpointId: string | null;
  definition: Definition | null;
  timeoutMs: number;
  left: AbortSignal;
}

/** A request as sent to the probe. */
export interface TakenAsk {
  id: string;
  endpointId: string | null;
  orgId: string;
  isDefaultOrg: boolean;
  definition: Definition | null;
  expiresMs: number;
}

/** The outcome of a request: the check as clients see it, or the reason why there is none. */
export type AskResult = { check: Omit<CheckView, 'id' | 'endpoint_id'> & Partial<CheckView> } | { refused: string };

// Allows one request at a time for each endpoint and location. Cost: reads the probe's requests that were not picked
// up, and its requests from the last minute.
const ADD = `
  INSERT INTO probe_ask (id, number, org_id, endpoint_id, definition, created_at, expires_at)
  SELECT $1::uuid, $2::smallint, $3::uuid, $4::uuid, $5::text, $6::timestamptz, $7::timestamptz
   WHERE $4::uuid IS NULL OR NOT EXISTS (
     SELECT FROM probe_ask WHERE number = $2::smallint AND endpoint_id = $4::uuid AND expires_at > $6::timestamptz AND result IS NULL)
  RETURNING 1`;

const TAKE = `
  WITH due AS (
    SELECT id, endpoint_id, org_id, definition, expires_at FROM probe_ask
     WHERE number = $1 AND taken_at IS NULL AND expires_at > $2 ORDER BY created_at LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE probe_ask a SET taken_at = $2, definition = NULL FROM due WHERE a.id = due.id
  )
  SELECT due.id, due.endpoint_id AS "endpointId", due.org_id AS "orgId", o.is_default AS "isDefaultOrg", due.definition,
         ${epochMs('due.expires_at')} AS "expiresMs"
    FROM due JOIN organization o ON o.id = due.org_id`;

const GIVEN = `
  SELECT id, endpoint_id AS "endpointId" FROM probe_ask
   WHERE id = ANY ($2::uuid[]) AND number = $1 AND taken_at IS NOT NULL AND result IS NULL`;

const ANSWER = `
  UPDATE probe_ask a SET result = r.result::jsonb FROM unnest($1::uuid[], $2::text[]) AS r (id, result)
   WHERE a.id = r.id AND a.result IS NULL`;

const RESULTS = 'SELECT id, result FROM probe_ask WHERE id = ANY ($1::uuid[]) AND result IS NOT NULL';

/**
 * Probe checks that a client waits for: the request, its delivery to the probe, and the result. Each step may happen on
 * a different instance.
 */
@Injectable()
export class ProbeAsks {
  private readonly logger = new Logger(ProbeAsks.name);
  private readonly awaited = new Map<string, (result: AskResult | null) => void>();
  private looking = false;

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: DatabaseClock,
    private readonly secrets: SecretBox,
    private readonly polls: WaitingPolls,
  ) {}

  /**
   * Requests a check and resolves to its outcome. Throws `conflict` while another request for the endpoint is pending
   * at this location. Throws `temporarily_unavailable` if no result arrives within 10 s after the check's timeout, or
   * if the client disconnects.
   */
  async ask({ number, orgId, endpointId, definition, timeoutMs, left }: NewAsk): Promise<AskResult> {
    const id = newUuid();
    const now = this.clock.now();
    const sealed = definition === null ? null : this.secrets.seal(JSON.stringify(definition), contextOf(id));
    const waitMs = timeoutMs + GRACE_MS;
    const added = await this.database.query(ADD, [
      id,
      number,
      orgId,
      endpointId,
      sealed,
      now,
      new Date(now.getTime() + waitMs),
    ]);
    if (added.length === 0)
      throw problems.conflict(
        'Another client is already waiting for a check of this endpoint at this location. Wait until it has finished.',
      );
    const result = await this.resultOf(id, waitMs, left, () => this.polls.wake(number));
    if (result === null) throw problems.temporarilyUnavailable();
    return result;
  }

  /** Returns the checks that the probe has to run now. Each request is returned once. Cost: one statement. */
  async take(number: number): Promise<TakenAsk[]> {
    const rows = await this.database.query<Omit<TakenAsk, 'definition'> & { definition: string | null }>(TAKE, [
      number,
      this.clock.now(),
    ]);
    return rows.flatMap((row) => {
      try {
        return [{ ...row, definition: this.opened(row) }];
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error;
        this.logger.error(`Could not send the test of an endpoint to its probe: ${error.message}`);
        return [];
      }
    });
  }

  private opened({ id, definition }: { id: string; definition: string | null }): Definition | null {
    return definition === null ? null : (JSON.parse(this.secrets.open(definition, contextOf(id))) as Definition);
  }

  /** Returns the requests, by ID, that were sent to the probe and don't have a result yet. */
  async given(number: number, ids: readonly string[]): Promise<Map<string, { endpointId: string | null }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<{ id: string; endpointId: string | null }>(GIVEN, [number, [...ids]]);
    return new Map(rows.map(({ id, endpointId }) => [id, { endpointId }]));
  }

  /** Stores the results and passes them to the clients that wait on this instance. */
  async answer(results: readonly { id: string; result: AskResult }[]): Promise<void> {
    if (results.length === 0) return;
    await this.database.query(ANSWER, [
      results.map(({ id }) => id),
      results.map(({ result }) => JSON.stringify(result)),
    ]);
    for (const { id, result } of results) this.awaited.get(id)?.(result);
  }

  /** Reads results that arrived at other instances. */
  @Interval(LOOK_EVERY_MS)
  async look(): Promise<void> {
    if (this.awaited.size === 0 || this.looking) return;
    this.looking = true;
    try {
      const rows = await this.database.query<{ id: string; result: AskResult }>(RESULTS, [[...this.awaited.keys()]]);
      for (const { id, result } of rows) this.awaited.get(id)?.(result);
    } catch (error) {
      this.logger.warn(`Could not read on-demand probe results: ${String(error)}`);
    } finally {
      this.looking = false;
    }
  }

  private resultOf(id: string, waitMs: number, left: AbortSignal, begin: () => void): Promise<AskResult | null> {
    return new Promise((resolve) => {
      const done = (result: AskResult | null) => {
        clearTimeout(timer);
        left.removeEventListener('abort', leave);
        this.awaited.delete(id);
        resolve(result);
      };
      const leave = () => done(null);
      const timer = setTimeout(leave, waitMs);
      left.addEventListener('abort', leave);
      this.awaited.set(id, done);
      begin();
      if (left.aborted) leave();
    });
  }
}

const contextOf = (id: string): string => `probe_ask:${id}:definition`;
