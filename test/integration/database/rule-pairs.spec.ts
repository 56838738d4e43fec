/** @databases both */
import { Test, type TestingModule } from '@nestjs/testing';
import fc from 'fast-check';
import { BAD_STREAKS, nextTransition, REACHES_TRIGGER } from '../../../src/alert/episode/alert-transition';
import { maskedUrl, shownUrlSql } from '../../../src/endpoint/settings/shown-settings';
import { covers, coversSql } from '../../../src/endpoint/suppression/cover';
import { type Quorum, silentAfterMs, silentAfterSql, votesNeeded, votesNeededSql } from '../../../src/endpoint/verdict';
import {
  BY_LOCATION,
  BY_VERDICT,
  countedOf,
  type Found,
  outcomeWithMarks,
  ownOf,
} from '../../../src/history/check-encoding';
import { bucketOf, bucketSql, middleOf, middleSql } from '../../../src/history/latency-histogram';
import { Config } from '../../../src/platform/config/config';
import { ConfigModule } from '../../../src/platform/config/config.module';
import { Database } from '../../../src/platform/database/database';
import { DatabaseModule } from '../../../src/platform/database/database.module';
import { newUuid } from '../../../src/platform/ids/id';
import { freshDatabase, type TestDatabase } from '../../harness/database/database';

/** A rule that exists in TypeScript and in SQL. */
interface Pair<Input> {
  name: string;
  inputs: fc.Arbitrary<Input>;
  /** The rule in TypeScript. */
  own: (input: Input) => unknown;
  /** Columns of a row `i`, with their types and values. */
  columns: Readonly<Record<string, readonly [type: string, value: (input: Input) => unknown]>>;
  /** The rule in SQL, for the row `i`. */
  sql: string;
}

/** Makes each pair check its own types. */
const pair = <Input>(of: Pair<Input>) => of as Pair<unknown>;

const SAMPLES = 300;
const outcome = fc.constantFrom('up', 'down', 'unknown');
const quorum = fc.oneof(fc.constantFrom<Quorum>('any', 'majority', 'all'), fc.integer({ min: 1, max: 9 }));
const found: fc.Arbitrary<Found> = fc
  .record({ outcome, degraded: fc.boolean() })
  .map((one) => ({ ...one, degraded: one.degraded && one.outcome === 'up' }) as Found);

const stored = fc
  .record({ own: found, counted: fc.option(found), planned: fc.boolean(), attempts: fc.constantFrom(1, 2) })
  .map(({ own, counted, planned, attempts }) => {
    const result = { outcome: own.outcome, warning: own.degraded ? { code: 'assertion_failed', message: '' } : null };
    return outcomeWithMarks({ result, counted, planned, attempts } as Parameters<typeof outcomeWithMarks>[0]);
  });
const isPlanned = (value: number): boolean => (value & 16) !== 0;
const CODE = { down: 0, up: 1, unknown: 2 };

const [ORG, OTHER] = [newUuid(), newUuid()];
const IDS = [newUuid(), newUuid(), newUuid()];
const someIds = fc.subarray(IDS);
const someTags = fc.subarray(['a', 'b', 'c']);

