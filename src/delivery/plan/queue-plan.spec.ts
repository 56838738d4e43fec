import fc from 'fast-check';
import type { ChannelAudience } from '../../channel/channel';
import {
  suppressFlapping,
  planQueue,
  type PendingDelivery,
  type PlannedNotification,
  type TriggerOutcome,
} from './queue-plan';

const AUDIENCES: ChannelAudience[] = ['webhook', 'pager', 'chat', 'mail', 'sms'];
const HUMANS: ChannelAudience[] = ['chat', 'mail', 'sms'];

interface Situation {
  /** An attempt may have arrived. */
  unknown?: boolean;
  /** The incident is over, whether or not a resolve waits. */
  ended?: boolean;
  fate?: TriggerOutcome;
}

const row = (kind: PendingDelivery['kind'], incidentNo: number, more: Situation = {}): PendingDelivery => ({
  id: `${kind === 'triggered' ? 'T' : 'R'}${incidentNo}`,
  kind,
  incidentNo,
  mayHaveArrived: more.unknown ?? false,
  ended: more.ended ?? false,
  triggerOutcome: more.fate ?? 'told',
});
const T = (incidentNo: number, more?: Situation) => row('triggered', incidentNo, more);
const R = (incidentNo: number, more?: Situation) => row('resolved', incidentNo, more);

/** `kind carrier` of the message, and the ends of all rows, in words. */
function told(rows: PendingDelivery[], audience: ChannelAudience): string {
  const { ended, message } = planQueue(rows, audience);
  const parts = ended.map(({ id, state, detail }) => `${id} ${state}:${detail}`);
  if (!message) return parts.join(', ');
  const others = message.rows
    .filter(({ id }) => id !== message.primary)
    .map(({ id, state, detail }) => `${id} ${state}:${detail}`);
  return [...parts, `${message.kind} by ${message.primary}${message.repeat ? ' again' : ''}`, ...others].join(', ');
}

describe('resolved while the trigger is undelivered', () => {
  describe('never attempted or surely refused', () => {
    const rows = [T(1, { ended: true }), R(1)];

    it('a webhook gets both, in order', () => {
      expect(told(rows, 'webhook')).toBe('triggered by T1');
      expect(told([R(1)], 'webhook')).toBe('resolved by R1');
    });
    it('nobody’s pager goes off for an outage that is over', () => {
      expect(told(rows, 'pager')).toBe('T1 superseded:resolved_before_sent, R1 superseded:resolved_before_sent');
    });
    it.each(HUMANS)('%s gets one combined message', (audience) => {
      expect(told(rows, audience)).toBe('recovered by R1, T1 delivered:combined');
    });
    it.each<[ChannelAudience, string]>([
      ['webhook', 'triggered by T1'],
      ['pager', 'T1 superseded:resolved_before_sent'],
      ['chat', 'recovered by T1'],
      ['mail', 'recovered by T1'],
      ['sms', 'recovered by T1'],
    ])('without an owed resolve: %s', (audience, expected) => {
      expect(told([T(1, { ended: true })], audience)).toBe(expected);
    });
  });

  describe('of unknown outcome', () => {
    const rows = [T(1, { ended: true, unknown: true }), R(1)];

    it.each<[ChannelAudience, string]>([
      ['webhook', 'triggered by T1 again'],
      ['pager', 'T1 superseded:resolved_before_sent, resolved by R1'],
      ['chat', 'recovered by R1 again, T1 delivered:combined'],
      ['mail', 'recovered by R1 again, T1 delivered:combined'],
      ['sms', 'recovered by R1 again, T1 delivered:combined'],
    ])('%s: %s', (audience, expected) => {
      expect(told(rows, audience)).toBe(expected);
    });
    it('a possible incident on a pager is closed also after its trigger was dropped', () => {
      expect(told([R(1, { fate: 'maybe_told' })], 'pager')).toBe('resolved by R1');
    });
  });

  it.each(AUDIENCES)('delivered: %s gets the resolve', (audience) => {
    expect(told([R(1)], audience)).toBe('resolved by R1');
  });

  it.each(AUDIENCES)('parked: for %s the resolve is parked behind it', (audience) => {
    expect(told([R(1, { fate: 'parked' })], audience)).toBe('R1 failed:behind_failed');
  });

  it.each<[ChannelAudience, string]>([
    ['webhook', 'resolved by R1'],
    ['pager', 'R1 superseded:trigger_not_told'],
    ['chat', 'recovered by R1'],
    ['mail', 'recovered by R1'],
    ['sms', 'recovered by R1'],
  ])('given up: %s: %s', (audience, expected) => {
    expect(told([R(1, { fate: 'given_up' })], audience)).toBe(expected);
  });

  it.each(AUDIENCES)('dropped because the alert was disabled: %s hears of neither', (audience) => {
    expect(told([R(1, { fate: 'dropped' })], audience)).toBe('R1 superseded:trigger_not_told');
  });

  it.each(AUDIENCES)('about to be sent again: for %s the resolve waits', (audience) => {
    expect(told([R(1, { fate: 'waiting' })], audience)).toBe('');
  });
});

