import type { FoldedIncident, Notification, NotifiedLocation } from './notification';
import { durationText, targetText } from './kind/wording';
import { notificationText } from './notification-text';

const notificationOf = (changes: Partial<Notification>): Notification =>
  ({
    kind: 'triggered',
    id: 'ev_1',
    incidentKey: 'al_1-1',
    triggerId: null,
    repeat: false,
    alert: { id: 'al_1', description: '' },
    endpoint: { id: 'ep_1', name: 'Checkout API', url: 'tcp://db.example.com:5432', type: 'TCP' },
    website: { id: 'ws_1', name: 'Shop', url: 'https://shop.example.com' },
    condition: 'down',
    isDegraded: false,
    reason: 'threshold',
    error: { code: 'connection_refused', message: 'connection refused' },
    failureCount: 3,
    successCount: 0,
    startedAt: '2026-11-20T12:01:33.000Z',
    createdAt: '2026-11-20T12:04:33.250Z',
    durationSeconds: null,
    check: null,
    digest: null,
    ...changes,
  }) as Notification;

const digest = (triggered: number, resolved: number): Partial<Notification> => ({
  kind: 'digest',
  digest: { triggered, resolved, members: [] },
});

const REFUSED = { code: 'connection_refused', message: 'connection refused' };
const LOCATIONS: NotifiedLocation[] = [
  { location: 'fra', outcome: 'down', error: REFUSED },
  { location: 'shared/use1', outcome: 'down', error: REFUSED },
  { location: 'local', outcome: 'up', error: null },
];
const SILENT: NotifiedLocation = { location: 'office', outcome: 'unknown', error: REFUSED };

const degraded = (changes: Partial<Notification>): Partial<Notification> => ({
  condition: 'degraded',
  isDegraded: true,
  ...changes,
});

describe('the sentence of a notification', () => {
  it.each<{ changes: Partial<Notification>; sentence: string }>([
    { changes: {}, sentence: 'Checkout API is down: connection refused (3 checks in a row)' },
    { changes: { failureCount: 1 }, sentence: 'Checkout API is down: connection refused (1 check in a row)' },
    { changes: { repeat: true }, sentence: 'Repeat: Checkout API is down: connection refused (3 checks in a row)' },
    {
      changes: { error: { code: 'tls_expired', message: 'The certificate has expired.' } },
      sentence: 'Checkout API is down: The certificate has expired (3 checks in a row)',
    },
    {
      changes: { error: { code: 'internal', message: '' } },
      sentence: 'Checkout API is down: internal (3 checks in a row)',
    },
    { changes: { error: null }, sentence: 'Checkout API is down (3 checks in a row)' },
    {
      changes: { locations: LOCATIONS },
      sentence: 'Checkout API is down: connection refused (3 checks in a row) from 2 of 3 locations: fra, shared/use1',
    },
    {
      changes: { locations: [...LOCATIONS.slice(0, 1), SILENT], upSeconds: 180 },
      sentence:
        'Checkout API is still down: connection refused (3 checks in a row) from 1 of 2 locations: fra; no result from office; it was up for 3 min',
    },
    {
      changes: degraded({
        locations: LOCATIONS,
        error: { code: 'internal', message: '2 of 3 locations: fra, shared/use1' },
      }),
      sentence: 'Checkout API is degraded: 2 of 3 locations: fra, shared/use1 (3 checks in a row)',
    },
    {
      changes: { upSeconds: 180 },
      sentence: 'Checkout API is still down: connection refused (3 checks in a row); it was up for 3 min',
    },
    {
      changes: { kind: 'reminder', durationSeconds: 7800, ordinal: 3 },
      sentence: 'Checkout API is still down for 2 h 10 min (reminder 3)',
    },
    {
      changes: {
        kind: 'test',
        contact: { id: 'ct_1', name: 'Operations' },
        endpoint: { id: '', name: '', url: '', type: '' },
      },
      sentence: 'Test message for contact Operations: notifications arrive here',
    },
    { changes: { kind: 'resolved', durationSeconds: 723 }, sentence: 'Checkout API is back up after 12 min 3 s' },
    { changes: { kind: 'resolved' }, sentence: 'Checkout API is back up' },
    {
      changes: { kind: 'resolved', reason: 'disabled', durationSeconds: 60 },
      sentence: 'The alert for Checkout API was closed after 1 min: it was disabled',
    },
    {
      changes: { kind: 'resolved', reason: 'deleted' },
      sentence: 'The alert for Checkout API was closed: it was deleted',
    },
    {
      changes: { kind: 'recovered', durationSeconds: 180 },
      sentence: 'Checkout API was down from 2026-11-20 12:01:33 to 12:04:33 UTC (3 min): connection refused',
    },
    {
      changes: { kind: 'recovered', createdAt: '2026-11-21T00:00:01.000Z' },
      sentence: 'Checkout API was down from 2026-11-20 12:01:33 to 2026-11-21 00:00:01 UTC: connection refused',
    },
    { changes: digest(1, 0), sentence: '1 alert triggered' },
    { changes: digest(0, 2), sentence: '2 alerts resolved' },
    { changes: digest(24, 2), sentence: '24 alerts triggered, 2 resolved' },
    {
      changes: { kind: 'flapping' },
      sentence: 'Checkout API keeps going up and down; no more messages are sent until it is stable',
    },
    {
      changes: degraded({ error: { code: 'assertion_failed', message: 'the certificate expires in 10 days' } }),
      sentence: 'Checkout API is degraded: the certificate expires in 10 days (3 checks in a row)',
    },
    {
      changes: { condition: 'degraded' },
      sentence: 'Checkout API is down: connection refused (3 checks in a row)',
    },
    {
      changes: degraded({ upSeconds: 60 }),
      sentence: 'Checkout API is still degraded: connection refused (3 checks in a row); it was up for 1 min',
    },
    {
      changes: degraded({ kind: 'resolved', durationSeconds: 60 }),
      sentence: 'Checkout API is no longer degraded after 1 min',
    },
    {
      changes: degraded({ kind: 'recovered', error: null }),
      sentence: 'Checkout API was degraded from 2026-11-20 12:01:33 to 12:04:33 UTC',
    },
    {
      changes: degraded({ kind: 'flapping' }),
      sentence:
        'Checkout API keeps going down or degraded and recovering; no more messages are sent until it is stable',
    },
    {
      changes: { kind: 'acknowledged', acknowledgement: { by: 'Ann', note: 'replacing\na disk' } },
      sentence: 'Ann acknowledged Checkout API: replacing a disk',
    },
    { changes: { kind: 'acknowledged' }, sentence: 'Someone acknowledged Checkout API' },
    { changes: { kind: 'test' }, sentence: 'Test message for Checkout API: notifications arrive here' },
  ])('is "$sentence"', ({ changes, sentence }) => {
    expect(notificationText(notificationOf(changes)).sentence).toBe(sentence);
  });

  it('states what happened even if the endpoint has a very long name', () => {
    const name = 'x'.repeat(255);
    const { sentence, facts } = notificationText(
      notificationOf({ endpoint: { id: 'ep_1', name, url: 'a', type: 'TCP' } }),
    );
    expect(sentence).toContain('… is down: connection refused');
    expect(facts).toContainEqual({ label: 'Endpoint', value: `${name} (TCP)` });
  });

  it('keeps the sentence on one line for any names', () => {
    const name = 'a\r\nb\u0000c\u2028d\u202e';
    expect(
      notificationText(notificationOf({ endpoint: { id: 'ep_1', name, url: 'a', type: 'TCP' } })).sentence,
    ).toMatch(/^a b c d is down/);
  });
});