const PAIRS: readonly Pair<unknown>[] = [
  pair({
    name: 'the votes that a quorum needs',
    inputs: fc.record({ quorum, of: fc.integer({ min: 1, max: 9 }) }),
    own: ({ quorum: rule, of }) => votesNeeded(rule, of),
    columns: { quorum: ['text', ({ quorum: rule }) => String(rule)], of: ['int', ({ of }) => of] },
    sql: `(${votesNeededSql('i', 'i.of')})::int`,
  }),
  pair({
    name: 'the time after which a location has no vote',
    inputs: fc.record({ interval: fc.integer({ min: 1, max: 86_400 }), timeout: fc.integer({ min: 1, max: 300 }) }),
    own: ({ interval, timeout }) =>
      silentAfterMs({ quorum: 'any', intervalMs: interval * 1000, timeoutMs: timeout * 1000 }) / 1000,
    columns: {
      interval_seconds: ['int', ({ interval }) => interval],
      timeout_seconds: ['int', ({ timeout }) => timeout],
    },
    sql: `extract(epoch FROM ${silentAfterSql('i')})::int`,
  }),
  pair({
    name: 'the bucket of a latency',
    inputs: fc.oneof(
      fc.integer({ min: -1, max: 2_147_483_647 }),
      fc.nat(30).map((power) => 2 ** power),
    ),
    own: bucketOf,
    columns: { us: ['int', (us) => us] },
    sql: bucketSql('i.us'),
  }),
  pair({
    name: 'the middle of a bucket',
    inputs: fc.integer({ min: -54, max: 200 }),
    own: (bucket) => Math.round(middleOf(bucket)),
    columns: { bucket: ['int', (bucket) => bucket] },
    sql: `round(${middleSql('i.bucket')})::float8`,
  }),
  pair({
    name: 'the verdict in a stored outcome',
    inputs: stored,
    own: (value) => {
      const counted = countedOf(value);
      return counted === null ? 4 : isPlanned(value) ? 3 : CODE[counted.outcome];
    },
    columns: { outcome: ['int', (value) => value] },
    sql: BY_VERDICT.counted,
  }),
  pair({
    name: 'the degraded verdict in a stored outcome',
    inputs: stored,
    own: (value) => countedOf(value & ~128)?.degraded,
    columns: { outcome: ['int', (value) => value] },
    sql: `${BY_VERDICT.degraded} IS NOT NULL`,
  }),
  pair({
    name: "the location's own result in a stored outcome",
    inputs: stored,
    own: (value) => (isPlanned(value) ? 3 : CODE[ownOf(value).outcome]),
    columns: { outcome: ['int', (value) => value] },
    sql: BY_LOCATION.counted,
  }),
  pair({
    name: "the location's own degraded result in a stored outcome",
    inputs: stored,
    own: (value) => ownOf(value).degraded,
    columns: { outcome: ['int', (value) => value] },
    sql: `${BY_LOCATION.degraded} IS NOT NULL`,
  }),
  pair({
    name: 'the part of a URL that is shown',
    inputs: fc.webUrl({ withQueryParameters: true, withFragments: true }),
    own: (url) => maskedUrl(url).replace(/\?\*+$/, ''),
    columns: { url: ['text', (url) => url] },
    sql: shownUrlSql('i.url'),
  }),
  pair({
    name: 'the endpoints that a scope covers',
    inputs: fc.record({
      scope: fc.record({ coversAll: fc.boolean(), websiteIds: someIds, endpointIds: someIds, tags: someTags }),
      endpoint: fc.record({ id: fc.constantFrom(...IDS), websiteId: fc.constantFrom(...IDS), tags: someTags }),
    }),
    own: ({ scope, endpoint }) => covers({ orgId: ORG, ...scope }, { orgId: ORG, ...endpoint }),
    columns: {
      covers_all: ['boolean', ({ scope }) => scope.coversAll],
      website_ids: ['uuid[]', ({ scope }) => scope.websiteIds],
      endpoint_ids: ['uuid[]', ({ scope }) => scope.endpointIds],
      tags: ['text[]', ({ scope }) => scope.tags],
      website: ['uuid', ({ endpoint }) => endpoint.websiteId],
      id: ['uuid', ({ endpoint }) => endpoint.id],
      own_tags: ['text[]', ({ endpoint }) => endpoint.tags],
    },
    sql: coversSql('i', 'ARRAY[i.website]', 'ARRAY[i.id]', 'i.own_tags'),
  }),
];

