import type { IncidentTimeline, IncidentUpdate, TimelineItem } from '../../../web/src/api/types';
import {
  afterText,
  becameText,
  nextText,
  notifiedOf,
  reasonsOf,
  timelineOf,
} from '../../../web/src/logic/incident-timeline';

const STARTED = '2026-11-25T10:00:00.000Z';
const at = (seconds: number) => new Date(Date.parse(STARTED) + seconds * 1000).toISOString();
const NOTHING = { endpoint: null, delivery: null, acknowledgement: null, update: null };
const error = (message: string) => ({ code: 'status_unexpected' as const, message });

const down = (name: string, seconds: number, outage = 1, message = 'The status is 500.'): TimelineItem => ({
  ...NOTHING,
  at: at(seconds),
  kind: 'down',
  endpoint: { id: name, name, outage, error: error(message), duration_seconds: null },
});
const up = (name: string, seconds: number, duration_seconds: number, outage = 1): TimelineItem => ({
  ...NOTHING,
  at: at(seconds),
  kind: 'recovered',
  endpoint: { id: name, name, outage, error: null, duration_seconds },
});
type Delivery = NonNullable<TimelineItem['delivery']>;
const message = (changes: Partial<Delivery> = {}): Delivery => ({
  contact: { id: 'ct_1', name: 'On-call mail' },
  channel_type: 'email',
  kind: 'triggered',
  state: 'delivered',
  detail: null,
  error: null,
  took_seconds: 0.4,
  count: 1,
  endpoints: ['Checkout'],
  ...changes,
});
const told = (seconds: number, changes: Partial<Delivery> = {}): TimelineItem => ({
  ...NOTHING,
  at: at(seconds),
  kind: 'delivery',
  delivery: message(changes),
});
const update = (seconds: number): TimelineItem => ({
  ...NOTHING,
  at: at(seconds),
  kind: 'update',
  update: { id: `iu_${seconds}`, at: at(seconds), text: 'On it' } as IncidentUpdate,
});
const planned = (name: string, seconds: number, kind: 'triggered' | 'reminder' = 'triggered') => ({
  at: at(seconds),
  kind,
  contact: { id: name, name },
  channel_type: 'email',
  alert_id: 'al_1',
  endpoint_id: 'ep_1',
  endpoint_name: 'Checkout',
});
const OPEN = { kind: 'detected' as const, started_at: STARTED, ended_at: null as string | null, acknowledgement: null };

/** Returns entries as `kind seconds names`. */
const shown = (items: TimelineItem[], of = OPEN, next: IncidentTimeline['planned'] = []) =>
  timelineOf(of, { items, planned: next }).map((entry) => {
    const names = 'endpoints' in entry ? entry.endpoints.map(({ name }) => name).join('+') : '';
    return `${entry.kind} ${(Date.parse(entry.at) - Date.parse(STARTED)) / 1000} ${names}`.trim();
  });

describe('the timeline of an incident', () => {
  it('shows each outage of an incident that reopened, and who is next', () => {
    const items = [
      down('A', 0),
      down('B', 3),
      up('A', 307, 307),
      up('B', 310, 307),
      down('A', 497, 2),
      down('B', 500, 2),
    ];
    expect(shown(items, OPEN, [planned('Manager', 600)])).toEqual([
      'planned 600',
      'again 497 A+B',
      'left 307 A+B',
      'began 0 A+B',
    ]);
  });

  it('combines what happened within a minute, the newest first', () => {
    const items = [down('A', 0), down('B', 20), down('C', 61), down('D', 300), up('A', 600, 600), up('B', 640, 620)];
    expect(shown(items)).toEqual(['left 600 A+B', 'joined 300 D', 'joined 61 C', 'began 0 A+B']);
  });

  it('includes messages, updates, and acknowledgements, also earlier ones', () => {
    const inHand = (seconds: number) => ({ by: 'On call', at: at(seconds), note: '', until: null });
    const taken = [120, 90].map((seconds): TimelineItem => ({
      ...NOTHING,
      at: at(seconds),
      kind: 'acknowledged',
      acknowledgement: inHand(seconds),
    }));
    const items = [down('A', 0), told(30), told(31), update(180), ...taken];
    const of = { ...OPEN, acknowledgement: inHand(120) };
    expect(shown(items, of as never)).toEqual([
      'said 180',
      'acknowledged 120',
      'acknowledged 90',
      'told 30',
      'began 0 A',
    ]);
    const entries = timelineOf(of, { items, planned: [] });
    expect(entries.flatMap((entry) => (entry.kind === 'acknowledged' ? [entry.isNow] : []))).toEqual([true, false]);
    expect(entries.find((entry) => entry.kind === 'told')).toMatchObject({ deliveries: [{}, {}] });
  });

  it('starts and ends without endpoints for a manual incident', () => {
    const manual = { ...OPEN, kind: 'manual' as const, ended_at: at(900) };
    expect(shown([update(900)], manual as never)).toEqual(['said 900', 'over 900', 'opened 0']);
  });
});

describe('a line of the timeline', () => {
  it('names the reason of each endpoint, and a common one only once', () => {
    const one = (name: string, text: string | null) => ({ name, error: text === null ? null : error(text) });
    expect(reasonsOf([one('A', 'x'), one('B', 'y'), one('C', 'x')])).toEqual([
      { names: ['A', 'C'], message: 'x' },
      { names: ['B'], message: 'y' },
    ]);
    expect(reasonsOf([one('A', null)])).toEqual([{ names: ['A'], message: null }]);
  });

  it.each([
    [[307], 'after 5 min 7 s'],
    [[307, 307], 'after 5 min 7 s'],
    [[307, 180], 'after 3 min to 5 min 7 s'],
    [[], ''],
  ])('says how long outages of %j s took: %s', (seconds, text) => {
    expect(afterText(seconds.map((duration_seconds) => ({ duration_seconds })))).toBe(text);
  });

  it.each<[Partial<Delivery>, string]>([
    [{}, 'delivered in 0.4 s'],
    [{ took_seconds: 75 }, 'delivered in 1 min 15 s'],
    [{ state: 'failed', error: 'connection refused', took_seconds: null }, 'failed: connection refused'],
    [{ state: 'pending', took_seconds: null }, 'waiting'],
    [{ state: 'pending', error: 'connection refused', took_seconds: null }, 'failing: connection refused'],
    [{ state: 'superseded', detail: 'resolved_before_sent', took_seconds: null }, 'not sent, recovered before'],
  ])('says what became of a message %j: %s', (changes, text) => {
    expect(becameText(message(changes))).toBe(text);
  });
});

describe('who was notified, and who is next', () => {
  it('names each receiver once, with the result of the newest message', () => {
    const pager = { contact: { id: 'ct_2', name: 'Old pager' }, state: 'failed' as const };
    expect(
      notifiedOf([
        told(60, pager),
        told(30),
        told(10, { state: 'failed' }),
        told(5, { kind: 'resolved', contact: null }),
      ]),
    ).toEqual([
      { name: 'Old pager', isReached: false },
      { name: 'On-call mail', isReached: true },
    ]);
  });

  it('names the next step of the escalation, but no reminder', () => {
    expect(nextText([planned('On-call mail', 60, 'reminder')])).toBe('');
    expect(nextText([planned('Manager', 600), planned('Boss', 620), planned('Board', 3600)])).toMatch(
      /^Manager and Boss at \d\d:\d\d unless acknowledged$/,
    );
  });
});
