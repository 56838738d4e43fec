import fc from 'fast-check';
import type { ChannelAudience } from '../../channel/channel';
import type { PendingDelivery, TriggerOutcome } from '../delivery';
import { type PlannedNotification, planQueue, type Receiver, suppressFlapping } from './queue-plan';

const AUDIENCES: ChannelAudience[] = ['webhook', 'pager', 'chat', 'mail', 'sms'];
const HUMANS: ChannelAudience[] = ['chat', 'mail', 'sms'];

interface Situation {
  /** Whether an attempt may have arrived. */
  unknown?: boolean;
  /** Whether the episode is over. A resolve may or may not be pending. */
  ended?: boolean;
  trigger?: TriggerOutcome;
}

const delivery = (kind: PendingDelivery['kind'], episodeNo: number, more: Situation = {}): PendingDelivery => ({
  id: `${{ triggered: 'T', resolved: 'R', acknowledged: 'A', reminder: 'M', contact_failing: 'C', expiry: 'E' }[kind]}${episodeNo}`,
  kind,
  episodeNo,
  mayHaveArrived: more.unknown ?? false,
  ended: more.ended ?? false,
  triggerOutcome: more.trigger ?? 'notified',
});
const T = (episodeNo: number, more?: Situation) => delivery('triggered', episodeNo, more);
const R = (episodeNo: number, more?: Situation) => delivery('resolved', episodeNo, more);

const A = (episodeNo: number, more?: Situation) => delivery('acknowledged', episodeNo, more);
/** `ordinal` is part of its name. */
const M = (episodeNo: number, more?: Situation, ordinal = 1): PendingDelivery => ({
  ...delivery('reminder', episodeNo, more),
  id: `M${episodeNo}.${ordinal}`,
});

/** Pagers support acknowledgements. */
const receiverOf = (audience: ChannelAudience): Receiver => ({ audience, acknowledges: audience === 'pager' });

/** Returns the notification as `kind by primary`, and the new states of the other deliveries, as text. */
function planned(queue: PendingDelivery[], audience: ChannelAudience): string {
  const { ended, notification } = planQueue(queue, receiverOf(audience));
  const parts = ended.map(({ id, state, detail }) => `${id} ${state}:${detail}`);
  if (!notification) return parts.join(', ');
  const others = notification.ends
    .filter(({ id }) => id !== notification.primary)
    .map(({ id, state, detail }) => `${id} ${state}:${detail}`);
  const again = notification.repeat ? ' again' : '';
  return [...parts, `${notification.kind} by ${notification.primary}${again}`, ...others].join(', ');
}

describe('planQueue with a failing contact', () => {
  it.each<[ChannelAudience, string]>([
    ['chat', 'contact_failing by C0'],
    ['mail', 'contact_failing by C0'],
    ['sms', 'contact_failing by C0'],
    ['webhook', 'contact_failing by C0'],
    ['pager', 'C0 superseded:not_supported'],
  ])('reports it through a %s as "%s"', (audience, expected) => {
    expect(planned([delivery('contact_failing', 0)], audience)).toBe(expected);
  });
});