describe('the details of a notification', () => {
  it('lists the facts in reading order, without unknown facts', () => {
    expect(notificationText(notificationOf({ alert: { id: 'al_1', description: 'Call\r\nthe team' } })).details).toBe(
      [
        'Website: Shop',
        'Endpoint: Checkout API (TCP)',
        'Target: tcp://db.example.com:5432',
        'Error: connection_refused',
        'Since: 2026-11-20 12:01:33 UTC',
        'Reported: 2026-11-20 12:04:33 UTC',
        'Description: Call\nthe team',
      ].join('\n'),
    );
  });

  it('marks a warning as a warning, and shows since when the endpoint was degraded', () => {
    const warned = degraded({ error: { code: 'assertion_failed', message: 'too slow' } });
    expect(notificationText(notificationOf(warned)).facts).toContainEqual({
      label: 'Warning',
      value: 'assertion_failed',
    });
    const { facts, tone } = notificationText(notificationOf(degraded({ kind: 'resolved', error: null })));
    expect(facts).toContainEqual({ label: 'Degraded since', value: '2026-11-20 12:01:33 UTC' });
    expect([tone, notificationText(notificationOf(warned)).tone]).toEqual(['good', 'warning']);
  });

  describe('of a fold', () => {
    const FOLD: FoldedIncident = {
      id: 'inc_1',
      number: 12,
      isMore: false,
      isReminder: false,
      address: null,
      down: 0,
      up: 0,
      endpoints: 40,
      open: 28,
      durationSeconds: null,
    };
    const AT = '192.0.2.1';
    const saying = (...messages: string[]) =>
      messages.map((message) => ({
        kind: 'triggered' as const,
        isDegraded: false,
        endpoint: 'A',
        website: 'Shop',
        message,
      }));
    const REFUSED = saying('connection refused', 'connection refused');
    const DEGRADED = saying('slow.').map((one) => ({ ...one, isDegraded: true }));
    const UP = [{ kind: 'resolved' as const, isDegraded: false, endpoint: 'A', website: 'Shop', message: 'back up' }];
    it.each<[string, Partial<FoldedIncident>, typeof REFUSED | typeof UP, string]>([
      [
        '40 endpoints at 192.0.2.1 are down: connection refused (incident #12)',
        { down: 40, address: AT },
        REFUSED,
        'bad',
      ],
      [
        '39 more, all at 192.0.2.1: connection refused (incident #12)',
        { down: 39, address: AT, isMore: true },
        REFUSED,
        'bad',
      ],
      ['39 more are down (incident #12)', { down: 39, isMore: true }, saying('status 500', 'status 502'), 'bad'],
      [
        '1 more is down: status 500, 2 back up (incident #12)',
        { down: 1, up: 2, isMore: true },
        saying('status 500'),
        'bad',
      ],
      ['3 endpoints are degraded: slow (incident #12)', { down: 3 }, DEGRADED, 'warning'],
      ['40 endpoints are still down (incident #12)', { down: 40, isMore: true, isReminder: true }, REFUSED, 'bad'],
      ['12 endpoints are back up, 28 still down (incident #12)', { up: 12 }, UP, 'good'],
      ['Incident #12 is over: 40 endpoints, 23 min', { up: 1, open: 0, durationSeconds: 1380 }, UP, 'good'],
      [
        'Incident #12 is over: 40 endpoints, 6 min 43 s in 2 outages',
        { up: 1, open: 0, durationSeconds: 403, outages: 2 },
        UP,
        'good',
      ],
    ])('says "%s"', (sentence, incident, members, tone) => {
      const triggered = members.filter(({ kind }) => kind === 'triggered').length;
      const counts = { triggered, resolved: members.length - triggered, members };
      const told = { ...counts, incident: { ...FOLD, ...incident } };
      const text = notificationText(notificationOf({ kind: 'digest', digest: told }));
      expect([text.sentence, text.tone]).toEqual([sentence, tone]);
    });
  });

  it('lists the members of a digest and how many more there are', () => {
    const member = {
      kind: 'triggered' as const,
      isDegraded: false,
      endpoint: 'API',
      website: 'Shop',
      message: 'refused',
    };
    const { lines, facts } = notificationText(
      notificationOf({
        kind: 'digest',
        digest: {
          triggered: 6,
          resolved: 1,
          members: [member, { ...member, isDegraded: true }, { ...member, kind: 'resolved' }],
        },
      }),
    );
    expect(lines).toEqual([
      'DOWN API (Shop): refused',
      'DEGRADED API (Shop): refused',
      'UP API (Shop): refused',
      'and 4 more',
    ]);
    expect(facts).toEqual([]);
  });
});

