import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Suppressed, SuppressionEnded } from '../../endpoint/endpoint-events';
import { EndpointSchedule } from '../../endpoint/endpoint-schedule';
import { OUTCOME_CODE } from '../../endpoint/outcome-code';
import { type Coverable, covers } from '../../endpoint/suppression/cover';
import { LOCAL } from '../../engine/finished-check';
import type { Sql, Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';

/** A location sees an endpoint down while too few others do. */
export interface LoneFailure {
  endpointId: string;
  /** How many in a row it has seen. */
  failures: number;
  /** Locations that vote and have seen fewer. */
  others: readonly number[];
}

/** What a probe has not answered after its timeout and this is forgotten, and so is for how long nobody asks it again. */
const WAITS_SECONDS = 30;

// Cost: a probe of an index for each of the failures.
const AT_THRESHOLD = `
  SELECT f.id, f.failures FROM unnest($1::uuid[], $2::int[]) AS f (id, failures)
   WHERE f.failures = (SELECT min(a.failure_threshold) FROM alert a
                        WHERE a.endpoint_id = f.id AND a.condition = 'down' AND a.enabled AND NOT a.triggered)`;

// Cost: some looks into indexes for each location, and a row for each that is asked.
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

// Cost: a probe of an index for each website of the organization, and some for each of its endpoints that are down.
const DOWN = `
  SELECT e.id, e.org_id AS "orgId", e.website_id AS "websiteId", e.tags || w.tags AS tags
    FROM website w
    JOIN endpoint_state t ON t.website_id = w.id AND t.enabled AND t.status = ${OUTCOME_CODE.down}
    JOIN endpoint_schedule c ON c.endpoint_id = t.endpoint_id AND c.active AND c.located
    JOIN endpoint e ON e.id = t.endpoint_id
   WHERE w.org_id = $1`;

/** Has locations look at an endpoint at once, besides their slots: probes by an ask, instances by a slot that is due. */
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
   * A second opinion: the other locations of those endpoints where one has now failed as often as an alert that is not
   * triggered asks for. One statement, one or two more where somebody is asked.
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

  /** Asks all probes of these endpoints that are online; resolves to how many are asked. One statement. */
  async allOf(sql: Sql, endpointIds: readonly string[]): Promise<number> {
    return (await sql.query(ASK_ALL, [endpointIds])).length;
  }

  /** What it covered and is down may have healed: what instances check is due already. */
  private async afterMaintenance(tx: Tx, ended: Suppressed): Promise<void> {
    if (!('orgId' in ended)) return;
    const down = await tx.query<Coverable>(DOWN, [ended.orgId]);
    const ids = down.filter((endpoint) => covers(ended, endpoint)).map(({ id }) => id);
    if (ids.length > 0) await this.allOf(tx, ids);
  }
}