describe('planQueue with an acknowledgement', () => {
  it.each<[string, PendingDelivery[], string]>([
    ['is sent to a pager whose trigger has arrived', [A(1)], 'acknowledged by A1'],
    ['is sent if the trigger may have arrived', [A(1, { trigger: 'maybe_notified' })], 'acknowledged by A1'],
    ['comes after its trigger', [T(1), A(1)], 'triggered by T1'],
    ['waits while its trigger is sent again', [A(1, { trigger: 'pending' })], ''],
    ['is not sent once its resolve is planned', [A(1), R(1)], 'A1 superseded:resolved_before_sent, resolved by R1'],
    ['is not sent once its episode has ended', [A(1, { ended: true })], 'A1 superseded:resolved_before_sent'],
    [
      'ends with trigger and resolve when neither was sent',
      [T(1, { ended: true }), A(1, { ended: true }), R(1)],
      'A1 superseded:resolved_before_sent, T1 superseded:resolved_before_sent, R1 superseded:resolved_before_sent',
    ],
    [
      'does not hide the resolve of a trigger that may have arrived',
      [T(1, { ended: true, unknown: true }), A(1, { ended: true }), R(1)],
      'A1 superseded:resolved_before_sent, T1 superseded:resolved_before_sent, resolved by R1',
    ],
    ['of a trigger that was dropped is not sent', [A(1, { trigger: 'dropped' })], 'A1 superseded:trigger_not_told'],
    ['of a trigger that was given up is not sent', [A(1, { trigger: 'given_up' })], 'A1 superseded:trigger_not_told'],
    ['fails with a trigger that the provider refused', [A(1, { trigger: 'parked' })], 'A1 failed:behind_failed'],
    [
      'of an earlier episode does not go before the next trigger',
      [A(1, { ended: true }), T(2)],
      'A1 superseded:resolved_before_sent, triggered by T2',
    ],
  ])('%s', (_, queue, expected) => {
    expect(planned(queue, 'pager')).toBe(expected);
  });

  it.each(AUDIENCES.filter((audience) => audience !== 'pager'))(
    'is not sent through %s, which does not support it',
    (audience) => {
      expect(planned([A(1)], audience)).toBe('A1 superseded:not_supported');
      expect(planned([T(1), A(1)], audience)).toBe('A1 superseded:not_supported, triggered by T1');
    },
  );
});

describe('planQueue with a reminder', () => {
  const OTHERS = AUDIENCES.filter((audience) => audience !== 'pager');
  const table: [string, PendingDelivery[], string][] = [
    ['is told when its trigger has arrived', [M(1)], 'reminder by M1.1'],
    ['is told when its trigger may have arrived', [M(1, { trigger: 'maybe_notified' })], 'reminder by M1.1'],
    ['is told again when it may have arrived', [M(1, { unknown: true })], 'reminder by M1.1 again'],
    ['gives way to its trigger', [T(1), M(1, { trigger: 'pending' })], 'M1.1 superseded:collapsed, triggered by T1'],
    ['gives way to its trigger that is sent again', [M(1, { trigger: 'pending' })], 'M1.1 superseded:collapsed'],
    [
      'gives way to a newer one',
      [M(1), M(1, {}, 2), M(1, {}, 3)],
      'M1.1 superseded:collapsed, M1.2 superseded:collapsed, reminder by M1.3',
    ],
    ['is not told once its resolve is planned', [M(1), R(1)], 'M1.1 superseded:resolved_before_sent, resolved by R1'],
    ['is not told once its episode has ended', [M(1, { ended: true })], 'M1.1 superseded:resolved_before_sent'],
    [
      'of an earlier episode does not go before the next trigger',
      [M(1, { ended: true }), T(2)],
      'M1.1 superseded:resolved_before_sent, triggered by T2',
    ],
    [
      'of an earlier episode does not take that of the next one with it',
      [M(1, { ended: true }), M(2)],
      'M1.1 superseded:resolved_before_sent, reminder by M2.1',
    ],
    ['of a trigger that was dropped is not told', [M(1, { trigger: 'dropped' })], 'M1.1 superseded:trigger_not_told'],
    ['of a trigger that was given up is not told', [M(1, { trigger: 'given_up' })], 'M1.1 superseded:trigger_not_told'],
    ['of a trigger that was refused is not told', [M(1, { trigger: 'parked' })], 'M1.1 superseded:trigger_not_told'],
  ];

  describe.each(OTHERS)('for %s', (audience) => {
    it.each(table)('%s', (_, queue, expected) => {
      expect(planned(queue, audience)).toBe(expected);
    });
  });

  it('is never sent to a pager, and delays nothing', () => {
    expect(planned([M(1)], 'pager')).toBe('M1.1 superseded:not_supported');
    expect(planned([M(1), R(1)], 'pager')).toBe('M1.1 superseded:not_supported, resolved by R1');
  });

  it('ends with the trigger that it gave way to, for an episode that is over', () => {
    const queue = [T(1, { ended: true }), M(1, { ended: true, trigger: 'pending' }), R(1)];
    expect(planned(queue, 'chat')).toBe('M1.1 superseded:resolved_before_sent, recovered by R1, T1 delivered:combined');
    expect(planned(queue, 'webhook')).toBe('M1.1 superseded:resolved_before_sent, triggered by T1');
  });
});

