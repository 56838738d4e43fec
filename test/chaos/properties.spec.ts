import { brokenProperties, type History, type Message, repeats, type Told } from './properties';

/** Noon. The target of e1 fails from second 10 to second 40; e2's never does. */
const NOON = Date.UTC(2026, 0, 1, 12);
const at = (second: number): number => NOON + second * 1000;

const message = (id: string, kind: 'triggered' | 'resolved', more: Partial<Message> = {}): Message => ({
  id,
  at: at(kind === 'triggered' ? 11 : 41),
  alert: 'a1',
  endpoint: 'e1',
  kind,
  incidentNo: 1,
  state: 'delivered',
  detail: null,
  ...more,
});

const told = (id: string, second: number, more: Partial<Told> = {}): Told => ({
  id,
  channel: 0,
  at: at(second),
  answered: 'ok',
  body: `about ${id}`,
  ...more,
});

/** One incident, told as it should be: the trigger at the second attempt. */
const GOOD: History = {
  messages: [message('ev_1', 'triggered'), message('ev_2', 'resolved')],
  told: [told('ev_1', 11, { answered: 'error' }), told('ev_1', 16), told('ev_2', 42)],
  checks: [
    { endpoint: 'e1', at: at(5), outcome: 'up' },
    { endpoint: 'e1', at: at(11), outcome: 'down' },
    { endpoint: 'e1', at: at(41), outcome: 'up' },
    { endpoint: 'e2', at: at(20), outcome: 'up' },
  ],
  turns: new Map([
    [
      'e1',
      [
        { from: at(10), mode: 'error' },
        { from: at(40), mode: 'ok' },
      ],
    ],
  ]),
  stopped: new Set(),
  steady: new Map([['e1', { from: at(0), to: at(60), intervalMs: 1000, requests: 61, failed: 30 }]]),
  ends: [],
  absences: [],
  standstills: [],
};

const broken = (changes: Partial<History>): string[] => brokenProperties({ ...GOOD, ...changes });

