import { type AlertRule, nextTransition, type Streaks } from '../../../src/alert/episode/alert-transition';
import { suppressedBy } from '../../../src/alert/suppression/suppressed-by';
import { isSuppressedSql, readSuppression } from '../../../src/alert/suppression/suppression-queries';
import { newUuid } from '../../../src/platform/ids/id';
import { Alerting } from '../../harness/app/alerting';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const before = (ms: number): Date => new Date(NOW.getTime() - ms);
const THRESHOLD = 3;
const AFTER_SECONDS = 600;
/** The streak of the other condition, which must not count. */
const LONG = 50;
const LONG_AGO = before(10 * AFTER_SECONDS * 1000);

/** The only alert on an endpoint, and the streak for its condition before one more failure at `NOW`. */
interface Case {
  endpointId: string;
  rule: AlertRule;
  streak: number;
  since: Date | null;
}

const CASES: Case[] = [true, false].flatMap((enabled) =>
  [true, false].flatMap((triggered) =>
    (['down', 'degraded'] as const).flatMap((condition) =>
      [0, AFTER_SECONDS].flatMap((afterSeconds) =>
        [THRESHOLD - 2, THRESHOLD - 1, THRESHOLD].flatMap((streak) =>
          [null, before(AFTER_SECONDS * 1000), before(AFTER_SECONDS * 1000 - 1), before(-1)].map((since) => ({
            endpointId: newUuid(),
            rule: {
              enabled,
              triggered,
              condition,
              afterSeconds,
              failureThreshold: THRESHOLD,
              successThreshold: 1,
            },
            streak,
            since,
          })),
        ),
      ),
    ),
  ),
);

/**
 * Returns the failure at `NOW` with the streaks after it. The streaks of the other condition would trigger an alert.
 */
function failureOf({ rule, streak, since }: Case): Streaks {
  const isOnDown = rule.condition === 'down';
  const [own, ownSince] = [streak + 1, since ?? NOW];
  return {
    outcome: 'down',
    degraded: false,
    consecutiveFailures: isOnDown ? own : LONG,
    consecutiveBad: isOnDown ? LONG : own,
    consecutiveSuccesses: 0,
    consecutiveGood: 0,
    failingSince: isOnDown ? ownSince : LONG_AGO,
    badSince: isOnDown ? LONG_AGO : ownSince,
    muted: false,
    checkedAt: NOW,
  };
}

const textOf = ({ rule, streak, since }: Case): string =>
  `${rule.condition}, ${rule.enabled ? 'on' : 'off'}, ${rule.triggered ? 'open' : 'closed'}, ${streak} bad, after ${rule.afterSeconds}, since ${since && since.getTime() - NOW.getTime()}`;
const would = (decide: (one: Case) => boolean): string[] => CASES.filter(decide).map(textOf).sort();
const triggers = (one: Case): boolean => nextTransition(one.rule, failureOf(one)) === 'trigger';