describe('planQueue with an episode that was resolved while its trigger is undelivered', () => {
  describe('a trigger that was never attempted or certainly refused', () => {
    const queue = [T(1, { ended: true }), R(1)];

    it('sends a webhook the undelivered trigger, then the resolve', () => {
      expect(planned(queue, 'webhook')).toBe('triggered by T1');
      expect(planned([R(1)], 'webhook')).toBe('resolved by R1');
    });
    it('sends a pager nothing about an outage that is over', () => {
      expect(planned(queue, 'pager')).toBe('T1 superseded:resolved_before_sent, R1 superseded:resolved_before_sent');
    });
    it.each(HUMANS)('sends %s one notification for trigger and resolve', (audience) => {
      expect(planned(queue, audience)).toBe('recovered by R1, T1 delivered:combined');
    });
    it.each<[ChannelAudience, string]>([
      ['webhook', 'triggered by T1'],
      ['pager', 'T1 superseded:resolved_before_sent'],
      ['chat', 'recovered by T1'],
      ['mail', 'recovered by T1'],
      ['sms', 'recovered by T1'],
    ])('plans an ended episode without a resolve to send for %s: %s', (audience, expected) => {
      expect(planned([T(1, { ended: true })], audience)).toBe(expected);
    });
  });

  describe('a trigger of unknown outcome', () => {
    const queue = [T(1, { ended: true, unknown: true }), R(1)];

    it.each<[ChannelAudience, string]>([
      ['webhook', 'triggered by T1 again'],
      ['pager', 'T1 superseded:resolved_before_sent, resolved by R1'],
      ['chat', 'recovered by R1 again, T1 delivered:combined'],
      ['mail', 'recovered by R1 again, T1 delivered:combined'],
      ['sms', 'recovered by R1 again, T1 delivered:combined'],
    ])('plans a trigger of unknown outcome and its resolve for %s: %s', (audience, expected) => {
      expect(planned(queue, audience)).toBe(expected);
    });
    it('resolves a possible episode at a pager even after its trigger was dropped', () => {
      expect(planned([R(1, { trigger: 'maybe_notified' })], 'pager')).toBe('resolved by R1');
    });
  });

  it.each(AUDIENCES)('sends %s the resolve of a delivered trigger', (audience) => {
    expect(planned([R(1)], audience)).toBe('resolved by R1');
  });

  it.each(AUDIENCES)('parks the resolve after a parked trigger, for %s', (audience) => {
    expect(planned([R(1, { trigger: 'parked' })], audience)).toBe('R1 failed:behind_failed');
  });

  it.each<[ChannelAudience, string]>([
    ['webhook', 'resolved by R1'],
    ['pager', 'R1 superseded:trigger_not_told'],
    ['chat', 'recovered by R1'],
    ['mail', 'recovered by R1'],
    ['sms', 'recovered by R1'],
  ])('plans the resolve of a trigger that was given up for %s: %s', (audience, expected) => {
    expect(planned([R(1, { trigger: 'given_up' })], audience)).toBe(expected);
  });

  it.each(AUDIENCES)('sends %s neither trigger nor resolve of an alert that was disabled in time', (audience) => {
    expect(planned([R(1, { trigger: 'dropped' })], audience)).toBe('R1 superseded:trigger_not_told');
  });

  it.each(AUDIENCES)('keeps the resolve for %s while its trigger is being sent again', (audience) => {
    expect(planned([R(1, { trigger: 'pending' })], audience)).toBe('');
  });
});

