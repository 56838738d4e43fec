/** @lane slow */
import { Database } from '../../../src/platform/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { longestPieceOf } from '../../harness/longest-piece';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { many } from '../../harness/many';

const window = (i: number): object => ({
  key: `w${i}`,
  name: `W ${i}`,
  cron: '0 0 * 2 MON#5',
  timezone: 'UTC',
  duration: 3600,
  scope: { all: true },
});

const endpoint = (i: number): object => ({
  key: `e${i}`,
  name: `E ${i}`,
  type: 'HTTPS',
  url: 'https://a.example.com',
});

const withEndpoints = (endpoints: readonly object[]): object => ({
  version: 1,
  websites: [{ key: 'a', name: 'A', url: 'https://a.example.com', endpoints }],
});

/** CPU milliseconds in one piece: far less than a check may be late, and more than a garbage collection takes. */
const MOST_MS = 200;

describe('the cost of a configuration document for other organizations', () => {
  let app: TestApp;
  let org: ServiceOrganization;

  beforeAll(async () => {
    app = await startOwnApp({ role: 'api', rateLimitPerSecond: 10_000 });
    org = await app.organization('costly documents');
  });
  afterAll(() => app.close());

  it.each([
    ['windows that are rarely due', 200, { version: 1, maintenance_windows: many(150, window) }],
    ['more windows than allowed', 400, { version: 1, maintenance_windows: many(4990, window) }],
    ['unknown fields', 400, { version: 1, ...Object.fromEntries(many(20_000, (i) => [`f${i}`, 0])) }],
    [
      'endpoints that are refused',
      400,
      withEndpoints(many(4990, (i) => ({ key: `e${i}`, name: 'E', type: 'HTTPS', url: 'ftp://a.example.com' }))),
    ],
    [
      'contacts whose secrets are missing',
      400,
      {
        version: 1,
        contacts: many(1000, (i) => ({
          key: `c${i}`,
          name: 'C',
          type: 'slack',
          config: { webhook_url: { $secret: 'NONE' } },
        })),
      },
    ],
  ])('%s are planned in short turns, and the response lists at most twenty problems', async (_, status, document) => {
    await org.read.post('/configuration/plan', { version: 1 });
    const { longestMs, result } = await longestPieceOf(() => org.read.post('/configuration/plan', document));
    expect(result.status).toBe(status);
    const { errors = [] } = result.body as { errors?: { line: number | null }[] };
    expect(errors.length).toBeLessThanOrEqual(20);
    expect(longestMs).toBeLessThan(MOST_MS);
  });

  it('a plan that would read more than 64 MiB of settings is refused with an explanation, and a smaller one is not', async () => {
    const one = await app.organization('large settings');
    const declared = (owner: string) => ({ ...withEndpoints(many(2, endpoint)), owner });
    expect((await one.write.put('/configuration', declared('large'))).status).toBe(200);
    // The size of 2,300 endpoints at their limits.
    const grown = `UPDATE endpoint SET body = repeat('x', $2) WHERE org_id = $1`;
    await app.app.get(Database).query(grown, [one.orgId, 33 * 1024 * 1024]);
    const refused = await one.read.post('/configuration/plan', declared('large'));
    expect([refused.status, refused.text]).toMatchObject([409, expect.stringContaining('Split the document')]);
    const other = { version: 1, owner: 'other', contacts: [] };
    expect((await one.read.post('/configuration/plan', other)).status).toBe(200);
  });
});