describe('a duration in words', () => {
  it.each([
    [0, '0 s'],
    [0.4, '0 s'],
    [-3, '0 s'],
    [45, '45 s'],
    [60, '1 min'],
    [723, '12 min 3 s'],
    [3600, '1 h'],
    [11_045, '3 h 4 min'],
    [86_400, '1 d'],
    [183_600, '2 d 3 h'],
    [90_000_000, '1041 d 16 h'],
  ])('of %d seconds is "%s"', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});

describe('the displayed form of a target', () => {
  it.each([
    ['https://user:secret@api.example.com/health?token=secret#x', 'https://api.example.com/health'],
    ['http://api.example.com', 'http://api.example.com'],
    ['https://api.example.com/a@b?x', 'https://api.example.com/a@b'],
    ['dns:example.com?type=MX', 'dns:example.com?type=MX'],
    ['tcp://[2001:db8::1]:22', 'tcp://[2001:db8::1]:22'],
  ])('for %s is %s', (url, shown) => {
    expect(targetText(url)).toBe(shown);
  });
});

describe('the links of a notification', () => {
  const page = 'https://uptime.example.com/#/endpoints/ep_1';
  const acknowledge = 'https://uptime.example.com/ack/token';

  it('are left out without PUBLIC_URL', () => {
    const text = notificationText(notificationOf({}));
    expect(text.links).toEqual([]);
    expect(text.plain(4000)).toBe(`${text.sentence}\n${text.details}`);
  });

  it('come after the rest, starting with the link to act on', () => {
    const text = notificationText(notificationOf({ links: { page, acknowledge } }));
    expect(text.plain(4000)).toBe(`${text.sentence}\n${text.details}\nAcknowledge: ${acknowledge}\nDetails: ${page}`);
    expect(notificationText(notificationOf({ links: { page, acknowledge: null } })).linkLines).toBe(`Details: ${page}`);
  });

  it('are not cut when the text above them is cut', () => {
    const text = notificationText(notificationOf({ links: { page, acknowledge } }));
    expect(text.plain(150)).toMatch(/…\nAcknowledge: \S+\/token\nDetails: \S+\/ep_1$/);
    expect(text.plain(150).length).toBeLessThanOrEqual(150);
    expect(text.detailsWithin(120)).toMatch(/^Website: Shop\n.*…\nAcknowledge: /s);
  });
});