describe('planQueue with an alert that triggered again while its resolve is pending', () => {
  const queue = [R(1), T(2)];

  it.each<[ChannelAudience, string]>([
    ['webhook', 'resolved by R1'],
    ['pager', 'resolved by R1'],
    ['chat', 'triggered by T2, R1 superseded:collapsed'],
    ['mail', 'triggered by T2, R1 superseded:collapsed'],
    ['sms', 'triggered by T2, R1 superseded:collapsed'],
  ])('plans a pending resolve and the next trigger for %s: %s', (audience, expected) => {
    expect(planned(queue, audience)).toBe(expected);
  });

  it('skips episodes that are over and sends a pager the open one', () => {
    expect(planned([T(1, { ended: true }), R(1), T(2)], 'pager')).toBe(
      'T1 superseded:resolved_before_sent, R1 superseded:resolved_before_sent, triggered by T2',
    );
  });
  it('sends people the current state, however much they missed', () => {
    expect(planned([T(1, { ended: true }), R(1), T(2)], 'chat')).toBe(
      'triggered by T2, T1 superseded:collapsed, R1 superseded:collapsed',
    );
    expect(planned([R(1), T(2, { ended: true }), R(2)], 'chat')).toBe(
      'resolved by R2, R1 superseded:collapsed, T2 superseded:collapsed',
    );
  });
});

/** Delivers one notification after another until the queue is empty. Returns the notifications. */
function drain(queue: PendingDelivery[], audience: ChannelAudience): PlannedNotification[] {
  const notifications: PlannedNotification[] = [];
  let pending = queue;
  while (pending.length > 0) {
    const { ended, notification } = planQueue(pending, receiverOf(audience));
    const gone = [...ended, ...(notification?.ends ?? [])].map(({ id }) => id);
    expect(new Set(gone).size).toBe(gone.length);
    expect(gone.length).toBeGreaterThan(0);
    expect(pending.slice(0, gone.length).map(({ id }) => id)).toEqual(
      pending.map(({ id }) => id).filter((id) => gone.includes(id)),
    );
    if (notification) notifications.push(notification);
    pending = pending.filter(({ id }) => !gone.includes(id));
  }
  return notifications;
}

