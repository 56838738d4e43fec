import type { Incident, OverviewItem, Status } from '../../../web/src/api/types';
import { acknowledgedLine, nextText, notifiedText, titleNow, troublesOf } from '../../../web/src/logic/overview-now';

const NOW = Date.UTC(2026, 10, 20, 12);
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const item = (name: string, status: Status, more: Partial<OverviewItem> = {}): OverviewItem =>
  ({
    id: name,
    name,
    website: { id: 'shop', name: 'Shop' },
    status,
    status_since: ago(600),
    last_error: null,
    alert_open: false,
    degraded: false,
    verifying: false,
    maintenance: null,
    acknowledgement: null,
    ...more,
  }) as OverviewItem;

const incident = (number: number, more: Partial<Incident> = {}): Incident =>
  ({
    id: `inc_${number}`,
    number,
    kind: 'detected',
    severity: 'down',
    title: null,
    summary: 'Checkout is down: connection refused',
    started_at: ago(840),
    acknowledgement: null,
    ...more,
  }) as Incident;

const acknowledgement = { by: 'Grace', at: ago(1500), note: 'failover running', until: null };

describe('the title of the overview', () => {
  it.each<[string, string, OverviewItem[]]>([
    ['down', 'Checkout is down', [item('Checkout', 'down'), item('Old', 'up')]],
    ['down', '2 endpoints are down', [item('Checkout', 'down'), item('Search', 'down')]],
    // One failed check proves little.
    ['degraded', 'Verifying a failure of Checkout', [item('Checkout', 'down', { verifying: true })]],
    ['down', 'Checkout is down', [item('Checkout', 'down'), item('Search', 'down', { verifying: true })]],
    ['degraded', 'Slow is degraded', [item('Slow', 'up', { degraded: true }), item('Old', 'up')]],
    ['unknown', '1 endpoint without a result', [item('New', 'unknown'), item('Old', 'up')]],
    ['paused', 'All endpoints are paused', [item('Old', 'paused')]],
    ['up', 'All endpoints are up', [item('Old', 'up'), item('Older', 'paused')]],
  ])('is %s: %s', (status, text, items) => {
    expect(titleNow(items)).toEqual({ status, text });
  });
});

describe('the problems above the list', () => {
  const titles = (...given: [OverviewItem[], Incident[]]) =>
    troublesOf(...given).map(({ title, where, why }) => [title, where, why].join(' | '));

  it('are the open incidents, split into what and why', () => {
    expect(titles([], [incident(4)])).toEqual(['Checkout is down | Incident #4 | Connection refused']);
    expect(titles([], [incident(5, { summary: 'Checkout is down: status unexpected' })])).toEqual([
      'Checkout is down | Incident #5 | Unexpected status',
    ]);
    expect(titles([], [incident(4, { title: 'Payments fail' })])).toEqual([
      'Payments fail | Incident #4 | Checkout is down: connection refused',
    ]);
  });

  it('include endpoints that are down without an alert on one line, but no other ones', () => {
    const alone = item('Search', 'down', { last_error: 'connection_refused' });
    const alerted = item('Checkout', 'down', { alert_open: true });
    expect(titles([alone, alerted], [incident(4)])).toEqual([
      'Checkout is down | Incident #4 | Connection refused',
      'Search is down | Shop | Connection refused',
    ]);
    expect(titles([alerted], [])).toEqual(['Checkout is down | Shop | ']);
    expect(titles([alone, item('Redis', 'down', { last_error: 'dns_timeout' })], [])).toEqual([
      'Search and Redis are down |  | Different reasons',
    ]);
    expect(titles([item('New', 'down', { verifying: true })], [])).toEqual([]);
  });

  it('start with the longest that no one has acknowledged', () => {
    const list = [
      incident(1, { acknowledgement, started_at: ago(9000) }),
      incident(2),
      incident(3, { started_at: ago(900) }),
    ];
    expect(troublesOf([], list).map(({ id }) => id)).toEqual(['inc_3', 'inc_2', 'inc_1']);
  });
});

describe('who knows about a problem', () => {
  it.each<[string, Parameters<typeof notifiedText>]>([
    ['', [null, false]],
    ['', [[], false]],
    ['No notification delivered', [[], true]],
    ['No notification delivered: no mail server', [[], true, 'no mail server']],
    ['On call notified', [['On call'], true]],
    ['On call, Team +2 notified', [['On call', 'Team', 'Boss', 'Ops'], true]],
  ])('is said as “%s”', (text, given) => {
    expect(notifiedText(...given)).toBe(text);
  });

  it('includes who is next, and who has acknowledged it', () => {
    const next = { alert: { type: 'email' }, at: NOW + 360_000 } as Parameters<typeof nextText>[0];
    expect(nextText(next, () => 'Manager', NOW)).toBe('Manager in 6 min');
    expect(nextText(undefined, () => 'Manager', NOW)).toBe('');
    expect(acknowledgedLine(acknowledgement, NOW)).toBe('Acknowledged by Grace 25 min ago: “failover running”');
  });
});