describe('a rule that exists in TypeScript and in SQL', () => {
  let fresh: TestDatabase;
  let app: TestingModule;
  let database: Database;

  beforeAll(async () => {
    fresh = await freshDatabase();
    const config = Object.assign(new Config(), { databaseUrl: fresh.url });
    const imports = [ConfigModule.forRoot(config), DatabaseModule.forRoot()];
    app = await (await Test.createTestingModule({ imports }).compile()).init();
    database = app.get(Database);
  });
  afterAll(async () => {
    await app.close();
    await fresh.drop();
  });

  it.each(PAIRS.map((each) => [each.name, each] as const))('gives the same in both: %s', async (_, each) => {
    const inputs = fc.sample(each.inputs, SAMPLES);
    const columns = Object.entries(each.columns);
    const rows = inputs.map((input) => Object.fromEntries(columns.map(([name, [, value]]) => [name, value(input)])));
    const types = columns.map(([name, [type]]) => `"${name}" ${type}`).join(', ');
    const given = `SELECT * FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS (${types})) WITH ORDINALITY`;
    const results = await database.query<{ result: unknown }>(
      `SELECT ${each.sql} AS result FROM (${given}) AS i ORDER BY ordinality`,
      [JSON.stringify(rows)],
    );
    expect(results.map(({ result }, at) => [inputs[at], result])).toEqual(
      inputs.map((input) => [input, each.own(input)]),
    );
  });

  it('gives the same in both: the alerts that a streak triggers', async () => {
    const streaks = fc.record({
      isDown: fc.boolean(),
      condition: fc.constantFrom('down' as const, 'degraded' as const),
      count: fc.integer({ min: 1, max: 4 }),
      seconds: fc.integer({ min: 0, max: 4 }),
      threshold: fc.integer({ min: 1, max: 4 }),
      afterSeconds: fc.integer({ min: 0, max: 4 }),
      enabled: fc.boolean(),
    });
    const inputs = fc.sample(streaks, SAMPLES).map((input) => ({ ...input, id: newUuid() }));
    const own = inputs.map(({ isDown, condition, count, seconds, threshold, afterSeconds, enabled }) => {
      const checkedAt = new Date(1_000_000);
      const since = new Date(checkedAt.getTime() - seconds * 1000);
      const transition = nextTransition(
        { enabled, triggered: false, condition, failureThreshold: threshold, successThreshold: 1, afterSeconds },
        {
          outcome: isDown ? 'down' : 'up',
          degraded: !isDown,
          checkedAt,
          consecutiveFailures: isDown ? count : 0,
          consecutiveSuccesses: isDown ? 0 : 1,
          consecutiveBad: count,
          consecutiveGood: 0,
          failingSince: isDown ? since : null,
          badSince: since,
        } as Parameters<typeof nextTransition>[1],
      );
      return transition === 'trigger';
    });
    const given = inputs.map(({ id, isDown, count, seconds }) => ({
      endpointId: id,
      failures: isDown ? count : 0,
      bad: count,
      failingFor: isDown ? seconds : 0,
      badFor: seconds,
    }));
    const alerts = inputs.map((input) => ({
      endpoint_id: input.id,
      condition: input.condition,
      failure_threshold: input.threshold,
      after_seconds: input.afterSeconds,
      enabled: input.enabled,
      triggered: false,
    }));
    const rows = await database.query<{ id: string }>(
      `SELECT a.endpoint_id AS id FROM ${BAD_STREAKS.as('b')} JOIN jsonb_populate_recordset(NULL::alert, $6::jsonb) a ON ${REACHES_TRIGGER}`,
      [...BAD_STREAKS.of(given), JSON.stringify(alerts)],
    );
    const triggered = new Set(rows.map(({ id }) => id));
    expect(inputs.map(({ id }) => triggered.has(id))).toEqual(own);
  });

  it('covers nothing of another organization, which only TypeScript decides', () => {
    const scope = { coversAll: true, websiteIds: [], endpointIds: [], tags: [] };
    const endpoint = { id: newUuid(), websiteId: newUuid(), tags: [] };
    expect(covers({ orgId: ORG, ...scope }, { orgId: OTHER, ...endpoint })).toBe(false);
  });
});
