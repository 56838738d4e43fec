import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Suppressed, SuppressionEnded } from '../../endpoint/endpoint-events';
import { EndpointSchedule } from '../../endpoint/endpoint-schedule';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { type Coverable, covers } from '../../endpoint/suppression/cover';
import { LOCAL } from '../../engine/finished-check';
import type { Sql, Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';

/** An endpoint that one location sees as down, but too few others do. */
export interface LoneFailure {
  endpointId: string;
  /** The number of consecutive failures at this location. */
  failures: number;
  /** The voting locations that have seen fewer failures. */
  others: readonly number[];
}

/**
 * A request to a probe expires this long after the check's timeout. Until then, the probe gets no other request for the
 * endpoint.
 */
const WAITS_SECONDS = 30;

// Cost: one index lookup for each failure.
const AT_THRESHOLD = `
  SELECT f.id, f.failures FROM unnest($1::uuid[], $2::int[]) AS f (id, failures)
   WHERE f.failures = (SELECT min(a.failure_threshold) FROM alert a
                        WHERE a.endpoint_id = f.id AND a.condition = 'down' AND a.enabled AND NOT a.triggered)`;

// Cost: a few index lookups for each location, and one inserted row for each request.
const askSql = (asked: string) => `
  INSERT INTO probe_ask (id, number, org_id, endpoint_id, created_at, expires_at)
  SELECT gen_random_uuid(), l.number, l.org_id, l.endpoint_id, now(), now() + make_interval(secs => c.timeout_seconds + ${WAITS_SECONDS})
    FROM ${asked}
    JOIN endpoint_schedule c ON c.endpoint_id = l.endpoint_id AND c.active
    JOIN probe p ON p.number = l.number AND p.enabled AND p.online
   WHERE NOT EXISTS (SELECT FROM probe_ask k
                      WHERE k.number = l.number AND k.endpoint_id = l.endpoint_id AND k.expires_at > now()
                        AND (k.result IS NULL OR k.created_at > now() - make_interval(secs => LEAST(c.interval_seconds, 30))))
  RETURNING id`;
const ASK = askSql(
  'unnest($1::uuid[], $2::smallint[]) AS a (id, number) JOIN endpoint_location l ON l.endpoint_id = a.id AND l.number = a.number',
);
const ASK_ALL = askSql('unnest($1::uuid[]) AS a (id) JOIN endpoint_location l ON l.endpoint_id = a.id');

// Cost: one index lookup for each of the organization's websites, and a few for each of their endpoints that are down.
const DOWN = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM website w
    JOIN endpoint_state t ON t.website_id = w.id AND t.enabled AND t.status = ${OUTCOME_CODE.down}
    JOIN endpoint_schedule c ON c.endpoint_id = t.endpoint_id AND c.active AND c.located
    JOIN endpoint e ON e.id = t.endpoint_id
   WHERE w.org_id = $1`;

/**
 * Requests immediate checks of an endpoint from its locations, in addition to scheduled checks. Probes get a request,
 * and instances get a slot that is due.
 */
@Injectable()
export class LocationAsks implements OnModuleInit {
  constructor(
    private readonly schedule: EndpointSchedule,
    private readonly events: TransactionEvents,
  ) {}

  onModuleInit(): void {
    this.events.on(SuppressionEnded, ({ of }, tx) => this.afterMaintenance(tx, of));
  }

  /**
   * Requests a second opinion from an endpoint's other locations when one location has failed exactly as often as an
   * alert needs to trigger. Cost: one statement, and one or two more if checks are requested.
   */
  async secondOpinion(tx: Tx, lone: readonly LoneFailure[]): Promise<void> {
    const near = await tx.query<{ id: string; failures: number }>(AT_THRESHOLD, [
      lone.map(({ endpointId }) => endpointId),
      lone.map(({ failures }) => failures),
    ]);
    const asked = lone
      .filter(({ endpointId, failures }) => near.some((one) => one.id === endpointId && one.failures === failures))
      .flatMap(({ endpointId, others }) => others.map((number) => ({ endpointId, number })));
    const remote = asked.filter(({ number }) => number !== LOCAL);
    if (remote.length > 0)
      await tx.query(ASK, [remote.map(({ endpointId }) => endpointId), remote.map(({ number }) => number)]);
    const here = asked.filter(({ number }) => number === LOCAL);
    if (here.length > 0)
      await this.schedule.dueNow(
        tx,
        here.map(({ endpointId }) => endpointId),
      );
  }

  /**
   * Sends a request to all online probes that check these endpoints. Resolves to the number of requests. Cost: one
   * statement.
   */
  async allOf(sql: Sql, endpointIds: readonly string[]): Promise<number> {
    return (await sql.query(ASK_ALL, [endpointIds])).length;
  }

  /**
   * Endpoints that were covered by the window and are down may have recovered. The slots of instances are already due.
   */
  private async afterMaintenance(tx: Tx, ended: Suppressed): Promise<void> {
    if (!('orgId' in ended)) return;
    const down = await tx.query<Coverable>(DOWN, [ended.orgId]);
    const ids = down.filter((endpoint) => covers(ended, endpoint)).map(({ id }) => id);
    if (ids.length > 0) await this.allOf(tx, ids);
  }
}