describe('planQueue with any queue', () => {
  /** Alternating deliveries that start with either kind, with unknown outcomes anywhere. */
  const queues = fc
    .record({
      startsResolved: fc.boolean(),
      length: fc.integer({ min: 1, max: 8 }),
      unknown: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      trigger: fc.constantFrom<TriggerOutcome>('notified', 'maybe_notified', 'parked', 'given_up', 'dropped'),
    })
    .map(({ startsResolved, length, unknown, trigger }) =>
      Array.from({ length }, (_, position) => {
        const step = position + (startsResolved ? 1 : 0);
        const episodeNo = Math.floor(step / 2) + 1;
        const isOver = position < length - 1;
        const outcome = position === 0 ? trigger : ('notified' as const);
        const more = { unknown: unknown[position] ?? false, trigger: outcome };
        return step % 2 === 0 ? T(episodeNo, { ...more, ended: isOver }) : R(episodeNo, more);
      }),
    );

  it.each(AUDIENCES)('drains a queue of %s from its head, each delivery exactly once', (audience) => {
    fc.assert(fc.property(queues, (queue) => void drain(queue, audience)));
  });

  it('sends a webhook every delivery that is not parked or dropped, in order', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        const first = queue[0];
        const lost = first?.kind === 'resolved' && ['parked', 'dropped'].includes(first.triggerOutcome) ? 1 : 0;
        expect(drain(queue, 'webhook').map(({ primary }) => primary)).toEqual(queue.slice(lost).map(({ id }) => id));
      }),
    );
  });

  describe('with reminders in between', () => {
    /**
     * The same queues, with up to three reminders at the front and after each trigger, as long as the episode lasts.
     */
    const reminded = fc.tuple(queues, fc.array(fc.nat(3), { minLength: 9, maxLength: 9 })).map(([queue, counts]) => {
      const first = queue[0];
      const of = (episodeNo: number, count: number, more: Situation) =>
        Array.from({ length: count }, (_, index) => M(episodeNo, more, index + 1));
      const front =
        first?.kind === 'resolved'
          ? of(first.episodeNo, counts[8] ?? 0, { ended: true, trigger: first.triggerOutcome })
          : [];
      const all = queue.flatMap((one, index) =>
        one.kind === 'triggered'
          ? [one, ...of(one.episodeNo, counts[index] ?? 0, { ended: one.ended, trigger: 'pending' })]
          : [one],
      );
      return { queue, all: [...front, ...all] };
    });
    const isReminder = ({ kind }: PendingDelivery) => kind === 'reminder';

    it.each(AUDIENCES)('ends each delivery of %s exactly once', (audience) => {
      fc.assert(
        fc.property(reminded, ({ all }) => {
          const seen: string[] = [];
          for (let pending = all; pending.length > 0;) {
            const { ended, notification } = planQueue(pending, receiverOf(audience));
            const gone = [...ended, ...(notification?.ends ?? [])].map(({ id }) => id);
            expect(gone.length).toBeGreaterThan(0);
            seen.push(...gone);
            pending = pending.filter(({ id }) => !gone.includes(id));
          }
          expect(seen.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
        }),
      );
    });

    it.each(AUDIENCES)('sends %s the same other messages as without reminders', (audience) => {
      fc.assert(
        fc.property(reminded, ({ queue, all }) => {
          const [plain, other] = [planQueue(queue, receiverOf(audience)), planQueue(all, receiverOf(audience))];
          expect(other.notification).toEqual(plain.notification);
          const reminders = new Set(all.filter(isReminder).map(({ id }) => id));
          expect(other.ended.filter(({ id }) => !reminders.has(id))).toEqual(plain.ended);
        }),
      );
    });

    it('sends at most one of the reminders that wait after a delivered trigger, the newest', () => {
      const rest = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.boolean(), fc.boolean());
      fc.assert(
        fc.property(rest, fc.constantFrom(...AUDIENCES), ([count, ended, unknown], audience) => {
          const queue = Array.from({ length: count }, (_, index) => M(1, { ended, unknown }, index + 1));
          const { notification } = planQueue(queue, receiverOf(audience));
          if (ended || audience === 'pager') expect(notification).toBeNull();
          else expect(notification).toMatchObject({ kind: 'reminder', primary: `M1.${count}`, repeat: unknown });
        }),
      );
    });
  });

  it('sends a pager only triggers of open episodes, and resolves of episodes that it may know', () => {
    fc.assert(
      fc.property(queues, (queue) => {
        for (const { kind, primary } of drain(queue, 'pager')) {
          const position = queue.findIndex(({ id }) => id === primary);
          if (kind === 'triggered') expect(position).toBe(queue.length - 1);
          else if (position > 0) expect(queue[position - 1]?.mayHaveArrived).toBe(true);
          else expect(['notified', 'maybe_notified']).toContain(queue[0]?.triggerOutcome);
        }
      }),
    );
  });

  it.each(HUMANS)('sends %s at most one notification, and it reports the current state', (audience) => {
    fc.assert(
      fc.property(queues, (queue) => {
        const notifications = drain(queue, audience);
        expect(notifications.length).toBeLessThanOrEqual(1);
        const [notification] = notifications;
        if (notification) expect(notification.kind === 'triggered').toBe(queue.at(-1)?.kind === 'triggered');
      }),
    );
  });
});

describe('suppressFlapping', () => {
  const plain = planQueue([R(6), T(7)], receiverOf('chat')).notification as PlannedNotification;

  it('changes nothing up to six transitions in an hour', () => {
    expect(suppressFlapping(plain, 6)).toBe(plain);
  });
  it('creates a flapping notification at the seventh transition and keeps the newest delivery pending', () => {
    expect(suppressFlapping(plain, 7)).toMatchObject({
      kind: 'flapping',
      primary: 'T7',
      merged: null,
      ends: [
        { id: 'R6', state: 'delivered', detail: 'flapping' },
        { id: 'T7', state: 'pending', detail: 'flapping' },
      ],
    });
  });
});