describe('the promises a run is judged by', () => {
  it('are kept by a history in which all is well', () => {
    expect(broken({})).toEqual([]);
  });

  it('know a lost event', () => {
    expect(broken({ told: GOOD.told.filter(({ id }) => id !== 'ev_2') })).toEqual([
      expect.stringContaining('lost event: resolved 1 of a1'),
    ]);
  });

  it('know an event that was only attempted', () => {
    const attempted = GOOD.told.filter(({ id, answered }) => id !== 'ev_1' || answered !== 'ok');
    expect(broken({ told: attempted })).toContainEqual(expect.stringContaining('lost event: triggered 1 of a1'));
  });

  it.each(['pending', 'failed'])('know an event whose message is %s when all should be told', (state) => {
    const messages = [message('ev_1', 'triggered'), message('ev_2', 'resolved', { state })];
    expect(broken({ messages })).toEqual([
      expect.stringContaining(`untold event: resolved 1 of a1 (ev_2) is ${state}`),
    ]);
  });

  it('let a message be dropped only where somebody stopped the alert', () => {
    const messages = [message('ev_1', 'triggered', { state: 'superseded', detail: 'disabled' })];
    const changes = { messages, told: [] };
    expect(broken(changes)).toEqual([expect.stringContaining('dropped event')]);
    expect(broken({ ...changes, stopped: new Set(['a1']) })).toEqual([]);
  });

  it('know a duplicate', () => {
    expect(broken({ told: [...GOOD.told, told('ev_2', 43)] })).toEqual([
      'duplicate without ambiguity: ev_2 was taken at 12:00:42.000 and sent again',
    ]);
    expect(broken({ told: [...GOOD.told, told('ev_2', 43)], ends: [{ at: at(30), orderly: false }] })).toHaveLength(1);
    expect(broken({ told: [...GOOD.told, told('ev_2', 43)], ends: [{ at: at(42.5), orderly: true }] })).toHaveLength(1);
  });

  it('accept it where nobody could know: the sender was killed, or ended while the database was away', () => {
    const twice = [...GOOD.told, told('ev_2', 103)];
    expect(broken({ told: twice, ends: [{ at: at(42.1), orderly: false }] })).toEqual([]);
    const absences = [{ from: at(41), to: at(55) }];
    expect(broken({ told: twice, absences, ends: [{ at: at(50), orderly: true }] })).toEqual([]);
    expect(repeats({ told: twice })).toBe(1);
  });

  it('accept it when the sender’s end was noted a little before what it had sent', () => {
    const twice = [...GOOD.told, told('ev_2', 103)];
    expect(broken({ told: twice, ends: [{ at: at(41.2), orderly: false }] })).toEqual([]);
    const early = { told: twice, ends: [{ at: at(39), orderly: false }] };
    expect(broken(early)).toHaveLength(1);
    expect(broken({ ...early, standstills: [{ from: at(39), to: at(41.5) }] })).toEqual([]);
  });

  it('know two texts under one id', () => {
    const texts = [...GOOD.told.slice(0, 2), told('ev_2', 42, { answered: 'hang', body: 'other' }), told('ev_2', 44)];
    expect(broken({ told: texts })).toEqual(['one id, two texts: ev_2']);
  });

  it('know a false alarm', () => {
    const messages = [...GOOD.messages, message('ev_3', 'triggered', { alert: 'a2', endpoint: 'e2' })];
    expect(broken({ messages, told: [...GOOD.told, told('ev_3', 50)] })).toEqual([
      'false alarm: triggered 1 of a2 (ev_3), whose target e2 never failed',
    ]);
  });

  it('blame nobody for an alarm that came while this program itself stood still', () => {
    const more = { alert: 'a2', endpoint: 'e2' };
    const messages = [
      ...GOOD.messages,
      message('ev_3', 'triggered', { ...more, at: at(35) }),
      message('ev_4', 'resolved', { ...more, at: at(36) }),
    ];
    const standstills = [{ from: at(30), to: at(34) }];
    const history = { messages, told: [...GOOD.told, told('ev_3', 50), told('ev_4', 51)] };
    expect(broken(history)).toHaveLength(2);
    expect(broken({ ...history, standstills })).toEqual([]);
    expect(broken({ ...history, standstills: [{ from: at(1), to: at(3) }] })).toHaveLength(2);
  });

  it('know a message without an event', () => {
    expect(broken({ told: [...GOOD.told, told('ev_9', 50)] })).toEqual(['invented message: no event has the id ev_9']);
  });

  it('know results that the target never gave, unless this program itself stood still', () => {
    const checks = [
      { endpoint: 'e2', at: at(30), outcome: 'down' as const },
      { endpoint: 'e1', at: at(20), outcome: 'up' as const },
      { endpoint: 'e1', at: at(21), outcome: 'unknown' as const },
    ];
    expect(broken({ checks })).toEqual([
      'invented failure: e2 was down at 12:00:30.000 while its target was fine',
      'invented success: e1 was up at 12:00:20.000 while its target failed',
    ]);
    expect(broken({ checks, standstills: [{ from: at(31), to: at(33) }] })).toEqual([]);
  });

  it('know events that do not alternate', () => {
    const messages = [...GOOD.messages, message('ev_3', 'resolved')];
    expect(broken({ messages, told: [...GOOD.told, told('ev_3', 50)] })).toEqual([
      expect.stringContaining('events do not alternate: resolved 1 of a1 (ev_3) after resolved 1'),
    ]);
    expect(broken({ messages: [message('ev_2', 'resolved')], told: [told('ev_2', 42)] })).toEqual([
      expect.stringContaining('events do not alternate: resolved 1 of a1 (ev_2) after none'),
    ]);
  });

  it('know a resolve that was told before its trigger was taken', () => {
    const early = [told('ev_1', 11, { answered: 'error' }), told('ev_2', 12), told('ev_1', 16)];
    expect(broken({ told: early })).toEqual([expect.stringContaining('out of order: resolved 1 of a1')]);
    const elsewhere = early.map((each) => (each.id === 'ev_2' ? { ...each, channel: 1 } : each));
    expect(broken({ told: elsewhere })).toEqual([]);
  });

  it('know an endpoint that is checked more often than it is due, but not one that faults made ask again', () => {
    const attention = { from: at(0), to: at(60), intervalMs: 1000, requests: 90, failed: 0 };
    const steady = new Map([['e1', attention]]);
    expect(broken({ steady })).toEqual(['checked too often: e1 90 times in 60000 ms, each 1000 ms is due']);
    const ends = Array.from({ length: 10 }, (_, place) => ({ at: at(place), orderly: false }));
    expect(broken({ steady, ends })).toEqual([]);
    expect(broken({ steady: new Map([['e1', { ...attention, failed: 40 }]]) })).toEqual([]);
    expect(broken({ steady: new Map([['e1', { ...attention, requests: 120, failed: 60 }]]) })).toHaveLength(1);
  });
});