describe('the SQL conditions about alerts', () => {
  let alerting: Alerting;
  let orgId: string;
  const named = (ids: Iterable<string>): string[] => {
    const asked = new Set(ids);
    return would(({ endpointId }) => asked.has(endpointId));
  };

  beforeAll(async () => {
    alerting = await Alerting.start();
    orgId = await alerting.organization();
    const websiteId = newUuid();
    const ids = CASES.map(({ endpointId }) => endpointId);
    await alerting.database.query(
      `INSERT INTO website (id, org_id, name, url) VALUES ($1, $2, 'Shop', 'https://shop.test')`,
      [websiteId, orgId],
    );
    await alerting.database.query(
      `INSERT INTO endpoint (id, org_id, website_id, name, url, type)
       SELECT id, $2, $3, 'API', 'https://shop.test/', 'HTTPS' FROM unnest($1::uuid[]) AS id`,
      [ids, orgId, websiteId],
    );
    const rows = CASES.map((one) => {
      const { condition, ...rule } = one.rule;
      const isOnDown = condition === 'down';
      const [own, other] = [
        { streak: one.streak, since: one.since },
        { streak: LONG, since: LONG_AGO },
      ];
      const [failing, bad] = isOnDown ? [own, other] : [other, own];
      return { id: one.endpointId, condition, ...rule, failing, bad };
    });
    await alerting.database.query(
      `INSERT INTO endpoint_state (endpoint_id, endpoint_key, org_id, consecutive_failures, failing_unmuted_since, consecutive_bad, bad_unmuted_since)
       SELECT e.id, e.key, e.org_id, (r.failing->>'streak')::int, (r.failing->>'since')::timestamptz, (r.bad->>'streak')::int, (r.bad->>'since')::timestamptz
       FROM jsonb_to_recordset($1::jsonb) AS r (id uuid, failing jsonb, bad jsonb) JOIN endpoint e USING (id)`,
      [JSON.stringify(rows)],
    );
    await alerting.database.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config, enabled, triggered, condition, failure_threshold, success_threshold, after_seconds)
       SELECT gen_random_uuid(), $2, id, 'slack', '{}', enabled, triggered, condition, "failureThreshold", "successThreshold", "afterSeconds"
       FROM jsonb_to_recordset($1::jsonb)
         AS r (id uuid, enabled boolean, triggered boolean, condition text, "failureThreshold" int, "successThreshold" int, "afterSeconds" int)`,
      [JSON.stringify(rows), orgId],
    );
  });
  afterAll(() => alerting.close());

  it('select as near their trigger exactly the alerts that one more failure triggers', async () => {
    const ids = CASES.map(({ endpointId }) => endpointId);
    expect(named(await alerting.nearTriggerAt(NOW, ...ids))).toEqual(would(triggers));
  });

  it('lock for a batch of failures exactly the alerts that it triggers', async () => {
    const locked: string[] = [];
    await alerting.database
      .transaction(async (tx) => {
        const query = async <Row>(sql: string, parameters?: readonly unknown[]) => {
          const rows = await tx.query<Row>(sql, parameters);
          if (sql.includes('FOR UPDATE OF a'))
            locked.push(...(rows as { endpointId: string }[]).map(({ endpointId }) => endpointId));
          return rows;
        };
        const updates = CASES.map((one) => ({
          ...failureOf(one),
          orgId,
          endpointId: one.endpointId,
          outcome: 'down' as const,
          durationMs: 1,
          statusCode: null,
          address: null,
          error: { code: 'connection_refused' as const, message: 'refused' },
          warning: null,
          upSince: null,
          goodSince: null,
        }));
        await alerting.evaluator.evaluate({ ...tx, query }, updates);
        throw new Error('back to the state before');
      })
      .catch((error: Error) => expect(error.message).toBe('back to the state before'));
    expect(named(locked)).toEqual(would(triggers));
  });

  it.each([
    ['failures', 'failing', { outcome: 'down', degraded: false }],
    ['warnings', 'degraded', { outcome: 'up', degraded: true }],
  ] as const)('count as affected by %s the alerts that some streak of them triggers', async (_, kind, result) => {
    const ids = CASES.map(({ endpointId }) => endpointId);
    const affected = await alerting.evaluator.alertsAffected(
      alerting.database,
      kind === 'failing' ? ids : [],
      [],
      kind === 'degraded' ? ids : [],
    );
    const longest = {
      consecutiveFailures: 1000,
      consecutiveBad: 1000,
      failingSince: new Date(0),
      badSince: new Date(0),
    };
    expect(named(affected.keys())).toEqual(
      would((one) => nextTransition(one.rule, { ...failureOf(one), ...longest, ...result }) === 'trigger'),
    );
  });

  it('count as affected by successes the alerts with an open episode', async () => {
    const ids = CASES.map(({ endpointId }) => endpointId);
    const affected = await alerting.evaluator.alertsAffected(alerting.database, [], ids);
    expect(named(affected.keys())).toEqual(would(({ rule }) => rule.triggered));
  });

  it('treat an endpoint as suppressed exactly if a check of this moment is', async () => {
    const untils = [undefined, null, before(1), NOW, before(-1)];
    const parents = [null, { status: 0, active: true }, { status: 0, active: false }, { status: 1, active: true }];
    const scenes = untils.flatMap((until) => parents.map((parent) => ({ until, parent })));
    const children = CASES.slice(0, scenes.length).map(({ endpointId }) => endpointId);
    const parentIds = CASES.slice(-scenes.length).map(({ endpointId }) => endpointId);
    await alerting.database.transaction(async (tx) => {
      for (const [index, { until, parent }] of scenes.entries()) {
        const [id, parentId] = [children[index], parentIds[index]];
        if (until !== undefined)
          await tx.query(
            `INSERT INTO acknowledgement (endpoint_id, org_id, by_name, at, until) VALUES ($1, $2, 'On call', now(), $3)`,
            [id, orgId, until],
          );
        if (!parent) continue;
        await tx.query('INSERT INTO endpoint_dependency (endpoint_id, parent_id) VALUES ($1, $2)', [id, parentId]);
        await tx.query('UPDATE endpoint_state SET status = $2, status_since = $3 WHERE endpoint_id = $1', [
          parentId,
          parent.status,
          before(1),
        ]);
        await tx.query(
          `INSERT INTO endpoint_schedule (endpoint_id, org_id, interval_seconds, timeout_seconds, active, revision, phase_ms, next_check_at)
           VALUES ($1, $2, 60, 10, $3, 1, 0, now())`,
          [parentId, orgId, parent.active],
        );
      }
      const rows = await tx.query<{ id: string }>(
        `SELECT id FROM unnest($1::uuid[]) AS e (id) WHERE ${isSuppressedSql('e.id', '$2')}`,
        [children, NOW],
      );
      const known = await readSuppression(tx, children);
      const pure = children.filter((id) => suppressedBy({ checkedAt: NOW, muted: false }, known.get(id)) !== null);
      expect(rows.map(({ id }) => id).sort()).toEqual(pure.sort());
      expect(pure).toHaveLength(2 * 4 + 3);
    });
  });
});
