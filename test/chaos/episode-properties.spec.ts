import { at, delivery, GOOD, received } from './good-history';
import type { Delivery, History } from './history';
import { episodeProperties } from './episode-properties';

/** An episode with one reminder that was sent to a contact at channel 0 and is over. */
const WITH_REMINDER: History = {
  ...GOOD,
  deliveries: [
    delivery('ev_1', 'triggered', { contact: 'c1' }),
    delivery('dl_1', 'reminder', { contact: 'c1' }),
    delivery('ev_2', 'resolved', { contact: 'c1' }),
  ],
  received: [received('ev_1', 12), received('dl_1', 31), received('ev_2', 42)],
  dues: [{ from: at(29), to: at(29.5) }],
};

/** The same episode before its end. */
const OPEN: History = {
  ...WITH_REMINDER,
  deliveries: WITH_REMINDER.deliveries.slice(0, 2),
  received: WITH_REMINDER.received.slice(0, 2),
  present: new Map([['a1', { channel: 0, rotation: 0, since: at(0) }]]),
};

const broken = (history: History, changes: Partial<History> = {}): string[] =>
  episodeProperties({ ...history, ...changes });

const resolvedBecause = (reason: string): Delivery[] => [
  delivery('ev_1', 'triggered', { contact: 'c1' }),
  delivery('ev_2', 'resolved', { contact: 'c1', reason }),
];

