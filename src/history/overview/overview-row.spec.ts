import { decodeRecent, type OverviewRow, windowCounts } from './overview-row';

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
  alert_open: false,
  ...change,
});

describe('decodeRecent', () => {
  it.each([
    ['0', []],
    ['1', ['up']],
    ['2', ['down']],
    ['3', ['unknown']],
    ['27', ['up', 'down', 'unknown']],
    [((1n << 60n) - 1n).toString(), Array.from({ length: 30 }, () => 'unknown')],
  ])('decodes %s to %o, oldest first', (stored, outcomes) => {
    expect(decodeRecent(stored)).toEqual(outcomes);
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
