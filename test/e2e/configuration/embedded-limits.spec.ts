/**
 * @lane slow
 * @databases embedded
 */
import { Database } from '../../../src/platform/database/database';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { longestPieceOf } from '../../harness/longest-piece';
import { many } from '../../harness/many';

const alert = (key: string, fields: object): object => ({
  key,
  type: 'webhook',
  config: { url: 'https://hooks.example.com/a' },
  ...fields,
});

const endpoint = (key: string, alerts: readonly object[]): object => ({
  key,
  name: 'E',
  type: 'HTTPS',
  url: 'https://a.example.com',
  enabled: false,
  alerts,
});

const declared = (endpoints: readonly object[], more: object = {}): object => ({
  version: 1,
  owner: 'limits',
  websites: [{ key: 'a', name: 'A', url: 'https://a.example.com', endpoints }],
  ...more,
});

const withAlerts = (count: number, fields: object): object =>
  declared(
    many(count / 40, (e) =>
      endpoint(
        `e${e}`,
        many(40, (a) => alert(`a${a}`, fields)),
      ),
    ),
  );

/** CPU milliseconds in one piece: less than a check may be late, and more than a garbage collection takes. */
const MOST_MS = 150;

describe('an apply on the embedded database, which has only one session', () => {
  let app: TestApp;
  let org: ServiceOrganization;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 10_000 });
    org = await app.organization('embedded limits');
  });
  afterAll(() => app.close());

  it('changes 2,000 alerts in short turns', async () => {
    expect((await org.write.put('/configuration', withAlerts(2000, {}))).status).toBe(200);
    const change = () => org.write.put('/configuration', withAlerts(2000, { description: 'changed' }));
    const { longestMs, result } = await longestPieceOf(change);
    expect(result).toMatchObject({ status: 200, body: { summary: { update: 2000 } } });
    expect(longestMs).toBeLessThan(MOST_MS);
  });

  it('refuses with an explanation to change more than 300 alerts with an open incident, and changes nothing', async () => {
    await app.app.get(Database).query('UPDATE alert SET triggered = true WHERE org_id = $1', [org.orgId]);
    const refused = await org.write.put('/configuration', withAlerts(2000, { remind_every: 3600 }));
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('changes 2000 alerts that have an open incident'),
    ]);
    const { body } = await org.read.get<{ remind_every: number | null }[]>('/alerts?limit=1');
    expect(body).toMatchObject([{ remind_every: null }]);
  });

  it('refuses with an explanation to write more than 5,000 rows, of which a maintenance window is four', async () => {
    const windows = many(100, (i) => ({
      key: `w${i}`,
      name: 'W',
      starts_at: '2050-01-01T00:00:00Z',
      ends_at: '2050-01-01T01:00:00Z',
      scope: { all: true },
    }));
    const other = await app.organization('many rows');
    const document = declared(
      many(4700, (i) => endpoint(`e${i}`, [])),
      { maintenance_windows: windows },
    );
    const refused = await other.write.put('/configuration', document);
    expect([refused.status, refused.text]).toEqual([
      409,
      expect.stringContaining('its changes count as 5101 endpoints, and the limit is 5000'),
    ]);
  });
});