describe('the properties of episodes in a chaos run', () => {
  it('finds nothing broken in a correct history', () => {
    expect(broken(GOOD)).toEqual([]);
    expect(broken(WITH_REMINDER)).toEqual([]);
    expect(broken(OPEN)).toEqual([]);
  });

  it('finds a resolve at a channel that never received the trigger', () => {
    expect(broken(GOOD, { received: [received('ev_1', 12), received('ev_2', 42, { channel: 3 })] })).toEqual([
      'told elsewhere: resolved 1 of a1 (ev_2) at channel 3, its trigger at 0',
    ]);
  });

  it('finds an episode that did not start again although its alert notifies now', () => {
    const present = new Map([['a1', { channel: 2, rotation: 0, since: at(15) }]]);
    expect(broken(OPEN, { present, received: [received('ev_1', 12)] })).toEqual([
      'not begun again: triggered 1 of a1 (ev_1) was told at channel 0, not 2',
    ]);
  });

  it('finds a message that left with a credential from before its rotation', () => {
    const present = (since: number) => new Map([['a1', { channel: 0, rotation: 1, since }]]);
    expect(broken(OPEN, { present: present(at(15)) })).toEqual([
      'stale route: reminder 1 of a1 (dl_1) went to channel 0 with credential 0, not 0 with 1',
    ]);
    expect(broken(OPEN, { present: present(at(25)) })).toEqual([]);
  });

  it('allows an episode to end without successful checks only if a write stopped the alert or changed its destination', () => {
    const changed = { deliveries: resolvedBecause('disabled') };
    expect(broken(GOOD, changed)).toEqual(['ended by nothing: resolved 1 of a1 (ev_2) has the reason disabled']);
    const by = (name: string, from: number, to: number) => new Map([[name, [{ from: at(from), to: at(to) }]]]);
    expect(broken(GOOD, { ...changed, endings: by('a1', 40, 40.5) })).toEqual([]);
    expect(broken(GOOD, { ...changed, endings: by('c1', 40, 42) })).toEqual([]);
    expect(broken(GOOD, { ...changed, endings: by('c2', 40, 42) })).toHaveLength(1);
    expect(broken(GOOD, { ...changed, endings: by('c1', 20, 25) })).toHaveLength(1);
  });

  it('finds two messages under one id, two keys in one episode, and one key for two', () => {
    const twice = [...GOOD.deliveries, delivery('ev_1', 'triggered', { alert: 'a2' })];
    expect(broken(GOOD, { deliveries: twice })).toEqual(['one id, 2 messages: ev_1']);
    const [trigger, resolve] = [delivery('ev_1', 'triggered'), delivery('ev_2', 'resolved', { incidentKey: 'other' })];
    expect(broken(GOOD, { deliveries: [trigger, resolve] })).toEqual(['one episode, 2 keys: triggered 1 of a1 (ev_1)']);
    const second = delivery('ev_3', 'triggered', { episodeNo: 2, incidentKey: 'a1-1' });
    expect(broken(GOOD, { deliveries: [...GOOD.deliveries, second] })).toEqual([
      'one key, two episodes: triggered 1 of a1 (ev_1) and triggered 2 of a1 (ev_3)',
    ]);
  });

  it('finds a gap and a repetition in the numbers of reminders', () => {
    const withOrdinals = (...ordinals: number[]) => {
      const reminders = ordinals.map((ordinal, index) =>
        delivery(`dl_${index}`, 'reminder', { ordinal, at: at(12 + 2 * index) }),
      );
      const dues = ordinals.map((_, index) => ({ from: at(11.2 + 2 * index), to: at(11.5 + 2 * index) }));
      return broken(GOOD, { deliveries: [delivery('ev_1', 'triggered'), ...reminders], received: [], dues });
    };
    expect(withOrdinals(1, 2, 3)).toEqual([]);
    expect(withOrdinals(1, 3)).toEqual(['reminders out of count: reminder 1 of a1 (dl_1) is number 3']);
    expect(withOrdinals(1, 1)).toEqual(['reminders out of count: reminder 1 of a1 (dl_1) is number 1']);
  });

  it('finds a reminder before its trigger or after its resolve, enqueued or arrived', () => {
    const [trigger, reminder, resolve] = WITH_REMINDER.deliveries;
    if (!trigger || !reminder || !resolve) throw new Error('there are three');
    for (const deliveries of [
      [reminder, trigger, resolve],
      [trigger, resolve, reminder],
    ])
      expect(broken(WITH_REMINDER, { deliveries })).toEqual([
        'reminder outside of its episode: reminder 1 of a1 (dl_1)',
      ]);
    const late = [received('ev_1', 12), received('ev_2', 42), received('dl_1', 43)];
    expect(broken(WITH_REMINDER, { received: late })).toEqual(['reminder of what is over: reminder 1 of a1 (dl_1)']);
    const early = [received('dl_1', 11), received('ev_1', 12), received('ev_2', 42)];
    expect(broken(WITH_REMINDER, { received: early })).toEqual([
      'reminder of what was not told: reminder 1 of a1 (dl_1) at channel 0',
    ]);
  });

  it('finds a reminder of an endpoint that was acknowledged during the episode', () => {
    const during = (from: number, to: number) => ({ quiet: [{ endpoint: 'e1', from: at(from), to: at(to) }] });
    expect(broken(WITH_REMINDER, during(15, 40))).toEqual(['reminder while quiet: reminder 1 of a1 (dl_1)']);
    expect(broken(WITH_REMINDER, during(27, 40))).toEqual([]);
    expect(broken(WITH_REMINDER, during(15, 29))).toEqual([]);
    expect(broken(WITH_REMINDER, during(5, 40))).toEqual([]);
    const downtimes = [{ from: at(26), to: at(29) }];
    expect(broken(WITH_REMINDER, { ...during(15, 40), downtimes })).toEqual([]);
  });

  it('finds a reminder before its time, and a due reminder that never arrived', () => {
    expect(broken(WITH_REMINDER, { dues: [] })).toEqual([
      'reminder that was not due: reminder 1 of a1 (dl_1), number 1',
    ]);
    expect(broken(WITH_REMINDER, { dues: [{ from: at(1), to: at(2) }] })).toHaveLength(1);
    const later = (second: number) => delivery('dl_2', 'reminder', { ordinal: 2, at: at(second) });
    const twice = (second: number) => ({ deliveries: [...OPEN.deliveries, later(second)] });
    expect(broken(OPEN, twice(50))).toEqual(['reminder that was not due: reminder 1 of a1 (dl_2), number 2']);
    expect(broken(OPEN, { ...twice(50), dues: [...OPEN.dues, { from: at(48), to: at(49) }] })).toEqual([]);
    expect(broken(OPEN, twice(330))).toEqual([]);
    const awaited = (reminders: number) => ({
      awaited: [{ alert: 'a1', endpoint: 'e1', episodeNo: 1, reminders, at: at(29) }],
    });
    expect(broken(OPEN, awaited(0))).toEqual([]);
    expect(broken(OPEN, awaited(1))).toEqual(['no reminder: episode 1 of a1, due at 2026-01-01T12:00:29.000Z']);
    expect(broken(WITH_REMINDER, awaited(1))).toEqual([]);
    const quiet = [{ endpoint: 'e1', from: at(35), to: at(50) }];
    expect(broken(OPEN, { ...awaited(1), quiet })).toEqual([]);
  });
});