describe('triggered again while the resolve is pending', () => {
  const rows = [R(1), T(2)];

  it.each<[ChannelAudience, string]>([
    ['webhook', 'resolved by R1'],
    ['pager', 'resolved by R1'],
    ['chat', 'triggered by T2, R1 superseded:collapsed'],
    ['mail', 'triggered by T2, R1 superseded:collapsed'],
    ['sms', 'triggered by T2, R1 superseded:collapsed'],
  ])('%s: %s', (audience, expected) => {
    expect(told(rows, audience)).toBe(expected);
  });

  it('a pager skips what is over and tells what is not', () => {
    expect(told([T(1, { ended: true }), R(1), T(2)], 'pager')).toBe(
      'T1 superseded:resolved_before_sent, R1 superseded:resolved_before_sent, triggered by T2',
    );
  });
  it('people hear how things are now, however much they missed', () => {
    expect(told([T(1, { ended: true }), R(1), T(2)], 'chat')).toBe(
      'triggered by T2, T1 superseded:collapsed, R1 superseded:collapsed',
    );
    expect(told([R(1), T(2, { ended: true }), R(2)], 'chat')).toBe(
      'resolved by R2, R1 superseded:collapsed, T2 superseded:collapsed',
    );
  });
});

/** Delivers message after message until nothing is left; returns the messages. */
function drain(rows: PendingDelivery[], audience: ChannelAudience): PlannedNotification[] {
  const messages: PlannedNotification[] = [];
  let waiting = rows;
  while (waiting.length > 0) {
    const { ended, message } = planQueue(waiting, audience);
    const gone = [...ended, ...(message?.rows ?? [])].map(({ id }) => id);
    expect(new Set(gone).size).toBe(gone.length);
    expect(gone.length).toBeGreaterThan(0);
    expect(waiting.slice(0, gone.length).map(({ id }) => id)).toEqual(
      waiting.map(({ id }) => id).filter((id) => gone.includes(id)),
    );
    if (message) messages.push(message);
    waiting = waiting.filter(({ id }) => !gone.includes(id));
  }
  return messages;
}

describe('any queue', () => {
  /** Alternating rows that start with either kind; unknown outcomes anywhere. */
  const queues = fc
    .record({
      startsResolved: fc.boolean(),
      length: fc.integer({ min: 1, max: 8 }),
      unknown: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      fate: fc.constantFrom<TriggerOutcome>('told', 'maybe_told', 'parked', 'given_up', 'dropped'),
    })
    .map(({ startsResolved, length, unknown, fate }) =>
      Array.from({ length }, (_, place) => {
        const step = place + (startsResolved ? 1 : 0);
        const incidentNo = Math.floor(step / 2) + 1;
        const isOver = place < length - 1;
        const more = { unknown: unknown[place] ?? false, fate: place === 0 ? fate : ('told' as const) };
        return step % 2 === 0 ? T(incidentNo, { ...more, ended: isOver }) : R(incidentNo, more);
      }),
    );

  it.each(AUDIENCES)('of %s drains from its head, each row exactly once', (audience) => {
    fc.assert(fc.property(queues, (rows) => void drain(rows, audience)));
  });

  it('a webhook gets every row that is not parked or dropped, in order', () => {
    fc.assert(
      fc.property(queues, (rows) => {
        const first = rows[0];
        const lost = first?.kind === 'resolved' && ['parked', 'dropped'].includes(first.triggerOutcome) ? 1 : 0;
        expect(drain(rows, 'webhook').map(({ primary: carrier }) => carrier)).toEqual(
          rows.slice(lost).map(({ id }) => id),
        );
      }),
    );
  });

  it('a pager only hears of incidents that run, and of the end of those it may have heard of', () => {
    fc.assert(
      fc.property(queues, (rows) => {
        for (const { kind, primary: carrier } of drain(rows, 'pager')) {
          const place = rows.findIndex(({ id }) => id === carrier);
          if (kind === 'triggered') expect(place).toBe(rows.length - 1);
          else if (place > 0) expect(rows[place - 1]?.mayHaveArrived).toBe(true);
          else expect(['told', 'maybe_told']).toContain(rows[0]?.triggerOutcome);
        }
      }),
    );
  });

  it.each(HUMANS)('%s gets at most one message, and its last word is how things are', (audience) => {
    fc.assert(
      fc.property(queues, (rows) => {
        const messages = drain(rows, audience);
        expect(messages.length).toBeLessThanOrEqual(1);
        const [message] = messages;
        if (message) expect(message.kind === 'triggered').toBe(rows.at(-1)?.kind === 'triggered');
      }),
    );
  });
});

describe('a flapping alert', () => {
  const plain = planQueue([R(6), T(7)], 'chat').message as PlannedNotification;

  it('is told as ever up to six transitions in an hour', () => {
    expect(suppressFlapping(plain, 6)).toBe(plain);
  });
  it('is said to be flapping at the seventh; the newest row waits to say how things are', () => {
    expect(suppressFlapping(plain, 7)).toMatchObject({
      kind: 'flapping',
      carrier: 'T7',
      companion: null,
      rows: [
        { id: 'R6', state: 'delivered', detail: 'flapping' },
        { id: 'T7', state: 'pending', detail: 'flapping' },
      ],
    });
  });
});
