import type { OverviewItem, Status } from '../../../web/src/api/types';
import { endingSoon, headlineOf, reached } from '../../../web/src/logic/overview-headline';

const NOW = Date.UTC(2026, 10, 20, 12);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const item = (name: string, status: Status, more: Partial<OverviewItem> = {}): OverviewItem => ({
  id: name,
  name,
  url: 'https://shop.example.com/',
  type: 'HTTPS',
  website: { id: 'shop', name: 'Shop' },
  status,
  status_since: null,
  last_checked_at: null,
  next_expected_at: null,
  last_error: null,
  locations: null,
  uptime_24h: 1,
  coverage_24h: 1,
  watched_24h: 1,
  uptime_7d: 1,
  watched_7d: 1,
  uptime_30d: 1,
  watched_30d: 1,
  uptime_90d: 1,
  watched_90d: 1,
  p95_ms: 10,
  recent: [],
  certificate_expires_at: null,
  alert_open: false,
  tags: [],
  degraded: false,
  verifying: false,
  maintenance: null,
  acknowledgement: null,
  ...more,
});

const many = Array.from({ length: 2009 }, (_, n) => item(`n${n}`, 'up'));
const checkout = item('Checkout', 'down', { status_since: ago(259) });
const payments = item('Payments', 'down', { status_since: ago(7205) });
const blip = item('Blip', 'down', { status_since: ago(3), verifying: true });
const slow = item('Slow', 'up', { degraded: true });

describe('the sentence over the overview', () => {
  const said = (items: OverviewItem[]): [string, string] => {
    const { status, before, item: named, after } = headlineOf(items, NOW);
    return [status, `${before}${named?.name ?? ''}${after}`];
  };

  it.each<[string, string, OverviewItem[]]>([
    ['down', '1 of 2,010 is down: Checkout, for 4 min.', [checkout, ...many]],
    ['down', '2 of 2,011 are down, last Checkout, for 4 min.', [payments, checkout, ...many]],
    ['down', '1 of 2 is down: Payments, for 2 h.', [payments, slow]],
    ['down', '1 of 1 is down: New.', [item('New', 'down')]],
    ['degraded', '1 of 2 is being verified: Blip.', [blip, item('Shop', 'up')]],
    ['down', '1 of 2 is down: Payments, for 2 h.', [blip, payments]],
    ['degraded', '1 of 2,010 is degraded: Slow.', [slow, ...many]],
    ['degraded', '2 of 2 are degraded, among them Slow.', [slow, item('Other', 'up', { degraded: true })]],
    ['unknown', '1 of 2 is unknown', [item('New', 'unknown'), item('Old', 'up')]],
    ['paused', 'All endpoints are paused', [item('Old', 'paused')]],
    ['up', 'All endpoints are up', [item('Old', 'paused'), item('Shop', 'up')]],
  ])('is %s: %s', (status, sentence, items) => {
    expect(said(items)).toEqual([status, sentence]);
  });
});

describe('the notified contacts', () => {
  it('are the receivers of a message about this failure, by contact if it has one, each once', () => {
    const onCall = { id: 'ct', name: 'On call' };
    const event = (alert: string, state: 'delivered' | 'failed', seconds: number) => ({
      alert_type: 'slack',
      contact: alert === 'a' ? onCall : null,
      created_at: ago(seconds),
      delivery: { id: 'dl', state, at: ago(seconds), error: null },
    });
    const events = [event('a', 'delivered', 9), event('b', 'delivered', 9), event('a', 'delivered', 10)];
    const others = [event('c', 'failed', 9), event('d', 'delivered', 900)];
    expect(reached([...events, ...others], NOW - 60_000)).toEqual(['On call', 'Slack']);
  });
});

describe('how many certificates expire soon', () => {
  it.each([
    [1, 14, {}],
    [0, 15, {}],
    [1, 20, { last_error: 'certificate_expiring' as const }],
    [1, -2, {}],
    [0, 2, { status: 'paused' as const }],
  ])('counts %d if %d days are left, of %o', (n, days, more) => {
    const ends = { certificate_expires_at: ago(-days * 86_400 - 60) };
    expect(endingSoon([item('Shop', 'up', { ...ends, ...more }), item('TCP', 'up')], NOW)).toBe(n);
  });
});
