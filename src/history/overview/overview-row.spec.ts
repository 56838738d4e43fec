import { firstUuidAt } from '../../platform/ids/id';
import { decodeRecent, locationCounts, type OverviewRow, watchedShares, windowCounts, windowsAt } from './overview-row';

const HOUR = 3_600_000;
const UNTIL = Date.UTC(2026, 10, 20, 9);

const row = (change: Partial<OverviewRow>): OverviewRow => ({
  id: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11',
  key: '7',
  name: 'Checkout',
  url: 'https://shop.example.com/',
  type: 'HTTPS',
  active: true,
  website_id: '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a12',
  website_name: 'Shop',
  status: 1,
  status_since: null,
  last_checked_at: null,
  last_error: null,
  recent: '0',
  certificate_expires_at: null,
  hour_start: null,
  verifying: false,
  hour_up: 10,
  hour_down: 1,
  hour_unknown: 2,
  before_up: 100,
  before_down: 20,
  before_unknown: 30,
  until: UNTIL,
  up_24h: 1000,
  down_24h: 200,
  unknown_24h: 300,
  up_7d: 7000,
  down_7d: 700,
  up_30d: 30_000,
  down_30d: 3000,
  up_90d: 90_000,
  down_90d: 9000,
  p95_24h_us: 1,
  days_7d: 7,
  days_30d: 30,
  days_90d: 60,
  alert_open: false,
  degraded_since: null,
  recent_degraded: 0,
  tags: [],
  website_tags: [],
  acknowledged_by: null,
  acknowledged_at: null,
  acknowledged_note: null,
  acknowledged_until: null,
  next_expected_at: null,
  location_count: 1,
  quorum: 'majority',
  interval_seconds: 60,
  timeout_seconds: 10,
  ...change,
});

describe('locationCounts', () => {
  it('counts the locations that report it as down, whose result counts, and that are not missing', () => {
    const locations = [
      { status: 'down', counts: true, reason: null },
      { status: 'up', counts: true, reason: null },
      { status: 'up', counts: false, reason: 'stale' },
      { status: 'unknown', counts: false, reason: null },
      { status: 'down', counts: false, reason: 'missing' },
      { status: 'down', counts: false, reason: 'disabled' },
    ] as const;
    expect(locationCounts(locations)).toEqual({ down: 1, reporting: 2, total: 4 });
    expect(locationCounts(undefined)).toBeNull();
  });
});

describe('decodeRecent', () => {
  it.each([
    ['0', 0, []],
    ['1', 0, ['up']],
    ['2', 0, ['down']],
    ['3', 0, ['unknown']],
    ['27', 0, ['up', 'down', 'unknown']],
    ['27', 4, ['degraded', 'down', 'unknown']],
    ['5', 1, ['up', 'degraded']],
    ['27', 3, ['up', 'down', 'unknown']],
    [((1n << 60n) - 1n).toString(), 0, Array.from({ length: 30 }, () => 'unknown')],
    [(((1n << 60n) - 1n) / 3n).toString(), 2 ** 30 - 1, Array.from({ length: 30 }, () => 'degraded')],
    [
      (((1n << 60n) - 1n) / 3n).toString(),
      1 << 15,
      Array.from({ length: 30 }, (_, at) => (at === 14 ? 'degraded' : 'up')),
    ],
  ])('decodes %s, degraded %i, to %o, oldest first', (stored, degraded, outcomes) => {
    expect(decodeRecent(stored, degraded)).toEqual(outcomes);
  });
});

describe('windowCounts', () => {
  it.each([
    ['nothing to the summary of an endpoint without recent checks', null, [1000, 200, 300]],
    ['no hour that the summary already includes', UNTIL - HOUR, [1000, 200, 300]],
    ['the hour after the summary', UNTIL, [1010, 201, 302]],
    ['two hours when neither is in the summary yet', UNTIL + HOUR, [1110, 221, 332]],
  ])('adds %s', (_, start, [up, down, unknown]) => {
    expect(windowCounts(row({ hour_start: start }))['24h']).toEqual({ up, down, unknown });
  });

  it('adds the same counts to every window', () => {
    const counts = windowCounts(row({ hour_start: UNTIL }));
    expect([counts['7d'].up, counts['30d'].up, counts['90d'].up]).toEqual([7010, 30_010, 90_010]);
    expect([counts['7d'].down, counts['30d'].down, counts['90d'].down]).toEqual([701, 3001, 9001]);
  });

  it('uses the counters of the newest hours alone before the first summary', () => {
    const none = { until: null, up_24h: null, down_24h: null, unknown_24h: null, up_7d: null, down_7d: null };
    expect(windowCounts(row({ ...none, hour_start: UNTIL }))['24h']).toEqual({
      up: 110,
      down: 21,
      unknown: 32,
    });
  });
});

describe('watchedShares', () => {
  const now = UNTIL + HOUR / 2;
  const made = (hoursAgo: number) => firstUuidAt(new Date(now - hoursAgo * HOUR));
  const shares = (change: Partial<OverviewRow>) =>
    watchedShares(row({ id: made(10_000), last_checked_at: now - 1, ...change }), windowsAt(now));
  const NO_SUMMARY = { until: null, days_7d: null, days_30d: null, days_90d: null };

  it('are complete if each day had a check, and lack the days without checks', () => {
    expect(shares({})).toEqual({ '24h': 1, '7d': 1, '30d': 1, '90d': 61 / 91 });
  });

  it('leave out the current day until it has a check', () => {
    expect(shares({ last_checked_at: now - 12 * HOUR })).toEqual({ '24h': 1, '7d': 1, '30d': 1, '90d': 60 / 90 });
  });

  it('are at most the time since the endpoint was created', () => {
    const { '24h': day, '7d': week } = shares({ ...NO_SUMMARY, id: made(1) });
    expect([day, week]).toEqual([1 / 24.5, 1 / (7 * 24 + 9.5)]);
  });

  it('are one day of all days before the first summary of an old endpoint', () => {
    expect(shares(NO_SUMMARY)['90d']).toBe(1 / 91);
  });

  it('are zero without a check', () => {
    const none = shares({ ...NO_SUMMARY, last_checked_at: null });
    expect(none).toEqual({ '24h': 0, '7d': 0, '30d': 0, '90d': 0 });
  });

  it('are unknown for a summary that an older version wrote', () => {
    expect(shares({ days_7d: null, days_30d: null, days_90d: null })).toMatchObject({ '7d': null, '90d': null });
  });
});
