import { at, delivery, GOOD, received } from './good-history';
import type { History } from './history';
import { brokenProperties, repeats } from './properties';

const broken = (changes: Partial<History>): string[] => brokenProperties({ ...GOOD, ...changes });

describe('the properties of a chaos run', () => {
  it('finds nothing broken in a correct history', () => {
    expect(broken({})).toEqual([]);
  });

  it('finds a delivered event that no provider received', () => {
    expect(broken({ received: GOOD.received.filter(({ id }) => id !== 'ev_2') })).toEqual([
      expect.stringContaining('lost event: resolved 1 of a1'),
    ]);
  });

  it('finds a delivered event that every provider refused', () => {
    const attempted = GOOD.received.filter(({ id, mode }) => id !== 'ev_1' || mode !== 'ok');
    expect(broken({ received: attempted })).toContainEqual(expect.stringContaining('lost event: triggered 1 of a1'));
  });

  it.each(['pending', 'failed'])('finds an event whose delivery is still %s at the end', (state) => {
    const deliveries = [delivery('ev_1', 'triggered'), delivery('ev_2', 'resolved', { state })];
    expect(broken({ deliveries })).toEqual([
      expect.stringContaining(`undelivered event: resolved 1 of a1 (ev_2) is ${state}`),
    ]);
  });

  it('allows a superseded delivery only for an alert that a client stopped', () => {
    const deliveries = [delivery('ev_1', 'triggered', { state: 'superseded', detail: 'disabled' })];
    const changes = { deliveries, received: [] };
    expect(broken(changes)).toEqual([expect.stringContaining('dropped event')]);
    expect(broken({ ...changes, stopped: new Set(['a1']) })).toEqual([]);
  });

  it('finds a notification that was sent again after it had been accepted', () => {
    expect(broken({ received: [...GOOD.received, received('ev_2', 43)] })).toEqual([
      'duplicate without ambiguity: resolved 1 of a1 (ev_2) was accepted at 12:00:42.000, and sent at 12:00:43.000 (ok)',
    ]);
    expect(
      broken({ received: [...GOOD.received, received('ev_2', 43)], exits: [{ at: at(30), graceful: false }] }),
    ).toHaveLength(1);
    expect(
      broken({ received: [...GOOD.received, received('ev_2', 43)], exits: [{ at: at(42.5), graceful: true }] }),
    ).toHaveLength(1);
  });

  it('allows a repeat when the sender was killed, or exited while the database was unavailable', () => {
    const twice = [...GOOD.received, received('ev_2', 103)];
    expect(broken({ received: twice, exits: [{ at: at(42.1), graceful: false }] })).toEqual([]);
    const downtimes = [{ from: at(41), to: at(55) }];
    expect(broken({ received: twice, downtimes, exits: [{ at: at(50), graceful: true }] })).toEqual([]);
    expect(repeats({ received: twice })).toBe(1);
  });

  it('allows a repeat when the exit of the sender was recorded slightly before the request', () => {
    const twice = [...GOOD.received, received('ev_2', 103)];
    expect(broken({ received: twice, exits: [{ at: at(41.2), graceful: false }] })).toEqual([]);
    const early = { received: twice, exits: [{ at: at(39), graceful: false }] };
    expect(broken(early)).toHaveLength(1);
    expect(broken({ ...early, ownStalls: [{ from: at(39), to: at(41.5) }] })).toEqual([]);
  });

  it('finds two different bodies under one id', () => {
    const bodies = [
      ...GOOD.received.slice(0, 2),
      received('ev_2', 42, { mode: 'hang', body: 'about ev_3' }),
      received('ev_2', 44),
    ];
    expect(broken({ received: bodies })).toEqual(['one id, two bodies: ev_2: about ev_3 and about ev_2']);
  });

  it('finds an alert of an endpoint whose target never failed', () => {
    const deliveries = [...GOOD.deliveries, delivery('ev_3', 'triggered', { alert: 'a2', endpoint: 'e2' })];
    expect(broken({ deliveries, received: [...GOOD.received, received('ev_3', 50)] })).toEqual([
      'false alarm: triggered 1 of a2 (ev_3), whose target e2 never failed',
    ]);
  });

  it('ignores false alarms raised while the test process itself stalled', () => {
    const more = { alert: 'a2', endpoint: 'e2' };
    const deliveries = [
      ...GOOD.deliveries,
      delivery('ev_3', 'triggered', { ...more, at: at(35) }),
      delivery('ev_4', 'resolved', { ...more, at: at(36) }),
    ];
    const ownStalls = [{ from: at(30), to: at(34) }];
    const history = { deliveries, received: [...GOOD.received, received('ev_3', 50), received('ev_4', 51)] };
    expect(broken(history)).toHaveLength(2);
    expect(broken({ ...history, ownStalls })).toEqual([]);
    expect(broken({ ...history, ownStalls: [{ from: at(1), to: at(3) }] })).toHaveLength(2);
  });

  it('finds a notification without an event', () => {
    expect(broken({ received: [...GOOD.received, received('ev_9', 50)] })).toEqual([
      'invented notification: no event has the id ev_9',
    ]);
  });

  it('finds check results that contradict the target, unless the test process itself stalled', () => {
    const checks = [
      { endpoint: 'e2', location: 0, at: at(30), outcome: 'down' as const },
      { endpoint: 'e1', location: 0, at: at(20), outcome: 'up' as const },
      { endpoint: 'e1', location: 0, at: at(21), outcome: 'unknown' as const },
    ];
    expect(broken({ checks })).toEqual([
      'invented failure: e2 was down at 12:00:30.000 while its target was fine',
      'invented success: e1 was up at 12:00:20.000 while its target failed',
    ]);
    expect(broken({ checks, ownStalls: [{ from: at(31), to: at(33) }] })).toEqual([]);
  });

  it('finds events that do not alternate between triggered and resolved', () => {
    const deliveries = [...GOOD.deliveries, delivery('ev_3', 'resolved')];
    expect(broken({ deliveries, received: [...GOOD.received, received('ev_3', 50)] })).toEqual([
      expect.stringContaining('events do not alternate: resolved 1 of a1 (ev_3) after resolved 1'),
    ]);
    expect(broken({ deliveries: [delivery('ev_2', 'resolved')], received: [received('ev_2', 42)] })).toEqual([
      expect.stringContaining('events do not alternate: resolved 1 of a1 (ev_2) after none'),
    ]);
  });

  it('finds a resolve that was sent before its trigger was accepted', () => {
    const early = [received('ev_1', 11, { mode: 'error' }), received('ev_2', 12), received('ev_1', 16)];
    expect(broken({ received: early })).toEqual([expect.stringContaining('out of order: resolved 1 of a1')]);
    const elsewhere = early.map((each) => (each.id === 'ev_2' ? { ...each, channel: 1 } : each));
    expect(broken({ received: elsewhere })).toEqual([expect.stringContaining('told elsewhere: resolved 1 of a1')]);
  });

  it('finds an endpoint checked more often than due, allowing for checks that faults repeated', () => {
    const requestCount = { from: at(0), to: at(60), intervalMs: 1000, requests: 90, failed: 0 };
    const steady = new Map([['e1', requestCount]]);
    expect(broken({ steady })).toEqual(['checked too often: e1 90 times in 60000 ms, each 1000 ms is due']);
    const exits = Array.from({ length: 10 }, (_, place) => ({ at: at(place), graceful: false }));
    expect(broken({ steady, exits })).toEqual([]);
    expect(broken({ steady: new Map([['e1', { ...requestCount, failed: 40 }]]) })).toEqual([]);
    expect(broken({ steady: new Map([['e1', { ...requestCount, requests: 120, failed: 60 }]]) })).toHaveLength(1);
  });
});
