import type { DueDelivery, LockedDelivery } from '../delivery';
import { planDestination } from './batch-plan';

const NOW = new Date('2026-11-20T12:00:00.000Z');

const locked = (id: string, kind: LockedDelivery['kind'], more: Partial<LockedDelivery> = {}): LockedDelivery => ({
  id,
  kind,
  queueId: 'alert',
  episodeNo: 1,
  mayHaveArrived: false,
  ended: false,
  triggerOutcome: 'notified',
  redeliver: false,
  inFlight: false,
  endpointId: null,
  incidentId: null,
  attempts: 0,
  rejections: 0,
  createdAt: NOW,
  ...more,
});
const head = ({ id, kind, redeliver, queueId }: LockedDelivery): DueDelivery => ({ id, kind, redeliver, queueId });

/** Returns what is sent, and what is finished without a notification. */
function planned(
  heads: readonly LockedDelivery[],
  pending: readonly LockedDelivery[],
  audience: 'chat' | 'pager' | 'webhook' = 'chat',
): string[] {
  const { ready, ended, postponed } = planDestination(heads.map(head), pending, new Map(), { audience }, NOW);
  return [
    ...ready.map(({ notification }) => `${notification.kind} by ${notification.primary}`),
    ...ended.map(({ id, detail }) => `${id} ${detail}`),
    ...postponed.map(({ id }) => `${id} waits`),
  ];
}

describe('planDestination with a reminder at the head of the queue', () => {
  const [reminder, resolve] = [locked('M', 'reminder'), locked('R', 'resolved')];

  it('sends the resolve while the reminder waits to be sent again', () => {
    expect(planned([resolve], [reminder, resolve])).toEqual(['resolved by R', 'M resolved_before_sent']);
  });
  it('plans the queue once when both are due', () => {
    expect(planned([resolve, reminder], [reminder, resolve])).toEqual(['resolved by R', 'M resolved_before_sent']);
  });
  it('sends nothing from the queue while the reminder is being sent', () => {
    const flying = { ...reminder, inFlight: true };
    expect(planned([resolve], [flying, resolve])).toEqual([]);
  });
  it('sends nothing for a head that no longer exists', () => {
    expect(planned([reminder], [resolve])).toEqual([]);
  });
  it('sends a newer reminder while an older one waits to be sent again', () => {
    const newer = locked('N', 'reminder');
    expect(planned([newer], [reminder, newer])).toEqual(['reminder by N', 'M collapsed']);
  });
});

describe('planDestination with a reminder that a client redelivers', () => {
  it('is sent while its episode lasts', () => {
    const again = locked('M', 'reminder', { redeliver: true });
    expect(planned([again], [again])).toEqual(['reminder by M']);
  });
  it('is not sent after its episode, nor to a pager', () => {
    const over = locked('M', 'reminder', { redeliver: true, ended: true });
    const again = locked('M', 'reminder', { redeliver: true });
    expect(planned([over], [over])).toEqual(['M resolved_before_sent']);
    expect(planned([again], [again], 'pager')).toEqual(['M not_supported']);
  });
});
