import { newUuid } from '../../platform/ids/id';
import type { LockedDelivery } from '../delivery';
import type { ReadyQueue } from './batch-plan';
import { foldReady, type TellableIncident } from './fold';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

type Kind = 'triggered' | 'resolved' | 'recovered' | 'reminder';
const KINDS: Partial<Record<string, Kind>> = { down: 'triggered', up: 'resolved', was: 'recovered', still: 'reminder' };

/** "down a 5" means that endpoint a was recorded as down 5 seconds ago. */
function queue(said: string, incidentId: string | null = 'one', redeliver = false): ReadyQueue {
  const [word = '', endpointId = '', seconds = '0'] = said.split(' ');
  const kind = KINDS[word] ?? 'flapping';
  const delivery: LockedDelivery = {
    id: said,
    kind: kind === 'recovered' || kind === 'flapping' ? 'resolved' : kind,
    queueId: said,
    episodeNo: 1,
    mayHaveArrived: false,
    ended: false,
    triggerOutcome: 'notified',
    redeliver,
    inFlight: false,
    endpointId,
    incidentId,
    attempts: 0,
    rejections: 0,
    createdAt: ago(Number(seconds)),
  };
  const notification = { kind, primary: said, merged: null } as const;
  return { notification: { ...notification, repeat: false, ends: [] }, deliveries: [delivery] };
}

const incident = (changes: Partial<TellableIncident> = {}): TellableIncident => ({
  id: newUuid(),
  number: 12,
  address: null,
  endpointCount: 3,
  openCount: 2,
  outages: 1,
  downtimeMs: 1_380_000,
  endedAt: null,
  leftAt: null,
  busyUntil: null,
  ...changes,
});

/** Returns the groups to send now, followed by how many seconds the others wait. */
function told(ready: readonly ReadyQueue[], one: TellableIncident | null, others: [string, TellableIncident][] = []) {
  const known = new Map([...(one ? [['one', one] as const] : []), ...others]);
  const { groups, held, until } = foldReady(ready, known, NOW);
  return {
    leave: groups.map(
      ({ queues, fold }) =>
        `${fold ? 'fold' : 'alone'}: ${queues.map(({ notification }) => notification.primary).join(', ')}`,
    ),
    ...(held.length > 0 ? { held, seconds: until && (until.getTime() - NOW.getTime()) / 1000 } : {}),
  };
}

describe('combining the deliveries of an incident into messages', () => {
  const ENDED = { endedAt: NOW, openCount: 0 };
  it.each<[string, string[], Partial<TellableIncident>, ReturnType<typeof told>]>([
    ['one delivery is sent as usual', ['down a'], {}, { leave: ['alone: down a'] }],
    ['several deliveries form a fold immediately', ['down a', 'down b'], {}, { leave: ['fold: down a, down b'] }],
    ['with recoveries among them', ['down a', 'up b'], {}, { leave: ['fold: down a, up b'] }],
    ['a reminder is news as well', ['still a', 'still b'], {}, { leave: ['fold: still a, still b'] }],
    ['a flapping alert is news as well', ['flaps a', 'up b'], {}, { leave: ['fold: flaps a, up b'] }],
    [
      'more news waits until 30 s after the last message',
      ['down b', 'down c'],
      { leftAt: ago(12) },
      { leave: [], held: ['down b', 'down c'], seconds: 18 },
    ],
    ['news waits no longer than that', ['down b', 'down c'], { leftAt: ago(30) }, { leave: ['fold: down b, down c'] }],
    [
      'news waits for a message in flight',
      ['down b'],
      { leftAt: ago(50), busyUntil: ago(-10) },
      { leave: [], held: ['down b'], seconds: 10 },
    ],
    [
      'news waits for a message in flight and then for the 30 s',
      ['down b'],
      { leftAt: ago(2), busyUntil: ago(-10) },
      { leave: [], held: ['down b'], seconds: 28 },
    ],
    [
      'recoveries wait for 30 s after the oldest',
      ['up a 5', 'up b 1'],
      {},
      { leave: [], held: ['up a 5', 'up b 1'], seconds: 25 },
    ],
    [
      'recoveries wait regardless of earlier messages',
      ['up a 30', 'up b 1'],
      { leftAt: ago(1) },
      { leave: ['fold: up a 30, up b 1'] },
    ],
    ['one recovery alone is sent as usual', ['up a 30'], {}, { leave: ['alone: up a 30'] }],
    ['outages that are over are recoveries', ['was a 5'], {}, { leave: [], held: ['was a 5'], seconds: 25 }],
    [
      'the end of the incident is reported immediately',
      ['up a', 'was b'],
      { ...ENDED, leftAt: ago(1) },
      { leave: ['fold: up a, was b'] },
    ],
    ['the end is reported as the end, even for one delivery', ['up a'], ENDED, { leave: ['fold: up a'] }],
    [
      'the end waits for a message in flight',
      ['up a'],
      { ...ENDED, busyUntil: ago(-4) },
      { leave: [], held: ['up a'], seconds: 4 },
    ],
  ])('%s', (_, ready, facts, expected) => {
    expect(
      told(
        ready.map((one) => queue(one)),
        incident(facts),
      ),
    ).toEqual(expected);
  });

  it('sends deliveries as usual without an incident, or if the incident never had a second endpoint', () => {
    const ready = [queue('down a'), queue('still a 1'), queue('up c', null), queue('was d', null)];
    expect(told(ready, null)).toEqual({
      leave: ['alone: down a', 'alone: still a 1', 'alone: up c', 'alone: was d'],
    });
  });

  it('does not combine a delivery that a client redelivers', () => {
    const again = queue('down b', 'one', true);
    expect(told([queue('down a'), again, queue('down c')], incident())).toEqual({
      leave: ['fold: down a, down c', 'alone: down b'],
    });
  });

  it('never delays two incidents for each other, and waits for the first of them', () => {
    const ready = [queue('down a'), queue('up b 10', 'two'), queue('down c', 'three')];
    const others: [string, TellableIncident][] = [
      ['two', incident()],
      ['three', incident({ leftAt: ago(20) })],
    ];
    expect(told(ready, incident(), others)).toEqual({
      leave: ['alone: down a'],
      held: ['up b 10', 'down c'],
      seconds: 10,
    });
  });

  it('combines deliveries that were recorded under a merged incident', () => {
    const target = incident();
    expect(told([queue('down a'), queue('down b', 'merged')], target, [['merged', target]])).toEqual({
      leave: ['fold: down a, down b'],
    });
  });

  it('counts endpoints, not alerts', () => {
    const ready = [queue('down a 1'), queue('down a 2'), queue('down b'), queue('up c')];
    const [group] = foldReady(ready, new Map([['one', incident({ leftAt: ago(40) })]]), NOW).groups;
    expect(group?.fold).toMatchObject({
      number: 12,
      down: 2,
      up: 1,
      endpoints: 3,
      open: 2,
      isMore: true,
      durationSeconds: null,
    });
  });

  it('reports how long the incident lasted', () => {
    const [group] = foldReady([queue('up a')], new Map([['one', incident(ENDED)]]), NOW).groups;
    expect(group?.fold).toMatchObject({ down: 0, up: 1, durationSeconds: 1380 });
  });
});
